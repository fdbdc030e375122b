open Dromos_policy_simulate
open Engine

type t = {
  result : Engine.result;
  threads : int;
  cores : int;
  begins : float;
  woken : bool;
  missing : int;
}

let not_known = "not known"

(* {1 Which threads there are}

   Pids are given to other threads after a thread has ended, so threads have numbers
   of their own. The idle threads, pid 0, are -1. *)

type threads = {
  subject : int array; (* of each event; of a switch: who runs no more *)
  next : int array; (* of a switch *)
  observed : int array; (* who ran on its CPU until then *)
  names : string array;
}

let idle = -1
let unknown = -2

(* Who runs where an event comes from is said by it too, under a pid that may be one
   of another name space: switches show if it is. *)
let currents_hold (trace : Trace.t) =
  let wrong = ref 0 and all = ref 0 in
  Array.iter
    (fun (e : Trace.event) ->
      match e.what with
      | Switch { prev; _ } ->
          incr all;
          if e.current >= 0 && e.current <> prev.pid then incr wrong
      | Wakeup _ | Waking _ | Migrate _ | Fork _ | Exit _ | Lost _ -> ())
    trace.events;
  !wrong * 100 <= !all

let threads (trace : Trace.t) =
  let n = Array.length trace.events in
  let subject = Array.make n idle and next = Array.make n idle in
  let observed = Array.make n unknown in
  let currents_hold = currents_hold trace in
  let known = Hashtbl.create 256 and ended = Hashtbl.create 64 in
  let names = Hashtbl.create 256 and count = ref 0 in
  let number ~fresh pid =
    match Hashtbl.find_opt known pid with
    | Some i when not (fresh && Hashtbl.mem ended pid) -> i
    | Some _ | None ->
        let i = !count in
        incr count;
        Hashtbl.replace known pid i;
        Hashtbl.remove ended pid;
        let comm =
          Option.value (Hashtbl.find_opt trace.names pid) ~default:""
        in
        Hashtbl.replace names i { Trace.pid; comm };
        i
  in
  let find ?(fresh = false) (task : Trace.task) =
    if task.pid = 0 then idle
    else begin
      let i = number ~fresh task.pid in
      Hashtbl.replace names i task;
      i
    end
  in
  Array.iteri
    (fun i (e : Trace.event) ->
      if currents_hold && e.current >= 0 then
        observed.(i) <-
          (if e.current = 0 then idle else number ~fresh:false e.current);
      match e.what with
      | Switch s ->
          subject.(i) <- find s.prev;
          observed.(i) <- subject.(i);
          next.(i) <- find s.next;
          if s.dead then Hashtbl.replace ended s.prev.pid ()
      | Wakeup { task; fresh; _ } -> subject.(i) <- find ~fresh task
      | Fork task -> subject.(i) <- find ~fresh:true task
      | Exit task ->
          subject.(i) <- find task;
          Hashtbl.replace ended task.pid ()
      | Waking { task; _ } | Migrate { task; _ } -> subject.(i) <- find task
      | Lost _ -> ())
    trace.events;
  let name i =
    let task = Hashtbl.find names i in
    Printf.sprintf "%s[%d]" task.Trace.comm task.pid
  in
  { subject; next; observed; names = Array.init !count name }

(* {1 What is found out from later events} *)

type place = Sleeps | Ready_on of int

type foresight = {
  woken : bool;
  by_waking : bool; (* wake-ups are those that only begin *)
  at_first : place array; (* of a thread *)
  runs_at_first : int array; (* of a CPU *)
  enters : bool array; (* after this event its thread runs, without a switch *)
  loses : bool array; (* after this event nothing is known of its CPU *)
  missing : int; (* switches that are not there, as later events show *)
  stays : bool array; (* a switch after which the thread is ready *)
}

(* Linux does not always record the switch from the idle thread. The thread that is
   seen next then began to run when it was woken up there. *)
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

(* Events are missing where the recorder says so, and where a CPU runs something
   else than before without a switch. Recorders begin with one CPU after the other:
   what a CPU is seen to run first, after it was somewhere else, it has not run from
   the beginning on. *)
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

(* Where each thread was before its first event. *)
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

(* A wake-up may begin before the thread has left its CPU. It is ready then although
   it left to sleep: it runs again without having been woken another time. *)
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

let foresee (trace : Trace.t) known =
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

(* {1 What happens} *)

type state = Asleep | Ready | Running

