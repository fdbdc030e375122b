open Dromos_policy_core
open Dromos_policy_semantics

type costs = {
  switch : float;
  step : float;
  migration : float;
  tick : float;
  balance : float;
}

let usual =
  { switch = 2.; step = 0.05; migration = 5.; tick = 1000.; balance = 4000. }

type happening =
  | Ran of { core : int; thread : int; from : float; until : float }
  | Woke of { thread : int; at : float }
  | Began of { thread : int; core : int; at : float }
  | Requeued of { thread : int; core : int; at : float }
  | Placed of { thread : int; core : int; at : float }
  | Stolen of { thread : int; from_core : int; to_core : int; at : float }
  | Left of { thread : int; at : float; ended : bool }
  | Balanced of { core : int; at : float; steps : int }

type result = {
  names : string array;
  happenings : happening list;
  finished : float;
  computed : float array;
  may_run : (thread:int -> core:int -> bool) option;
  stuck : string option;
}

(* {1 State} *)

type event =
  | Done of int * int
    (* the core and its stamp: the thread of the core has finished its
       computation *)
  | Wake of int
  | Start of Workload.thread
  | Tick of int
  | Balance

(* Events are ordered by time, then by arrival. *)
module Agenda = Map.Make (struct
  type t = float * int

  let compare (a, i) (b, j) =
    match Float.compare a b with 0 -> Int.compare i j | order -> order
end)

type thread = {
  id : int;
  name : string;
  parent : int;
  mutable rest : Workload.action Seq.t;
  mutable left : float; (* the rest of the present computation *)
  mutable children : int;
  mutable joining : bool;
  mutable on : int; (* the last core of the thread, or -1 *)
  mutable asleep : float;
      (* asleep: the time at which the sleep began. Awake: minus the part of a
         tick slept so far and not yet counted in sleep_time *)
  mutable over : bool;
}

type core = {
  mutable runs : int; (* a thread, or -1 *)
  mutable since : float; (* the start of the computation, after the switch *)
  mutable stamp : int; (* the stamp of the valid [Done] *)
  mutable ticking : bool;
  mutable asleep : bool;
      (* the core found no thread to run, and has run none since *)
}

type t = {
  costs : costs;
  watch :
    Core.event -> self:int -> target:int -> waker:int -> Machine.state -> unit;
  machine : Machine.t;
  state : Machine.state;
  policy : Core.policy;
  cores : core array;
  threads : thread option array;
  settings : Core.attribute list;
  asked : Core.attribute list;
      (* the attributes of the system that the policy reads *)
  chance : Random.State.t;
  draw : int -> int; (* draws for [any] *)
  mutable count : int; (* the number of threads started so far *)
  mutable live : int;
  mutable now : float;
  mutable agenda : event Agenda.t;
  mutable events : int;
  mutable log : happening list; (* the last one first *)
  barriers : (int, int) Hashtbl.t; (* the number of parties *)
  at_barrier : (int, int list) Hashtbl.t;
  locks : (int, int Queue.t) Hashtbl.t;
      (* held locks, each with the waiting threads *)
  computed : float array;
}

let note t happening = t.log <- happening :: t.log
let thread t i = Option.get t.threads.(i)

let at t time event =
  t.events <- t.events + 1;
  t.agenda <- Agenda.add (time, t.events) event t.agenda

(* {1 Handlers} *)

let running t c = Option.value (Look.current t.machine t.state c) ~default:(-1)

