type fork = (unit -> int) -> (unit -> int) -> int * int

let cutoff = 20
let most = 90
let rec plain n = if n < 2 then n else plain (n - 1) + plain (n - 2)

(* Plain recursion has no poll points: were the pieces long, a minor collection,
   which stops every domain, would have to wait for their end. *)
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

(* One clock for all branches of a computation, in whole microseconds: whoever
   finds the slice used up starts the next one and yields. Two that find it at
   the same time both yield, which does no harm. *)
let dromos ?(slice = 0.01) n =
  let now () = Int64.to_int (Mtime_clock.elapsed_ns ()) / 1000 in
  let slice = int_of_float (1e6 *. slice) in
  let until = Atomic.make (now () + slice) in
  let pause () =
    let now = now () in
    if now >= Atomic.get until then begin
      Atomic.set until (now + slice);
      Dromos.yield ()
    end
  in
  by Dromos.both ~pause n
