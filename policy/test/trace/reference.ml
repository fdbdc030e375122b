(* A random schedule, as events and as states. Its results are computed from the
   states alone, moment by moment, and must agree with the results of the
   events. *)

open Dromos_policy_trace
open Trace

type state = Asleep | Ready of int | Running of int

(* A moment after each event: the time, the places of threads, and the thread's
   act. *)
type did = Nothing | Woken of int | Preempted of int | Began of int | Moved
type moment = { at : int; states : state array; dids : did list }
type t = { cores : int; events : event list; moments : moment list }

let task comms thread =
  if thread < 0 then { pid = 0; comm = "swapper" }
  else { pid = 100 + thread; comm = comms.(thread) }

type made = {
  comms : string array;
  count : int;
  state : state array;
  runs : int array; (* of a core: a thread or -1 *)
  quiet : bool array; (* of a core: has had no event *)
  hidden : bool array; (* of a thread: was ready at first, and has not run *)
  mutable now : int;
  mutable said : event list;
  mutable moments : moment list;
}

let pick random list =
  List.nth list (Random.State.int random (List.length list))

let threads m f =
  List.filter (fun i -> f m.state.(i)) (List.init (Array.length m.state) Fun.id)

let says m cpu what dids =
  let current = (task m.comms m.runs.(cpu)).pid in
  m.quiet.(cpu) <- false;
  m.said <- { at = m.now; cpu; current; what } :: m.said;
  dids ()

let moment m dids =
  m.moments <- { at = m.now; states = Array.copy m.state; dids } :: m.moments

let switch m random cpu next =
  let prev = m.runs.(cpu) in
  let ready = prev >= 0 && Random.State.bool random in
  says m cpu
    (Switch
       {
         prev = task m.comms prev;
         ready = ready || prev < 0;
         dead = false;
         next = task m.comms next;
       })
  @@ fun () ->
  if prev >= 0 then m.state.(prev) <- (if ready then Ready cpu else Asleep);
  if next >= 0 then begin
    m.state.(next) <- Running cpu;
    m.hidden.(next) <- false
  end;
  m.runs.(cpu) <- next;
  moment m
    ((if ready then [ Preempted prev ] else [])
    @ if next >= 0 then [ Began next ] else [])

let wake m cpu thread onto =
  says m cpu (Wakeup { task = task m.comms thread; onto; fresh = false })
  @@ fun () ->
  m.state.(thread) <- Ready onto;
  moment m [ Woken thread ]

let migrate m cpu thread from onto =
  says m cpu (Migrate { task = task m.comms thread; from; onto }) @@ fun () ->
  m.state.(thread) <- Ready onto;
  moment m [ Moved ]

let ready_on m cpu = threads m (fun s -> s = Ready cpu)

let step m random =
  let any_core () = Random.State.int random m.count in
  m.now <- m.now + (1000 * (1 + Random.State.int random 50));
  let cpu = any_core () in
  let switches () =
    let others = ready_on m cpu in
    if others <> [] then switch m random cpu (pick random others)
    else if m.runs.(cpu) >= 0 then switch m random cpu (-1)
  in
  match Random.State.int random 10 with
  | 0 | 1 | 2 | 3 -> (
      match threads m (( = ) Asleep) with
      | [] -> switches ()
      | asleep -> wake m cpu (pick random asleep) (any_core ()))
  | 4 -> (
      let from = any_core () and onto = any_core () in
      match ready_on m from with
      | _ :: _ as there when from <> onto ->
          migrate m cpu (pick random there) from onto
      | _ -> switches ())
  | _ -> switches ()

(* Makes events that show the first state completely: each core gets an event,
   and threads that were ready run. *)
let shows_all m random =
  let later () = m.now <- m.now + 1000 in
  Array.iteri
    (fun thread hidden ->
      match m.state.(thread) with
      | Ready cpu when hidden ->
          later ();
          switch m random cpu thread
      | Ready _ | Running _ | Asleep -> ())
    (Array.copy m.hidden);
  Array.iteri
    (fun cpu quiet ->
      if quiet then begin
        later ();
        match (m.runs.(cpu), threads m (( = ) Asleep)) with
        | running, _ when running >= 0 -> switch m random cpu (-1)
        | _, asleep :: _ -> wake m cpu asleep cpu
        | _, [] -> (
            (* If all threads are runnable one of them comes here. *)
            match threads m (function Ready _ -> true | _ -> false) with
            | thread :: _ -> (
                match m.state.(thread) with
                | Ready from when from = cpu -> switch m random cpu thread
                | Ready from -> migrate m cpu thread from cpu
                | Asleep | Running _ -> ())
            | [] -> (
                let busy = List.hd (threads m (fun _ -> true)) in
                (match m.state.(busy) with
                | Running c -> switch m random c (-1)
                | Asleep | Ready _ -> ());
                later ();
                match m.state.(busy) with
                | Asleep -> wake m cpu busy cpu
                | Ready from -> migrate m cpu busy from cpu
                | Running _ -> ()))
      end)
    (Array.copy m.quiet)

