type t = int

let nobody = 0

(* The identity of no thread: a thread's number would be [max_int]. *)
let released = min_int
let holder owner = if Int.equal owner released then nobody else owner

(* The systhreads of one domain must not be taken for one task. *)
let () = Dromos_suspend.set_thread_id (fun () -> Thread.id (Thread.self ()))
let self = Dromos_suspend.self
let name = Atomic.make (fun (_ : t) -> "")
let set_name f = Atomic.set name f
let hint = Atomic.make (fun () -> "")
let set_hint f = Atomic.set hint f

let pp ?name:known id =
  if id = nobody then "no task"
  else if id < 0 then Printf.sprintf "thread %d" (-1 - id)
  else
    let name = match known with Some n -> n | None -> (Atomic.get name) id in
    if name = "" then Printf.sprintf "fiber %d" id
    else Printf.sprintf "fiber %d %S" id name

let caller = function 0 -> "the caller" | id -> "the caller, " ^ pp id ^ ","
let is a b = a <> nobody && Int.equal a b
let at call name = Event_core.reason call name

let waits_for_itself call name id =
  let hint = if id < 0 then (Atomic.get hint) () else "" in
  invalid_arg
    (Printf.sprintf "%s: %s holds it already, and would wait for itself%s"
       (at call name) (caller id) hint)

let not_held call name id =
  invalid_arg
    (Printf.sprintf "%s: no task holds it; %s has nothing to release"
       (at call name) (caller id))

let check call name ~owner id =
  if id <> nobody then
    if Int.equal owner released then not_held call name id
    else if owner <> nobody && owner <> id then
      invalid_arg
        (Printf.sprintf "%s: it is held by %s; %s cannot release it"
           (at call name) (pp owner) (caller id))
