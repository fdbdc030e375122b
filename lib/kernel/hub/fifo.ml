module Queue = Dromos_base.Queue
module Erasable = Dromos_base.Erasable

(* Worker [i]'s own words. [recent] holds the nodes of the new tasks that it
   pushed last and has not taken back, oldest overwritten first; [top] is how
   many it has pushed, less those it took back, and [bottom] what is below the
   oldest it remembers. Poppers may have taken some of them: their nodes are
   small, empty and linked to nothing.

   The fillers keep two workers' records two cache lines apart. *)
type 'ctx lane = {
  inbox : 'ctx Hub.task Queue.t;
  mutable inbox_first : bool;
  recent : 'ctx Hub.task Erasable.node array;
  no_node : 'ctx Hub.task Erasable.node;
  mutable top : int;
  mutable bottom : int;
  mutable erasures : int; (* before the next sweep *)
  _0 : int;
  _1 : int;
  _2 : int;
  _3 : int;
  _4 : int;
  _5 : int;
  _6 : int;
  _7 : int;
  _8 : int;
  _9 : int;
  _10 : int;
  _11 : int;
  _12 : int;
  _13 : int;
  _14 : int;
  _15 : int;
}

(* A power of two. More than the fibers nested on one stack that take back what
   they wait for. *)
let memory = 256
let slot n = n land (memory - 1)

(* The least number of erasures before a sweep. *)
let patience = 64

let make_lane _ =
  let inbox = Queue.create () in
  let no_node = Erasable.no_node () in
  let recent = Array.make memory no_node in
  {
    inbox;
    inbox_first = true;
    recent;
    no_node;
    top = 0;
    bottom = 0;
    erasures = patience;
    _0 = 0;
    _1 = 0;
    _2 = 0;
    _3 = 0;
    _4 = 0;
    _5 = 0;
    _6 = 0;
    _7 = 0;
    _8 = 0;
    _9 = 0;
    _10 = 0;
    _11 = 0;
    _12 = 0;
    _13 = 0;
    _14 = 0;
    _15 = 0;
  }

let remember lane node =
  Array.set lane.recent (slot lane.top) node;
  lane.top <- lane.top + 1;
  if lane.top - lane.bottom > memory then lane.bottom <- lane.top - memory

let push shared lane reason task =
  let node = Erasable.push shared task in
  match reason with Hub.New -> remember lane node | _ -> ()

let forget_newest lane =
  lane.top <- lane.top - 1;
  Array.set lane.recent (slot lane.top) lane.no_node

(* What erased tasks leave in the queue is cleared away once for as many
   erasures as there were tasks the last time. *)
let count_erasure shared lane =
  lane.erasures <- lane.erasures - 1;
  if lane.erasures = 0 then
    let length = Erasable.sweep shared in
    lane.erasures <- (if length < patience then patience else length)

(* The newest task that nobody has taken, if it is the one. *)
let rec retract shared lane task =
  if lane.top = lane.bottom then false
  else
    let node = Array.get lane.recent (slot (lane.top - 1)) in
    match Erasable.peek node with
    | None ->
        forget_newest lane;
        retract shared lane task
    | Some newest ->
        if newest == task then begin
          forget_newest lane;
          let erased = Erasable.erase node in
          if erased then count_erasure shared lane;
          erased
        end
        else false

let pop shared lane =
  let inbox_first = lane.inbox_first in
  lane.inbox_first <- not inbox_first;
  if inbox_first then
    match Queue.pop lane.inbox with
    | Some _ as found -> found
    | None -> Erasable.pop shared
  else
    match Erasable.pop shared with
    | Some _ as found -> found
    | None -> Queue.pop lane.inbox

(* The inbox last: see Central.steal. *)
let steal shared lane =
  match Erasable.pop shared with
  | Some _ as found -> found
  | None -> Queue.pop lane.inbox

let submit shared task = ignore (Erasable.push shared task)

let make ~workers =
  let shared = Erasable.create () in
  let lanes = Array.init workers make_lane in
  {
    Hub.name = "fifo";
    size = workers;
    push = (fun i reason task -> push shared (Array.get lanes i) reason task);
    pop = (fun i -> pop shared (Array.get lanes i));
    retract = (fun i task -> retract shared (Array.get lanes i) task);
    steal = (fun i -> steal shared (Array.get lanes i));
    waits_for_answer = (fun _ -> false);
    has_work = (fun _ -> not (Erasable.is_empty shared));
    submit = (fun _ task -> submit shared task);
    submit_to = (fun i _ task -> Queue.push (Array.get lanes i).inbox task);
    enlist = (fun _ -> ());
    retire = (fun _ -> ());
    tick = (fun _ -> ());
    finished = (fun _ _ -> ());
    blocked = (fun _ _ -> ());
    close = (fun () -> ());
    notifier = Hub.notifier ();
  }

let maker = { Hub.make }
