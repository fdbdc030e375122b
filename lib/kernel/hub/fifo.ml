module Queue = Dromos_base.Queue
module Erasable = Dromos_base.Erasable

(* The words of worker [i] alone. The worker remembers the nodes of the new
   tasks that it pushed last and has not taken back. The nodes are numbered
   from [bottom] to [top - 1]. Poppers may have taken some of the tasks: then
   the nodes are small, empty and linked to no other node.

   lib/kernel/README.md explains the fillers. *)
type 'ctx local = {
  inbox : 'ctx Hub.task Queue.t;
  mutable inbox_first : bool; (* the next [pop] looks at the inbox first *)
  recent : 'ctx Hub.task Erasable.node array;
      (* node [n] is in slot [n mod memory]: a push overwrites the oldest *)
  no_node : 'ctx Hub.task Erasable.node; (* fills the unused slots *)
  mutable top : int; (* tasks pushed, minus tasks taken back or found taken *)
  mutable bottom : int; (* number of the oldest remembered node *)
  mutable erasures : int; (* number of erasures before the next sweep *)
  _0 : int; _1 : int; _2 : int; _3 : int; _4 : int; _5 : int; _6 : int; _7 : int;
  _8 : int; _9 : int; _10 : int; _11 : int; _12 : int; _13 : int; _14 : int; _15 : int;
}
[@@ocamlformat "disable"]

(* A power of two, larger than the number of fibers nested on one stack that
   take back the tasks they wait for. *)
let memory = 256
let slot n = n land (memory - 1)

(* The least number of erasures before a sweep. *)
let patience = 64

let make_local _ =
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
    _0 = 0; _1 = 0; _2 = 0; _3 = 0; _4 = 0; _5 = 0; _6 = 0; _7 = 0;
    _8 = 0; _9 = 0; _10 = 0; _11 = 0; _12 = 0; _13 = 0; _14 = 0; _15 = 0;
  }
[@@ocamlformat "disable"]

let remember local node =
  Array.set local.recent (slot local.top) node;
  local.top <- local.top + 1;
  if local.top - local.bottom > memory then local.bottom <- local.top - memory

let push shared local reason task =
  let node = Erasable.push shared task in
  match reason with Hub.New -> remember local node | _ -> ()

let forget_newest local =
  local.top <- local.top - 1;
  Array.set local.recent (slot local.top) local.no_node

(* Erased tasks leave dead nodes in the queue. A sweep clears the nodes away
   after as many erasures as there were tasks in the queue at the last sweep. *)
let count_erasure shared local =
  local.erasures <- local.erasures - 1;
  if local.erasures = 0 then
    let length = Erasable.sweep shared in
    local.erasures <- (if length < patience then patience else length)

(* Takes back [task] if [task] is the newest remembered task that no popper
   has taken. *)
let rec retract shared local task =
  if local.top = local.bottom then false
  else
    let node = Array.get local.recent (slot (local.top - 1)) in
    match Erasable.peek node with
    | None ->
        forget_newest local;
        retract shared local task
    | Some newest ->
        if newest == task then begin
          forget_newest local;
          let erased = Erasable.erase node in
          if erased then count_erasure shared local;
          erased
        end
        else false

let pop shared local =
  let inbox_first = local.inbox_first in
  local.inbox_first <- not inbox_first;
  if inbox_first then
    match Queue.pop local.inbox with
    | Some _ as found -> found
    | None -> Erasable.pop shared
  else
    match Erasable.pop shared with
    | Some _ as found -> found
    | None -> Queue.pop local.inbox

(* Looks at the inbox last: see Central.steal. *)
let steal shared local =
  match Erasable.pop shared with
  | Some _ as found -> found
  | None -> Queue.pop local.inbox

let submit shared task = ignore (Erasable.push shared task)

let make ~workers =
  let shared = Erasable.create () in
  let locals = Array.init workers make_local in
  {
    Hub.name = "fifo";
    size = workers;
    push = (fun i reason task -> push shared (Array.get locals i) reason task);
    pop = (fun i -> pop shared (Array.get locals i));
    retract = (fun i task -> retract shared (Array.get locals i) task);
    steal = (fun i -> steal shared (Array.get locals i));
    waits_for_answer = (fun _ -> false);
    has_work = (fun _ -> not (Erasable.is_empty shared));
    submit = (fun _ task -> submit shared task);
    submit_to = (fun i _ task -> Queue.push (Array.get locals i).inbox task);
    enlist = (fun _ -> ());
    retire = (fun _ -> ());
    tick = (fun _ -> ());
    finished = (fun _ _ -> ());
    blocked = (fun _ _ -> ());
    close = (fun () -> ());
    notifier = Hub.notifier ();
  }

let maker = { Hub.make }
