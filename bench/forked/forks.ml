(* Programs that fork and join. *)

open Bench_plain
open Sched

let rec fib_cutoff ctx cutoff n =
  if n <= cutoff || n < 2 then Fib.fib n
  else
    let a, b =
      both ctx
        (fun ctx -> fib_cutoff ctx cutoff (n - 1))
        (fun ctx -> fib_cutoff ctx cutoff (n - 2))
    in
    a + b

let rec fib_nocutoff ctx n =
  if n < 2 then n
  else
    let a, b =
      both ctx
        (fun ctx -> fib_nocutoff ctx (n - 1))
        (fun ctx -> fib_nocutoff ctx (n - 2))
    in
    a + b

(* Skynet: a tree with ten children a node; the leaves are numbered and summed.
   The ten children are forked by halves, down to single leaves. *)
let rec skynet ctx number size =
  if size = 1 then number else children ctx number (size / 10) 0 10

and children ctx number size lo hi =
  if hi - lo = 1 then skynet ctx (number + (lo * size)) size
  else
    let mid = (lo + hi) / 2 in
    let a, b =
      both ctx
        (fun ctx -> children ctx number size lo mid)
        (fun ctx -> children ctx number size mid hi)
    in
    a + b

(* Skynet with a task for every node. *)
let rec skynet_async ctx number size =
  if size = 1 then number
  else
    let size = size / 10 in
    let child i =
      async ctx (fun ctx -> skynet_async ctx (number + (i * size)) size)
    in
    let children = List.init 10 child in
    List.fold_left (fun sum p -> sum + await ctx p) 0 children

(* Forks for each free place of a row, in the first [depth] rows. *)
let rec queens ctx depth all columns left right =
  if depth = 0 then Queens.count ~all columns left right
  else if columns = all then 1
  else
    let free = all land lnot (columns lor left lor right) in
    places ctx depth all columns left right free

and places ctx depth all columns left right free =
  if free = 0 then 0
  else
    let bit = free land -free in
    let here ctx =
      queens ctx (depth - 1) all (columns lor bit)
        ((left lor bit) lsl 1)
        ((right lor bit) lsr 1)
    in
    let rest = free lxor bit in
    if rest = 0 then here ctx
    else
      let a, b =
        both ctx here (fun ctx -> places ctx depth all columns left right rest)
      in
      a + b

let rec power10 n = if n < 10 then 1 else 10 * power10 (n / 10)

let jobs : (string * (n:int -> cutoff:int -> ctx -> unit -> int)) list =
  [
    ( "fib",
      fun ~n ~cutoff ctx ->
        let r = fib_cutoff ctx cutoff n in
        fun () -> r );
    ( "fib_nocutoff",
      fun ~n ~cutoff:_ ctx ->
        let r = fib_nocutoff ctx n in
        fun () -> r );
    ( "skynet",
      fun ~n ~cutoff:_ ctx ->
        let r = skynet ctx 0 (power10 n) in
        fun () -> r );
    ( "skynet_async",
      fun ~n ~cutoff:_ ctx ->
        let r = skynet_async ctx 0 (power10 n) in
        fun () -> r );
    ( "nqueens",
      fun ~n ~cutoff ctx ->
        let r = queens ctx cutoff (Queens.full n) 0 0 0 in
        fun () -> r );
  ]
