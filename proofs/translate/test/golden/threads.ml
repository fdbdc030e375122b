(* Domains, mutexes, conditions, and free choice. *)
type t = { mutex : Mutex.t; change : Condition.t; mutable ready : bool }

let create () =
  let mutex = Mutex.create () in
  let change = Condition.create () in
  { mutex; change; ready = false }

let set t =
  Mutex.lock t.mutex;
  t.ready <- true;
  Condition.signal t.change;
  Condition.broadcast t.change;
  Mutex.unlock t.mutex

let rec wait t =
  if not t.ready then begin
    Condition.wait t.change t.mutex;
    wait t
  end

let run t f =
  let domain = Domain.spawn (fun () -> f t) in
  Domain.join domain

let victim seed all =
  ((seed lsr 7) * Array.length all) [@choice Array.length all]