let where t i =
  match Look.place t.machine t.state i with
  | `At (core, _) -> core
  | `New | `Moving -> -1

(* Counts the time on a core until now for the thread that ran there. *)
let account t c =
  let core = t.cores.(c) in
  if core.runs >= 0 && t.now > core.since then begin
    let ran = t.now -. core.since in
    let thread = thread t core.runs in
    thread.left <- Float.max 0. (thread.left -. ran);
    t.computed.(thread.id) <- t.computed.(thread.id) +. ran;
    note t
      (Ran { core = c; thread = thread.id; from = core.since; until = t.now });
    core.since <- t.now
  end

(* Sets the attributes that only the system knows, before a handler begins. *)
let tell t =
  let say (a : Core.attribute) =
    let set = Look.set_attribute t.machine t.state a 0 in
    match a.name with
    | "now" -> set (Float.to_int (t.now /. t.costs.tick))
    | "random" -> set (Random.State.bits t.chance)
    | _ -> ()
  in
  List.iter say t.asked

let handle ?(waker = -1) t event ~self ~target =
  if Machine.has t.machine event then begin
    tell t;
    t.watch event ~self ~target ~waker t.state;
    Some (Machine.run ~draw:t.draw ~waker t.machine t.state event ~self ~target)
  end
  else None

(* {1 Cores} *)

(* Starts the thread chosen for the core, [cost] later. *)
let begins t c ~cost =
  let core = t.cores.(c) in
  let next = running t c in
  account t c;
  core.stamp <- core.stamp + 1;
  core.runs <- next;
  if next >= 0 then begin
    let thread = thread t next in
    let cost = cost +. t.costs.switch in
    let moved = thread.on >= 0 && thread.on <> c in
    let cost = if moved then cost +. t.costs.migration else cost in
    core.since <- t.now +. cost;
    thread.on <- c;
    note t (Began { thread = next; core = c; at = t.now });
    at t (core.since +. thread.left) (Done (c, core.stamp));
    if not core.ticking then begin
      core.ticking <- true;
      at t (t.now +. t.costs.tick) (Tick c)
    end
  end

let cost_of t = function
  | None -> 0.
  | Some (r : Machine.report) -> float r.steps *. t.costs.step

(* Notes the threads moved by balancing, with their former cores. *)
let note_steals t before (report : Machine.report option) =
  let moved (i, _, _) =
    let to_core = where t i and from_core = before i in
    if from_core >= 0 && to_core >= 0 && from_core <> to_core then
      note t (Stolen { thread = i; from_core; to_core; at = t.now })
  in
  match report with
  | None -> ()
  | Some r -> List.iter moved (List.sort_uniq compare r.moves)

let places t =
  let all = Array.init t.count (fun i -> where t i) in
  fun i -> all.(i)

let balances t c event =
  let before = places t in
  let report = handle t event ~self:c ~target:c in
  note_steals t before report;
  (match report with
  | Some r when event = Core.Balancing ->
      note t (Balanced { core = c; at = t.now; steps = r.steps })
  | Some _ | None -> ());
  cost_of t report

(* Notes that thread [i], which ran on [c], is ready again, if a handler has
   taken the core from it. *)
let note_requeued t c i =
  if running t c <> i then
    note t (Requeued { thread = i; core = c; at = t.now })

let core_event t c event = cost_of t (handle t event ~self:c ~target:c)

(* Called after the core has found a thread, or none. *)
let falls_asleep_or_wakes t c =
  let core = t.cores.(c) in
  let asleep = running t c < 0 in
  if asleep = core.asleep then 0.
  else begin
    core.asleep <- asleep;
    core_event t c (if asleep then Core.Enter_idle else Core.Exit_idle)
  end

(* A core without a running thread schedules. If there is no thread, the core
   becomes newly idle or, if the policy has no such handler, balances; then
   the core schedules once more, and sleeps if there is still no thread. *)
let schedule t c =
  let go () = core_event t c Core.Schedule in
  let cost = go () in
  let cost =
    if running t c >= 0 then cost
    else begin
      let idle =
        if Machine.has t.machine Core.Newly_idle then Core.Newly_idle
        else Core.Balancing
      in
      let balancing = balances t c idle in
      cost +. balancing +. go ()
    end
  in
  begins t c ~cost:(cost +. falls_asleep_or_wakes t c)

(* Schedules each core that runs no thread and has a ready thread. *)
let wake_cores t =
  Array.iteri
    (fun c _ ->
      if running t c < 0 && Look.waiting t.machine t.state c then schedule t c)
    t.cores

(* {1 Threads} *)

let set t i (name, value) =
  List.iter
    (fun (a : Core.attribute) ->
      if a.name = name then Look.set_attribute t.machine t.state a i value)
    t.settings

let become_runnable t event ~self ~waker i =
  let event = if Machine.has t.machine event then event else Core.New in
  note t (Woke { thread = i; at = t.now });
  ignore (handle ~waker t event ~self ~target:i : Machine.report option);
  note t (Placed { thread = i; core = where t i; at = t.now })

let start t ~self ~parent (w : Workload.thread) =
  let id = t.count in
  t.count <- id + 1;
  t.live <- t.live + 1;
  t.threads.(id) <-
    Some
      {
        id;
        name = w.name;
        parent;
        rest = w.actions;
        left = 0.;
        children = 0;
        joining = false;
        on = -1;
        asleep = 0.;
        over = false;
      };
  List.iter (set t id) w.settings;
  become_runnable t
    (if w.attached then Core.Attach else Core.New)
    ~self ~waker:parent id

let tells_sleep t =
  List.exists
    (fun (a : Core.attribute) -> a.system && a.name = "sleep_time")
    t.settings

(* Sets sleep_time to the number of ticks that the thread slept. *)
let wake t ~self ~waker i =
  let thread = thread t i in
  if not thread.over then begin
    let ticks = Float.to_int ((t.now -. thread.asleep) /. t.costs.tick) in
    thread.asleep <- thread.asleep +. (float ticks *. t.costs.tick) -. t.now;
    if tells_sleep t then set t i ("sleep_time", ticks);
    become_runnable t Core.Unblock ~self ~waker i
  end

let blocks t c i =
  ignore (handle t Core.Block ~self:c ~target:i : Machine.report option);
  (thread t i).asleep <- t.now +. (thread t i).asleep;
  note t (Left { thread = i; at = t.now; ended = false })

(* The thread runs on [c], or was last there, and will never run again. *)
let leaves t c (thread : thread) event =
  let event = if Machine.has t.machine event then event else Core.Terminate in
  ignore (handle t event ~self:c ~target:thread.id : Machine.report option);
  note t (Left { thread = thread.id; at = t.now; ended = true });
  thread.over <- true;
  t.live <- t.live - 1;
  if thread.parent >= 0 then begin
    let parent = Option.get t.threads.(thread.parent) in
    parent.children <- parent.children - 1;
    if parent.joining && parent.children = 0 then begin
      parent.joining <- false;
      wake t ~self:c ~waker:thread.id parent.id
    end
  end

let named t name =
  let has_it = function
    | Some (thread : thread) -> thread.name = name && not thread.over
    | None -> false
  in
  Option.join (Array.find_opt has_it t.threads)

(* The core on which the thread runs or waits; for a sleeping thread the last
   core. *)
let home t (thread : thread) =
  match Look.place t.machine t.state thread.id with
  | `At (core, { Core.state_class = Running | Ready; _ }) -> core
  | `At _ | `New | `Moving -> Int.max 0 thread.on

(* Takes the thread out of the policy, from any place. The core on which the
   thread ran schedules. *)
let withdraw t name =
  match named t name with
  | None -> ()
  | Some thread ->
      let c = home t thread in
      let runs = running t c = thread.id in
      if runs then account t c;
      leaves t c thread Core.Withdraw;
      if runs then schedule t c

(* A thread that has left the policy meanwhile no longer waits. *)
let rec next_waiting t waiting =
  match Queue.take_opt waiting with
  | Some i when (thread t i).over -> next_waiting t waiting
  | next -> next

(* Runs the next actions of the thread on [c], until one takes time. *)
let rec advance t c =
  let thread = thread t (running t c) in
  match thread.rest () with
  | Seq.Nil ->
      leaves t c thread Core.Terminate;
      schedule t c
  | Seq.Cons (action, rest) ->
      thread.rest <- rest;
      act t c thread action

and go_on t c thread =
  (* The action may have taken the core from the thread. *)
  if running t c = thread.id then advance t c else schedule t c

and waits t c thread =
  blocks t c thread.id;
  schedule t c

and act t c thread = function
  | Compute d ->
      thread.left <- d;
      let core = t.cores.(c) in
      account t c;
      core.since <- Float.max core.since t.now;
      core.stamp <- core.stamp + 1;
      at t (core.since +. d) (Done (c, core.stamp))
  | Sleep d ->
      at t (t.now +. d) (Wake thread.id);
      waits t c thread
  | Yield ->
      ignore
        (handle t Core.Yield ~self:c ~target:thread.id : Machine.report option);
      note_requeued t c thread.id;
      if running t c < 0 then schedule t c else go_on t c thread
  | Detach ->
      leaves t c thread Core.Detach;
      schedule t c
  | Withdraw name ->
      withdraw t name;
      if not thread.over then go_on t c thread
  | Spawn w ->
      thread.children <- thread.children + 1;
      start t ~self:c ~parent:thread.id w;
      go_on t c thread
  | Join ->
      if thread.children = 0 then advance t c
      else begin
        thread.joining <- true;
        waits t c thread
      end
  | Barrier b ->
      let there = Option.value (Hashtbl.find_opt t.at_barrier b) ~default:[] in
      let parties = Option.value (Hashtbl.find_opt t.barriers b) ~default:1 in
      if List.length there + 1 = parties then begin
        Hashtbl.replace t.at_barrier b [];
        List.iter (wake t ~self:c ~waker:thread.id) (List.rev there);
        go_on t c thread
      end
      else begin
        Hashtbl.replace t.at_barrier b (thread.id :: there);
        waits t c thread
      end
  | Acquire l -> (
      match Hashtbl.find_opt t.locks l with
      | None ->
          Hashtbl.replace t.locks l (Queue.create ());
          advance t c
      | Some waiting ->
          Queue.add thread.id waiting;
          waits t c thread)
  | Release l ->
      (match Hashtbl.find_opt t.locks l with
      | None -> ()
      | Some waiting -> (
          match next_waiting t waiting with
          | None -> Hashtbl.remove t.locks l
          | Some next -> wake t ~self:c ~waker:thread.id next));
      go_on t c thread

(* {1 Events} *)

let tick t c =
  let core = t.cores.(c) in
  if core.runs < 0 then core.ticking <- false
  else begin
    account t c;
    let i = core.runs in
    ignore (handle t Core.Tick ~self:c ~target:i : Machine.report option);
    note_requeued t c i;
    if running t c < 0 then schedule t c;
    at t (t.now +. t.costs.tick) (Tick c)
  end

let balance t =
  let one c = ignore (balances t c Core.Balancing : float) in
  (match Query.handler t.policy Core.Balancing with
  | Some { is_synchronized = true; _ } -> one 0
  | Some _ -> Array.iteri (fun c _ -> one c) t.cores
  | None -> ());
  at t (t.now +. t.costs.balance) Balance

let occurs t = function
  | Done (c, stamp) ->
      if t.cores.(c).stamp = stamp then begin
        account t c;
        advance t c
      end
  | Wake i -> wake t ~self:(Int.max 0 (thread t i).on) ~waker:(-1) i
  | Start w -> start t ~self:0 ~parent:(-1) w
  | Tick c -> tick t c
  | Balance -> balance t

let settle t =
  (* A core on which other cores have put threads has not looked there yet. *)
  wake_cores t

let drawing ~seed = Random.State.int (Random.State.make [| seed; 1 |])

let make costs seed watch policy topology (workload : Workload.t) =
  let threads = workload.most_threads in
  let machine = Machine.create ~threads topology policy in
  let barriers = Hashtbl.create 8 in
  List.iter (fun (b, n) -> Hashtbl.replace barriers b n) workload.barriers;
  {
    costs;
    watch;
    machine;
    state = Machine.initial machine;
    policy;
    cores =
      Array.init topology.cores (fun _ ->
          { runs = -1; since = 0.; stamp = 0; ticking = false; asleep = true });
    threads = Array.make threads None;
    settings =
      List.filter
        (fun (a : Core.attribute) -> a.owner = Core.Of_thread)
        (Array.to_list policy.attributes);
    asked =
      List.filter
        (fun (a : Core.attribute) -> a.owner = Core.Global && a.system)
        (Array.to_list policy.attributes);
    chance = Random.State.make [| seed |];
    draw = drawing ~seed;
    count = 0;
    live = 0;
    now = 0.;
    agenda = Agenda.empty;
    events = 0;
    log = [];
    barriers;
    at_barrier = Hashtbl.create 8;
    locks = Hashtbl.create 8;
    computed = Array.make threads 0.;
  }

let who_waits t =
  let names =
    List.filter_map
      (function Some th when not th.over -> Some th.name | _ -> None)
      (Array.to_list t.threads)
  in
  let few = List.filteri (fun i _ -> i < 5) names in
  Printf.sprintf "%d threads never end: %s%s" (List.length names)
    (String.concat ", " few)
    (if List.length names > 5 then ", .." else "")

(* True if only ticks and balancing are left: no event will ever wake a
   thread. *)
let only_housekeeping t =
  Agenda.for_all
    (fun _ e -> match e with Tick _ | Balance -> true | _ -> false)
    t.agenda
  && Array.for_all (fun core -> core.runs < 0) t.cores

let each_core t f = Array.iteri (fun c _ -> f c) t.cores
let nobody _ ~self:_ ~target:_ ~waker:_ _ = ()

let run ?(costs = usual) ?(seed = 1) ?(limit = 3.6e9) ?(watch = nobody) policy
    topology workload =
  let t = make costs seed watch policy topology workload in
  each_core t (fun c ->
      ignore (core_event t c Core.Entry : float);
      ignore (core_event t c Core.Enter_idle : float));
  List.iter (fun (time, w) -> at t time (Start w)) workload.starts;
  at t costs.balance Balance;
  let waiting_starts = ref (List.length workload.starts) in
  let rec go () =
    if t.live = 0 && !waiting_starts = 0 then None
    else
      match Agenda.min_binding_opt t.agenda with
      | None -> Some (who_waits t)
      | Some (((time, _) as key), event) ->
          if time > limit then
            Some
              (Printf.sprintf "it was stopped after %.0f s; %s" (limit /. 1e6)
                 (who_waits t))
          else begin
            t.agenda <- Agenda.remove key t.agenda;
            t.now <- Float.max t.now time;
            (match event with Start _ -> decr waiting_starts | _ -> ());
            occurs t event;
            settle t;
            if t.live > 0 && !waiting_starts = 0 && only_housekeeping t then
              Some (who_waits t)
            else go ()
          end
  in
  let stuck = go () in
  each_core t (fun c -> ignore (core_event t c Core.Exit : float));
  {
    names = Array.init t.count (fun i -> (thread t i).name);
    happenings = List.rev t.log;
    finished = t.now;
    computed = Array.sub t.computed 0 t.count;
    may_run =
      Option.map
        (fun _ -> Machine.may_run t.machine t.state)
        (Query.affinity policy);
    stuck;
  }
