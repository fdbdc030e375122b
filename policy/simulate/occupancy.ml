open Engine

(* The places of threads; each call gets the same arrays. *)
type now = {
  counts : int array; (* by core: the number of its runnable threads *)
  core_of : int array; (* by thread: its core, or -1 *)
  latest : int array; (* by core: the last thread that began to run there *)
}

(* Calls [change at now] before each change of the number of runnable threads of
   a core. With an affinity, also before each change of the running thread. *)
let over_time ~cores r change =
  let counts = Array.make cores 0 and latest = Array.make cores (-1) in
  let core_of = Array.make (Array.length r.names) (-1) in
  let now = { counts; core_of; latest } in
  let add c n = if c >= 0 then counts.(c) <- counts.(c) + n in
  let goes thread core at =
    change at now;
    add core_of.(thread) (-1);
    core_of.(thread) <- core;
    add core 1
  in
  List.iter
    (function
      | Placed { thread; core; at } -> goes thread core at
      | Stolen { thread; to_core; at; _ } -> goes thread to_core at
      | Left { thread; at; _ } -> goes thread (-1) at
      | Began { thread; core; at } when r.may_run <> None ->
          change at now;
          latest.(core) <- thread
      | Ran _ | Woke _ | Requeued _ | Began _ | Balanced _ -> ())
    r.happenings;
  change r.finished now

(* Calls [hold ~from ~until now] for each time without a change; the time is
   never empty. *)
let over_spans ~cores r hold =
  let last = ref 0. in
  over_time ~cores r (fun at now ->
      if at > !last then begin
        hold ~from:!last ~until:at now;
        last := at
      end)

let levels ~cores r =
  let points = Array.make cores [] in
  over_spans ~cores r (fun ~from ~until:_ { counts; _ } ->
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

(* The first core with the most threads, among the cores for which [has] is
   true. *)
let most_of counts has =
  let best = ref None in
  Array.iteri
    (fun c n ->
      let more = match !best with None -> n > 1 | Some b -> n > counts.(b) in
      if more && has c then best := Some c)
    counts;
  !best

(* True if the thread waits on a core with two threads or more, and may run on
   this core. *)
let waits_for may now core thread =
  let c = now.core_of.(thread) in
  c >= 0 && now.counts.(c) > 1 && now.latest.(c) <> thread && may ~thread ~core

(* For each idle core, the core with the most threads that has a thread for it.
   Without an affinity the result is the same for all idle cores, and is
   computed once. *)
let fullest r now =
  match r.may_run with
  | None ->
      let best = most_of now.counts (fun _ -> true) in
      fun _ -> best
  | Some may ->
      let threads = List.init (Array.length now.core_of) Fun.id in
      fun core ->
        most_of now.counts (fun c ->
            List.exists
              (fun t -> now.core_of.(t) = c && waits_for may now core t)
              threads)

(* The number of idle cores that could be given one thread each. With an
   affinity the number is a lower bound, since a given thread is never exchanged
   for another. *)
let could_be_given r now =
  let idle = ref 0 and spare = ref 0 in
  Array.iter
    (fun n -> if n > 0 then spare := !spare + n - 1 else incr idle)
    now.counts;
  let most = Int.min !idle !spare in
  match r.may_run with
  | None -> most
  | Some may ->
      let given = Array.make (Array.length now.core_of) false in
      let threads = List.init (Array.length given) Fun.id in
      let gets core =
        match
          List.find_opt
            (fun t -> (not given.(t)) && waits_for may now core t)
            threads
        with
        | Some t ->
            given.(t) <- true;
            true
        | None -> false
      in
      let got = ref 0 in
      Array.iteri (fun core n -> if n = 0 && gets core then incr got) now.counts;
      Int.min most !got

let wastes ~cores r =
  let under_way = Array.make cores None and found = ref [] in
  let ends c =
    Option.iter (fun w -> found := w :: !found) under_way.(c);
    under_way.(c) <- None
  in
  let wastes_beside ~from ~until now core overloaded =
    let threads = now.counts.(overloaded) in
    under_way.(core) <-
      (match under_way.(core) with
      | None -> Some { core; from; until; overloaded; threads }
      | Some w when threads > w.threads ->
          Some { w with until; overloaded; threads }
      | Some w -> Some { w with until })
  in
  over_spans ~cores r (fun ~from ~until now ->
      let fullest = fullest r now in
      Array.iteri
        (fun core n ->
          match if n > 0 then None else fullest core with
          | None -> ends core
          | Some overloaded -> wastes_beside ~from ~until now core overloaded)
        now.counts);
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
  over_spans ~cores r (fun ~from ~until now ->
      let idle = ref 0 and fullest = fullest r now in
      Array.iteri
        (fun c n -> if n = 0 && fullest c <> None then incr idle)
        now.counts;
      if !idle > 0 then
        let span = until -. from in
        sum :=
          {
            idle_beside = !sum.idle_beside +. (float !idle *. span);
            usable = !sum.usable +. (float (could_be_given r now) *. span);
            at_all = !sum.at_all +. span;
          });
  !sum
