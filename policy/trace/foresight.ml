open Threads

type place = Sleeps | Ready_on of int

type t = {
  woken : bool;
  by_waking : bool;
  at_first : place array;
  runs_at_first : int array;
  enters : bool array;
  loses : bool array;
  missing : int;
  stays : bool array;
}

(* Linux does not always record the switch from the idle thread. The thread seen
   next on the CPU then began to run when it was woken there. *)
let enters (trace : Trace.t) known =
  let enters = Array.make (Array.length trace.events) false in
  let next = Array.make trace.cpus unknown in
  for i = Array.length trace.events - 1 downto 0 do
    let e = trace.events.(i) in
    let comes onto =
      let thread = known.subject.(i) in
      enters.(i) <- thread >= 0 && next.(onto) = thread
    in
    (match e.what with
    | Wakeup { onto; _ } | Waking { onto; _ } | Migrate { onto; _ } ->
        comes onto
    | Switch _ | Fork _ | Exit _ | Lost _ -> ());
    if known.observed.(i) <> unknown then next.(e.cpu) <- known.observed.(i)
  done;
  enters

type losses = { after : bool array; runs_at_first : int array; missing : int }

(* Events are missing where the recorder says so, and where a CPU runs a
   different thread than before without a switch. Recorders start one CPU after
   the other. So a thread that was seen elsewhere before its first event on a
   CPU has not run on that CPU from the beginning. *)
let losses (trace : Trace.t) known enters =
  let after = Array.make (Array.length trace.events) false in
  let of_cpus x = Array.make trace.cpus x in
  let first = of_cpus unknown and last = of_cpus (-1) in
  let runs = of_cpus unknown and entered = of_cpus unknown in
  let known_from_first = of_cpus trace.begun and missing = ref 0 in
  let seen = Array.make (Array.length known.names) false in
  let sees thread = if thread >= 0 then seen.(thread) <- true in
  let observes cpu thread =
    if runs.(cpu) = unknown then begin
      let elsewhere = thread >= 0 && seen.(thread) in
      if last.(cpu) < 0 && known_from_first.(cpu) && not elsewhere then
        first.(cpu) <- thread
    end
    else if runs.(cpu) <> thread then begin
      incr missing;
      if runs.(cpu) <> idle || entered.(cpu) <> thread then
        after.(last.(cpu)) <- true
    end;
    runs.(cpu) <- thread;
    entered.(cpu) <- unknown
  in
  Array.iteri
    (fun i (e : Trace.event) ->
      let cpu = e.cpu in
      match e.what with
      | Lost _ ->
          if last.(cpu) >= 0 then after.(last.(cpu)) <- true
          else known_from_first.(cpu) <- false;
          runs.(cpu) <- unknown
      | what -> (
          let observed = known.observed.(i) in
          if observed <> unknown then begin
            observes cpu observed;
            last.(cpu) <- i
          end;
          List.iter sees [ observed; known.subject.(i); known.next.(i) ];
          match what with
          | Switch _ -> runs.(cpu) <- known.next.(i)
          | Wakeup { onto; _ } | Waking { onto; _ } | Migrate { onto; _ } ->
              if enters.(i) then entered.(onto) <- known.subject.(i)
          | Fork _ | Exit _ | Lost _ -> ()))
    trace.events;
  { after; runs_at_first = first; missing = !missing }

(* The place of each thread before its first event. *)
let at_first (trace : Trace.t) known ~woken ~is_wakeup =
  let n = Array.length known.names in
  let place = Array.make n Sleeps and decided = Array.make n false in
  let moved_from = Array.make n (-1) in
  let decide thread found =
    if thread >= 0 && not decided.(thread) then begin
      decided.(thread) <- true;
      place.(thread) <- found
    end
  in
  Array.iteri
    (fun i (e : Trace.event) ->
      let subject = known.subject.(i) in
      match e.what with
      | Migrate { from; _ } ->
          if subject >= 0 && moved_from.(subject) < 0 then
            moved_from.(subject) <- from
      | Switch _ ->
          decide subject Sleeps;
          let next = known.next.(i) in
          if next >= 0 then
            decide next
              (if not (woken && trace.begun) then Sleeps
               else if moved_from.(next) >= 0 then Ready_on moved_from.(next)
               else Ready_on e.cpu)
      | Wakeup _ | Waking _ -> if is_wakeup e.what then decide subject Sleeps
      | Fork _ | Exit _ -> decide subject Sleeps
      | Lost _ -> ())
    trace.events;
  place

(* A wake-up may begin before the thread has left its CPU. Then the thread is
   ready although it left to sleep: it runs again without a second wake-up. *)
let stays (trace : Trace.t) known ~by_waking =
  let n = Array.length known.names in
  let stays = Array.make (Array.length trace.events) false in
  let running = Array.make n false and hit = Array.make n false in
  let left = Array.make n (-1) in
  if by_waking then
    Array.iteri
      (fun i (e : Trace.event) ->
        let subject = known.subject.(i) in
        match e.what with
        | Waking _ when subject >= 0 ->
            if running.(subject) then hit.(subject) <- true
            else left.(subject) <- -1
        | Switch { ready; _ } ->
            if subject >= 0 then begin
              if hit.(subject) && not ready then left.(subject) <- i;
              running.(subject) <- false
            end;
            let next = known.next.(i) in
            if next >= 0 then begin
              if left.(next) >= 0 then stays.(left.(next)) <- true;
              left.(next) <- -1;
              hit.(next) <- false;
              running.(next) <- true
            end
        | _ -> ())
      trace.events;
  stays

let of_trace (trace : Trace.t) known =
  let some f = Array.exists (fun (e : Trace.event) -> f e.what) trace.events in
  let wakeups = some (function Wakeup w -> not w.fresh | _ -> false) in
  let wakings = some (function Waking _ -> true | _ -> false) in
  let by_waking = wakings && not wakeups in
  let woken = wakeups || wakings in
  let is_wakeup : Trace.what -> bool = function
    | Wakeup _ -> true
    | Waking _ -> by_waking
    | Switch _ | Migrate _ | Fork _ | Exit _ | Lost _ -> false
  in
  let enters = enters trace known in
  let losses = losses trace known enters in
  {
    woken;
    by_waking;
    at_first = at_first trace known ~woken ~is_wakeup;
    runs_at_first = losses.runs_at_first;
    enters;
    loses = losses.after;
    missing = losses.missing;
    stays = stays trace known ~by_waking;
  }