type walk = {
  seen : foresight;
  from : float;
  total : int; (* threads *)
  state : state array; (* of a thread *)
  on : int array; (* of a thread: its last CPU *)
  running : int array; (* of a CPU: a thread, idle or unknown *)
  since : float array; (* of a CPU: it runs what it runs *)
  last : float array; (* of a CPU: its last event *)
  counted : int array; (* of a CPU: its runnable threads *)
  stands_in : bool array; (* of a CPU: for what is not known *)
  placing : int array; (* of a CPU: whose wake-up began there just now *)
  computed : float array;
  mutable now : float;
  mutable told : bool; (* the time asked for has begun *)
  mutable happened : happening list;
}

let tell w happening = if w.told then w.happened <- happening :: w.happened
let at w = w.now -. w.from

(* A CPU of which nothing is known counts as having one, unless it is known to have
   more. *)
let count w cpu n =
  w.counted.(cpu) <- w.counted.(cpu) + n;
  let wanted = w.running.(cpu) = unknown && w.counted.(cpu) = 0 in
  if wanted <> w.stands_in.(cpu) then begin
    w.stands_in.(cpu) <- wanted;
    let thread = w.total + cpu in
    tell w
      (if wanted then Placed { thread; core = cpu; at = at w }
       else Left { thread; at = at w; ended = false })
  end

let ran w cpu thread until =
  let from = Float.max 0. (w.since.(cpu) -. w.from)
  and until = until -. w.from in
  if until > from then begin
    tell w (Ran { core = cpu; thread; from; until });
    if w.told && thread < w.total then
      w.computed.(thread) <- w.computed.(thread) +. until -. from
  end

(* What ran there is over. *)
let stops ?until w cpu =
  let until = Option.value until ~default:w.now in
  let thread = w.running.(cpu) in
  if thread = unknown then ran w cpu (w.total + cpu) until
  else if thread >= 0 then ran w cpu thread until;
  w.since.(cpu) <- until

let sets w cpu thread =
  w.running.(cpu) <- thread;
  count w cpu 0

let place w thread cpu =
  tell w (Placed { thread; core = cpu; at = at w });
  if w.state.(thread) <> Asleep then count w w.on.(thread) (-1);
  w.on.(thread) <- cpu;
  count w cpu 1

let leaves w thread ~ended =
  tell w (Left { thread; at = at w; ended });
  if w.state.(thread) <> Asleep then count w w.on.(thread) (-1);
  w.state.(thread) <- Asleep

let forgets w cpu =
  if w.running.(cpu) <> unknown then begin
    let thread = w.running.(cpu) in
    stops w cpu;
    sets w cpu unknown;
    if thread >= 0 then leaves w thread ~ended:false
  end;
  Array.iteri
    (fun thread state ->
      if state = Ready && w.on.(thread) = cpu then leaves w thread ~ended:false)
    w.state

(* A thread that is to run on a CPU and is not known to be there comes to it; if it
   was thought to run elsewhere, nothing is known of that place any more. *)
let brings w thread cpu =
  if w.state.(thread) = Running && w.on.(thread) <> cpu then begin
    let before = w.on.(thread) in
    stops w before ~until:w.last.(before);
    sets w before unknown;
    place w thread cpu
  end
  else if w.state.(thread) = Asleep || w.on.(thread) <> cpu then
    place w thread cpu

(* It is seen to have run there, since it is not known when: so its wait does not
   count. *)
let finds w cpu thread =
  stops w cpu;
  let before = w.running.(cpu) in
  if thread >= 0 then begin
    if w.state.(thread) = Ready then leaves w thread ~ended:false;
    brings w thread cpu;
    w.state.(thread) <- Running
  end;
  sets w cpu thread;
  if before >= 0 && before <> thread then leaves w before ~ended:false

let becomes_known w cpu observed =
  if observed <> unknown && w.running.(cpu) <> observed then
    finds w cpu observed

let switches w i cpu prev ~ready ~dead next =
  stops w cpu;
  w.running.(cpu) <- idle;
  if prev >= 0 then
    if (ready || w.seen.stays.(i)) && not dead then begin
      tell w (Requeued { thread = prev; core = cpu; at = at w });
      w.state.(prev) <- Ready
    end
    else leaves w prev ~ended:dead;
  if next >= 0 then begin
    brings w next cpu;
    w.state.(next) <- Running;
    tell w (Began { thread = next; core = cpu; at = at w })
  end;
  sets w cpu next

(* As [finds], but of an idle CPU that has just been given the thread. *)
let enters w i thread cpu =
  if w.seen.enters.(i) && w.running.(cpu) = idle then finds w cpu thread

let wakes w i thread cpu =
  if thread >= 0 && w.state.(thread) = Asleep then begin
    tell w (Woke { thread; at = at w });
    place w thread cpu;
    w.state.(thread) <- Ready;
    enters w i thread cpu
  end

