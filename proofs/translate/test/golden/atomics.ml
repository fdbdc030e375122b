(* Atomic references; the values that compare_and_set may compare. *)
type node = { value : int; mutable next : node option }
type 'a state = Unset of { mutable waiters : 'a } | Set of 'a
type 'a link = Nil | Gone | Link of 'a

let make () = Atomic.make 0
let contended () = Atomic.make_contended true
let get a = Atomic.get a
let set a v = Atomic.set a v
let swap a v = Atomic.exchange a v
let ticket a = Atomic.fetch_and_add a 2
let up a = Atomic.incr a
let down a = Atomic.decr a
let number a = Atomic.compare_and_set a 0 1
let mutable_record a (seen : node) node = Atomic.compare_and_set a seen node
let constant a v = Atomic.compare_and_set a Nil (Link v)

(* The match shows that [seen] is a block with a mutable field. *)
let rec update t v =
  match Atomic.get t with
  | Set _ -> ()
  | Unset u as seen ->
      if
        not (Atomic.compare_and_set t seen (Unset { waiters = v :: u.waiters }))
      then update t v
