open Engine

(* Calls [change at counts] whenever the number of runnable threads of some core
   is about to change; [counts] is the same array each time. *)
let over_time ~cores r change =
  let counts = Array.make cores 0 in
  let core_of = Array.make (Array.length r.names) (-1) in
  let add c n = if c >= 0 then counts.(c) <- counts.(c) + n in
  let goes thread core at =
    change at counts;
    add core_of.(thread) (-1);
    core_of.(thread) <- core;
    add core 1
  in
  List.iter
    (function
      | Placed { thread; core; at } -> goes thread core at
      | Stolen { thread; to_core; at; _ } -> goes thread to_core at
      | Left { thread; at; _ } -> goes thread (-1) at
      | Ran _ | Woke _ | Requeued _ | Began _ | Balanced _ -> ())
    r.happenings;
  change r.finished counts

(* Calls [hold ~from ~until counts] for each time in which nothing changed, which
   is never empty. *)
let over_spans ~cores r hold =
  let last = ref 0. in
  over_time ~cores r (fun at counts ->
      if at > !last then begin
        hold ~from:!last ~until:at counts;
        last := at
      end)

let levels ~cores r =
  let points = Array.make cores [] in
  over_spans ~cores r (fun ~from ~until:_ counts ->
      Array.iteri
        (fun c n ->
          match points.(c) with
          | (_, before) :: _ when before = n -> ()
          | all -> points.(c) <- (from, n) :: all)
        counts);
  Array.map List.rev points

(* {1 Runs} *)

type run = {
  on : int;
  thread : int;
  moved : bool;
  since : float;
  stopped : float;
}

let runs ~cores r =
  let before = Array.make (Array.length r.names) (-1) in
  let last = Array.make cores None and found = ref [] in
  let ends c = Option.iter (fun run -> found := run :: !found) last.(c) in
  List.iter
    (function
      | Ran { core; thread; from; until } -> (
          let moved = before.(thread) >= 0 && before.(thread) <> core in
          before.(thread) <- core;
          match last.(core) with
          | Some run when run.thread = thread && run.stopped = from ->
              last.(core) <- Some { run with stopped = until }
          | Some _ | None ->
              ends core;
              last.(core) <-
                Some { on = core; thread; moved; since = from; stopped = until }
          )
      | Woke _ | Requeued _ | Began _ | Placed _ | Stolen _ | Left _
      | Balanced _ ->
          ())
    r.happenings;
  Array.iteri (fun c _ -> ends c) last;
  List.rev !found

(* {1 Waste} *)

type waste = {
  core : int;
  from : float;
  until : float;
  overloaded : int;
  threads : int;
}

(* The core with most threads, the first of them. *)
let fullest counts =
  let best = ref 0 in
  Array.iteri (fun c n -> if n > counts.(!best) then best := c) counts;
  !best

let wastes ~cores r =
  let under_way = Array.make cores None and found = ref [] in
  let ends c =
    Option.iter (fun w -> found := w :: !found) under_way.(c);
    under_way.(c) <- None
  in
  over_spans ~cores r (fun ~from ~until counts ->
      let overloaded = fullest counts in
      let threads = counts.(overloaded) in
      Array.iteri
        (fun core n ->
          if n > 0 || threads < 2 then ends core
          else
            under_way.(core) <-
              (match under_way.(core) with
              | None -> Some { core; from; until; overloaded; threads }
              | Some w when threads > w.threads ->
                  Some { w with until; overloaded; threads }
              | Some w -> Some { w with until }))
        counts);
  Array.iteri (fun c _ -> ends c) under_way;
  let by_time a b =
    match Float.compare a.from b.from with
    | 0 -> Int.compare a.core b.core
    | order -> order
  in
  List.sort by_time !found

type totals = { idle_beside : float; usable : float; at_all : float }

let totals ~cores r =
  let sum = ref { idle_beside = 0.; usable = 0.; at_all = 0. } in
  over_spans ~cores r (fun ~from ~until counts ->
      let idle = ref 0 and spare = ref 0 in
      Array.iter
        (fun n -> if n = 0 then incr idle else spare := !spare + n - 1)
        counts;
      if !idle > 0 && !spare > 0 then
        let span = until -. from in
        sum :=
          {
            idle_beside = !sum.idle_beside +. (float !idle *. span);
            usable = !sum.usable +. (float (Int.min !idle !spare) *. span);
            at_all = !sum.at_all +. span;
          });
  !sum