let make ~comms ~seed ~cores ~threads:n ~steps =
  let random = Random.State.make [| seed |] in
  let m =
    {
      comms;
      count = cores;
      state = Array.make n Asleep;
      runs = Array.make cores (-1);
      quiet = Array.make cores true;
      hidden = Array.make n false;
      now = 7_000_000_000;
      said = [];
      moments = [];
    }
  in
  for thread = 0 to n - 1 do
    let cpu = Random.State.int random cores in
    match Random.State.int random 3 with
    | 0 when m.runs.(cpu) < 0 ->
        m.runs.(cpu) <- thread;
        m.state.(thread) <- Running cpu
    | 1 ->
        m.state.(thread) <- Ready cpu;
        m.hidden.(thread) <- true
    | _ -> ()
  done;
  moment m [ Nothing ];
  for _ = 1 to steps do
    step m random
  done;
  shows_all m random;
  let events = List.rev m.said in
  let first = List.hd events in
  let moments =
    List.map
      (fun moment -> { moment with at = Int.max 0 (moment.at - first.at) })
      (List.rev m.moments)
  in
  { cores; events; moments }

(* {1 Results} *)

type sums = {
  mutable time : float;
  mutable idle_beside : float;
  mutable wasted : float;
  mutable wasted_while : float;
  ran : float array;
  could : float array;
  mutable woken : float list;
  mutable preempted : float list;
  mutable unfinished : float list;
  mutable migrations : int;
  mutable moved : int;
  mutable switches : int;
}

let counts cores states =
  let counts = Array.make cores 0 in
  Array.iter
    (function
      | Asleep -> () | Ready c | Running c -> counts.(c) <- counts.(c) + 1)
    states;
  counts

let lasts sums cores states dt =
  let counts = counts cores states in
  let all f = Array.fold_left (fun n c -> n + f c) 0 counts in
  let idle = all (fun c -> if c = 0 then 1 else 0)
  and spare = all (fun c -> Int.max 0 (c - 1)) in
  sums.time <- sums.time +. dt;
  if idle > 0 && spare > 0 then begin
    sums.idle_beside <- sums.idle_beside +. (float idle *. dt);
    sums.wasted <- sums.wasted +. (float (Int.min idle spare) *. dt);
    sums.wasted_while <- sums.wasted_while +. dt
  end;
  Array.iteri
    (fun thread state ->
      if state <> Asleep then sums.could.(thread) <- sums.could.(thread) +. dt;
      match state with
      | Running _ -> sums.ran.(thread) <- sums.ran.(thread) +. dt
      | Asleep | Ready _ -> ())
    states

(* Between two times, in microseconds, without an event in between. *)
let sums ~from ~until (t : t) =
  let n = Array.length (List.hd t.moments).states in
  let sums =
    {
      time = 0.;
      idle_beside = 0.;
      wasted = 0.;
      wasted_while = 0.;
      ran = Array.make n 0.;
      could = Array.make n 0.;
      woken = [];
      preempted = [];
      unfinished = [];
      migrations = 0;
      moved = 0;
      switches = 0;
    }
  in
  let since = Array.make n None and last_core = Array.make n None in
  let us at = float at /. 1e3 in
  let happens at (states : state array) = function
    | Nothing -> ()
    | Woken thread -> since.(thread) <- Some (at, true)
    | Preempted thread -> since.(thread) <- Some (at, false)
    | Moved -> sums.moved <- sums.moved + 1
    | Began thread -> (
        sums.switches <- sums.switches + 1;
        (match (states.(thread), last_core.(thread)) with
        | Running core, Some before when core <> before ->
            sums.migrations <- sums.migrations + 1
        | _ -> ());
        let waited = since.(thread) in
        since.(thread) <- None;
        match waited with
        | None -> ()
        | Some (from, true) -> sums.woken <- (at -. from) :: sums.woken
        | Some (from, false) ->
            if at > from then sums.preempted <- (at -. from) :: sums.preempted)
  in
  let on_cores (states : state array) =
    Array.iteri
      (fun thread state ->
        match state with
        | Running core -> last_core.(thread) <- Some core
        | Asleep | Ready _ -> ())
      states
  in
  let rec go = function
    | ({ at; states; dids } : moment) :: rest ->
        let at = us at in
        if at >= from && at <= until then List.iter (happens at states) dids;
        let next = match rest with [] -> until | { at; _ } :: _ -> us at in
        let a = Float.max from at and b = Float.min until next in
        if b > a then begin
          lasts sums t.cores states (b -. a);
          on_cores states
        end;
        go rest
    | [] -> ()
  in
  go t.moments;
  Array.iter
    (Option.iter (fun (at, woken) ->
         if woken || until > at then
           sums.unfinished <- (until -. at) :: sums.unfinished))
    since;
  sums
