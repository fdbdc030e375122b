(* A producer and a consumer. *)

open Structures

let produce q n () =
  for i = 1 to n do
    q.put i
  done

let consume q n () =
  let sum = ref 0 in
  for _ = 1 to n do
    sum := !sum + q.take ()
  done;
  !sum

type places = (unit -> unit) -> (unit -> int) -> int
(** Runs both functions, each as a task, and returns the result of the second.
*)

let fibers ~workers : places =
 fun produce consume ->
  Dromos.run ~workers (fun () ->
      let p = Dromos.async produce in
      let sum = consume () in
      Dromos.await p;
      sum)

(* Two schedulers, so that no worker ever runs both tasks. *)
let fibers_apart : places =
 fun produce consume ->
  let d = Domain.spawn (fun () -> Dromos.run ~workers:1 produce) in
  let sum = Dromos.run ~workers:1 consume in
  Domain.join d;
  sum

let threads : places =
 fun produce consume ->
  let t = Thread.create produce () in
  let sum = consume () in
  Thread.join t;
  sum

let domains : places =
 fun produce consume ->
  let d = Domain.spawn produce in
  let sum = consume () in
  Domain.join d;
  sum

let job (places : places) make ~n ~cutoff:_ () =
  let q = make () in
  let sum = places (produce q n) (consume q n) in
  fun () -> sum

(* The sender waits for an answer to each message: the tasks take turns. *)

let ask there back n () =
  for i = 1 to n do
    there.put i;
    ignore (back.take () : int)
  done

let answer there back n () =
  let sum = ref 0 in
  for _ = 1 to n do
    let v = there.take () in
    sum := !sum + v;
    back.put v
  done;
  !sum

let ping_pong (places : places) make ~n ~cutoff:_ () =
  let there = make () and back = make () in
  let sum = places (ask there back n) (answer there back n) in
  fun () -> sum
