open Bench_plain
open Bench_core
module Sched = Dromos.Sched
module Scope = Dromos.Scope

type board = { columns : int; left : int; right : int; path : int list }

let empty = { columns = 0; left = 0; right = 0; path = [] }

let rest ~all { columns; left; right; path } =
  Queens.find ~check:Dromos.check ~all columns left right path

(* The boards with one more queen, from left to right. *)
let next ~all { columns; left; right; path } =
  let rec go free =
    if free = 0 then []
    else
      let bit = free land -free in
      {
        columns = columns lor bit;
        left = (left lor bit) lsl 1;
        right = (right lor bit) lsr 1;
        path = bit :: path;
      }
      :: go (free lxor bit)
  in
  go (all land lnot (columns lor left lor right))

(* The time of the answer, and the searches that were stopped at that time. *)
type log = { found_at : float Atomic.t; stopped : int list Atomic.t }

let log () = { found_at = Atomic.make 0.; stopped = Atomic.make [] }

let found log =
  ignore (Atomic.compare_and_set log.found_at 0. (Usage.now ()) : bool)

let rec stop log =
  let seen = Atomic.get log.stopped in
  let id = Dromos_suspend.self () in
  if not (Atomic.compare_and_set log.stopped seen (id :: seen)) then stop log

let watched log f =
  match f () with
  | Some _ as answer ->
      found log;
      answer
  | None -> None
  | exception (Dromos.Cancelled as e) ->
      stop log;
      raise e

let tell log ~over ~cancelled n answer () =
  let us = 1e6 *. (over -. Atomic.get log.found_at) in
  let count = float_of_int cancelled in
  Figures.tell "cancel_us" us;
  Figures.tell "cancelled" count;
  if cancelled > 0 then Figures.tell "us_per_cancelled" (us /. count);
  match answer with Some path when Queens.solves n path -> 1 | _ -> 0

(* Each place of the first rows is a function of a [first]. *)
let by_por ~n ~cutoff:rows =
  let all = Queens.full n in
  let rec search log rows board () =
    watched log (fun () ->
        if rows = 0 || board.columns = all then rest ~all board
        else
          Sched.Speculate.first
            (List.map (search log (rows - 1)) (next ~all board)))
  in
  fun () ->
    let log = log () in
    let answer = search log rows empty () in
    let over = Usage.now () in
    let stopped = List.sort_uniq compare (Atomic.get log.stopped) in
    tell log ~over ~cancelled:(List.length stopped) n answer

(* Each board with the first rows filled is a fiber of one scope; the answer
   cancels the scope. *)
let by_fibers ~n ~cutoff:rows =
  let all = Queens.full n in
  let rec boards rows board =
    if rows = 0 then [ board ]
    else List.concat_map (boards (rows - 1)) (next ~all board)
  in
  fun () ->
    let log = log () and answer = Atomic.make None in
    let made = ref 0 and ended = Atomic.make 0 in
    let fiber scope board () =
      (match watched log (fun () -> rest ~all board) with
      | Some _ as solution ->
          if Atomic.compare_and_set answer None solution then Scope.cancel scope
      | None -> ());
      Atomic.incr ended
    in
    let spawn scope board =
      incr made;
      Sched.Stealing.spawn (fiber scope board)
    in
    (try Scope.run (fun s -> List.iter (spawn s) (boards rows empty))
     with Dromos.Cancelled -> ());
    let over = Usage.now () in
    let cancelled = !made - Atomic.get ended in
    tell log ~over ~cancelled n (Atomic.get answer)

let contestant name about job =
  let start ~workers =
    let inside ~n ~cutoff =
      let body = job ~n ~cutoff in
      fun () -> Dromos.run ~workers (fun () -> Sched.Stealing.run body)
    in
    { Contestant.jobs = [ ("queens_por", inside) ]; probes = []; stop = ignore }
  in
  { Contestant.name; about; parallel = true; start }

let contestants =
  [
    contestant "por" "Speculate.first of all places of the first rows" by_por;
    contestant "por-fibers" "a fiber for each board of so many rows, one scope"
      by_fibers;
  ]
