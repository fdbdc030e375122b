open Dromos_policy_simulate
open Engine
open Threads

type t = {
  result : Engine.result;
  threads : int;
  cores : int;
  begins : float;
  woken : bool;
  missing : int;
}

let not_known = "not known"

type state = Asleep | Ready | Running

type walk = {
  seen : Foresight.t;
  from : float;
  total : int; (* the number of threads *)
  state : state array; (* by thread *)
  on : int array; (* by thread: the last CPU *)
  running : int array; (* by CPU: a thread, idle or unknown *)
  since : float array; (* by CPU: the time at which the present run began *)
  last : float array; (* by CPU: the time of the last event *)
  counted : int array; (* by CPU: the number of runnable threads *)
  stands_in : bool array; (* by CPU: a stand-in counts for what is not known *)
  placing : int array;
      (* by CPU: the thread whose wake-up has just begun there *)
  computed : float array;
  mutable now : float;
  mutable told : bool; (* the requested time has begun *)
  mutable happened : happening list;
}

let tell w happening = if w.told then w.happened <- happening :: w.happened
let at w = w.now -. w.from

(* A CPU in an unknown state counts as having one thread, unless more are
   known. *)
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

(* Ends the present run on the CPU. *)
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

(* The thread is to run on the CPU, and comes to the CPU if not known to be
   there. If the thread was thought to run on a second CPU, the state of the
   second becomes unknown. *)
let brings w thread cpu =
  if w.state.(thread) = Running && w.on.(thread) <> cpu then begin
    let before = w.on.(thread) in
    stops w before ~until:w.last.(before);
    sets w before unknown;
    place w thread cpu
  end
  else if w.state.(thread) = Asleep || w.on.(thread) <> cpu then
    place w thread cpu

(* The thread is seen to have run on the CPU. The beginning of the run is not
   known, so the wait before the run does not count. *)
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

(* The same as [finds] for an idle CPU that has just got the thread. *)
let enters w i thread cpu =
  if w.seen.enters.(i) && w.running.(cpu) = idle then finds w cpu thread

let wakes w i thread cpu =
  if thread >= 0 && w.state.(thread) = Asleep then begin
    tell w (Woke { thread; at = at w });
    place w thread cpu;
    w.state.(thread) <- Ready;
    enters w i thread cpu
  end

(* The CPU on which a wake-up begins chooses the destination. *)
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

(* Tells the state at the beginning of the requested time: threads stand on
   CPUs, without a wake-up. *)
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
    (fun thread (place : Foresight.place) ->
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
  let known = Threads.of_trace trace in
  let seen = Foresight.of_trace trace known in
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
