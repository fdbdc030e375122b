type fork = (unit -> int) -> (unit -> int) -> int * int

let cutoff = 20
let most = 90
let rec plain n = if n < 2 then n else plain (n - 1) + plain (n - 2)

(* Plain recursion has no poll points. A minor collection stops every domain, so
   with long pieces the collection would wait for the end of a piece. *)
let by fork ?(pause = Fun.id) n =
  let rec go n =
    if n <= cutoff then begin
      let result = plain n in
      pause ();
      result
    end
    else
      let a, b = fork (fun () -> go (n - 1)) (fun () -> go (n - 2)) in
      a + b
  in
  go n

let sequential n =
  by
    (fun f g ->
      let a = f () in
      (a, g ()))
    n

(* A slice counts work, not time: on a busy machine a computation may have had
   the time but not the processor, and would go to the end of the queue
   unfairly. All branches of a computation share the counter; the branch that
   ends the last piece of a slice yields. *)
let dromos ?(slice = 200) n =
  let pieces = Atomic.make 0 in
  let pause () =
    if (Atomic.fetch_and_add pieces 1 + 1) mod slice = 0 then Dromos.yield ()
  in
  by Dromos.both ~pause n
