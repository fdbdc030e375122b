module Queue = Dromos_base.Queue

(* The fillers keep two workers' records two cache lines apart. *)
type 'ctx lane = {
  inbox : 'ctx Hub.task Queue.t;
  mutable inbox_first : bool;
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

let make_lane _ =
  let inbox = Queue.create () in
  {
    inbox;
    inbox_first = true;
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

let first_of queue1 queue2 =
  match Queue.pop queue1 with
  | Some _ as found -> found
  | None -> Queue.pop queue2

let pop shared lane =
  let inbox_first = lane.inbox_first in
  lane.inbox_first <- not inbox_first;
  if inbox_first then first_of lane.inbox shared else first_of shared lane.inbox

let make ~workers =
  let shared = Queue.create () in
  let lanes = Array.init workers make_lane in
  {
    Hub.name = "fifo";
    size = workers;
    push = (fun _ _ task -> Queue.push shared task);
    pop = (fun i -> pop shared (Array.get lanes i));
    retract = (fun _ _ -> false);
    (* The inbox last: see Central.steal. *)
    steal = (fun i -> first_of shared (Array.get lanes i).inbox);
    waits_for_answer = (fun _ -> false);
    has_work = (fun _ -> not (Queue.is_empty shared));
    submit = (fun _ task -> Queue.push shared task);
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