(* The CPU on which a wake-up begins chooses where to. *)
let moves w i thread ~chosen onto =
  if thread >= 0 && w.state.(thread) = Ready && w.on.(thread) <> onto then begin
    if chosen then place w thread onto
    else begin
      let from_core = w.on.(thread) in
      tell w (Stolen { thread; from_core; to_core = onto; at = at w });
      count w from_core (-1);
      w.on.(thread) <- onto;
      count w onto 1
    end;
    enters w i thread onto
  end

let event w known i (e : Trace.event) =
  let subject = known.subject.(i) in
  let cpu = e.cpu in
  becomes_known w cpu known.observed.(i);
  let placing = w.placing.(cpu) in
  w.placing.(cpu) <- idle;
  (match e.what with
  | Switch { ready; dead; _ } ->
      switches w i cpu subject ~ready ~dead known.next.(i)
  | Wakeup { onto; _ } -> wakes w i subject onto
  | Waking { onto; _ } ->
      if w.seen.by_waking then begin
        wakes w i subject onto;
        w.placing.(cpu) <- subject
      end
  | Migrate { onto; _ } -> moves w i subject ~chosen:(placing = subject) onto
  | Fork _ | Exit _ | Lost _ -> ());
  match e.what with
  | Lost _ -> ()
  | _ ->
      w.last.(cpu) <- w.now;
      if w.seen.loses.(i) then forgets w cpu

(* How it is when the time asked for begins: nobody has just been woken. *)
let tells_all w =
  w.told <- true;
  w.now <- w.from;
  Array.iteri
    (fun thread state ->
      if state <> Asleep then
        tell w (Placed { thread; core = w.on.(thread); at = 0. }))
    w.state;
  Array.iteri
    (fun cpu stands_in ->
      if stands_in then
        tell w (Placed { thread = w.total + cpu; core = cpu; at = 0. }))
    w.stands_in

let starts w =
  Array.iteri
    (fun thread (place : place) ->
      match place with
      | Sleeps -> ()
      | Ready_on cpu ->
          w.state.(thread) <- Ready;
          w.on.(thread) <- cpu;
          w.counted.(cpu) <- w.counted.(cpu) + 1)
    w.seen.at_first;
  Array.iteri
    (fun cpu thread ->
      w.running.(cpu) <- thread;
      if thread >= 0 then begin
        if w.state.(thread) = Ready then
          w.counted.(w.on.(thread)) <- w.counted.(w.on.(thread)) - 1;
        w.state.(thread) <- Running;
        w.on.(thread) <- cpu;
        w.counted.(cpu) <- w.counted.(cpu) + 1
      end;
      count w cpu 0)
    w.seen.runs_at_first

let walk (trace : Trace.t) known seen ~from ~until =
  let total = Array.length known.names in
  let of_threads x = Array.make total x
  and of_cpus x = Array.make trace.cpus x in
  let origin = trace.events.(0).at in
  let w =
    {
      seen;
      from;
      total;
      state = of_threads Asleep;
      on = of_threads (-1);
      running = of_cpus idle;
      since = of_cpus 0.;
      last = of_cpus 0.;
      counted = of_cpus 0;
      stands_in = of_cpus false;
      placing = of_cpus idle;
      computed = Array.make (total + trace.cpus) 0.;
      now = 0.;
      told = false;
      happened = [];
    }
  in
  starts w;
  let rec go i =
    if i < Array.length trace.events then begin
      let e = trace.events.(i) in
      let now = float (e.at - origin) /. 1e3 in
      if now <= until then begin
        if now >= from && not w.told then tells_all w;
        w.now <- now;
        event w known i e;
        go (i + 1)
      end
    end
  in
  go 0;
  if not w.told then tells_all w;
  w.now <- until;
  Array.iteri (fun cpu _ -> stops w cpu) w.running;
  w

let of_trace ?(from = 0.) ?(until = infinity) (trace : Trace.t) =
  let n = Array.length trace.events in
  if n = 0 then invalid_arg "Schedule.of_trace: no events";
  let lasts = float (trace.events.(n - 1).at - trace.events.(0).at) /. 1e3 in
  let from = Float.min lasts (Float.max 0. from) in
  let until = Float.max from (Float.min lasts until) in
  let known = threads trace in
  let seen = foresee trace known in
  let w = walk trace known seen ~from ~until in
  let names = Array.append known.names (Array.make trace.cpus not_known) in
  {
    result =
      {
        names;
        happenings = List.rev w.happened;
        finished = until -. from;
        computed = w.computed;
        may_run = None;
        stuck = None;
      };
    threads = w.total;
    cores = trace.cpus;
    begins = from;
    woken = seen.woken;
    missing = seen.missing;
  }
