open Dromos_sync

let body hands forms program finished () =
  match Step.run hands forms program with
  | v -> finished (Ok v)
  | exception e -> finished (Error e)

let party name start stop =
  let is_cancelled _ = false and direct = true and cancellable = false in
  { Party.name; direct; cancellable; is_cancelled; start; stop }

let systhreads =
  let kind = "systhread" in
  let hands = { Step.yield = Thread.yield; sync = Event.sync } in
  let make _ =
    let start forms program finished =
      let body = body hands forms program finished in
      ignore (Thread.create body () : Thread.t);
      ignore
    in
    party kind { start } ignore
  in
  { Party.kind; direct = true; make }

(* {1 Domains} *)

type crew = {
  mutex : Mutex.t;
  more : Condition.t;
  work : (unit -> unit) Queue.t;
  mutable idle : int;
  mutable closed : bool;
  mutable domains : unit Domain.t list; (* used by the maker only *)
}

let rec serve crew =
  Mutex.lock crew.mutex;
  while Queue.is_empty crew.work && not crew.closed do
    Condition.wait crew.more crew.mutex
  done;
  match Queue.take_opt crew.work with
  | None -> Mutex.unlock crew.mutex
  | Some f ->
      Mutex.unlock crew.mutex;
      f ();
      Mutex.protect crew.mutex (fun () -> crew.idle <- crew.idle + 1);
      serve crew

(* An idle domain is promised to one task. *)
let give crew f =
  let spawn =
    Mutex.protect crew.mutex @@ fun () ->
    Queue.push f crew.work;
    Condition.signal crew.more;
    if crew.idle = 0 then true
    else begin
      crew.idle <- crew.idle - 1;
      false
    end
  in
  if spawn then
    crew.domains <- Domain.spawn (fun () -> serve crew) :: crew.domains

let domains =
  let kind = "domain" in
  let hands = { Step.yield = Domain.cpu_relax; sync = Event.sync } in
  let make _ =
    let crew =
      {
        mutex = Mutex.create ();
        more = Condition.create ();
        work = Queue.create ();
        idle = 0;
        closed = false;
        domains = [];
      }
    in
    let start forms program finished =
      give crew (body hands forms program finished);
      ignore
    in
    let stop () =
      Mutex.protect crew.mutex (fun () ->
          crew.closed <- true;
          Condition.broadcast crew.more);
      List.iter Domain.join crew.domains
    in
    party kind { start } stop
  in
  { Party.kind; direct = true; make }
