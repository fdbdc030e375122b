(* Each push makes a fresh link, so a successful CAS has seen the top that it
   means: while a thread holds a link, no push can bring the link back. *)
type 'a t = 'a list Atomic.t

let create () = Atomic.make_contended []

let rec push t v =
  let old = Atomic.get t in
  if not (Atomic.compare_and_set t old (v :: old)) then push t v

let rec pop t =
  match Atomic.get t with
  | [] -> None
  | v :: rest as old ->
      if Atomic.compare_and_set t old rest then Some v else pop t

let length t = List.length (Atomic.get t)
