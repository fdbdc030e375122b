module Hub = Dromos_hub.Hub
module Inbox = Dromos_base.Queue

type 'ctx thread = 'ctx Hub.task

(* The lock protects all fields except the atomics, the inbox, and the fields
   of the core's own worker: [pops], [asleep]. [served] is also read without
   the lock: a stale value does no harm, since [place] and [put] read
   [served] again under the lock. *)
type 'ctx core = {
  lock : Lock.t;
  mutable current : 'ctx thread;
  queues : 'ctx thread Runqueue.t array; (* by state *)
  cload : int Atomic.t;
  runnable : int Atomic.t;
  counts : int Atomic.t array; (* by state *)
  core_words : int array;
  mutable served : bool;
  mutable shelf : 'ctx thread list; (* the threads that wait below [current] *)
  inbox : 'ctx thread Inbox.t;
  mutable pops : int;
  mutable asleep : bool;
      (* used by the core's worker only: [on_enter_idle] was its last event *)
}

(* Both groups are -1 in policies that steal by core only. *)
type groups = { of_source : int; of_destination : int }
type system = { now : unit -> int; random : unit -> int; draw : int -> int }

type 'ctx view = {
  groups : groups;
  from : int;
  into : int;
  source_core : 'ctx core; (* locked *)
  mutable candidate : 'ctx thread;
  mutable chosen : int;
  mutable taken_load : int;
  mutable taken : int;
  taken_counts : int array;
}

type 'ctx t = {
  policy : policy;
  counted : bool array;
      (* by state: true if the threads of the state count as runnable *)
  none : 'ctx thread;
  all : 'ctx core array;
  numbers : int list;
  groups : int array array;
  globals : int array;
  system : system;
  serving : int list Atomic.t; (* the numbers of the cores that workers serve *)
  orphans : 'ctx thread Inbox.t;
  balancing : Mutex.t;
      (* held by a worker that balances for all cores; taken before any core's
         lock *)
  notifier : Hub.notifier;
}

and grouping = {
  can_steal_group : 'ctx. 'ctx t -> int -> int -> bool;
  select_group : 'ctx. 'ctx t -> int -> int list -> int;
  group_repeated : bool;
  group_until : 'ctx. 'ctx t -> int -> int -> bool;
}

and stealing = {
  by_group : grouping option;
  can_steal_core : 'ctx. 'ctx t -> int -> int -> int -> int -> bool;
  select_core : 'ctx. 'ctx t -> int -> int -> int -> int list -> int;
  steal_thread : 'ctx. 'ctx t -> 'ctx view -> 'ctx thread -> unit;
  enough : 'ctx. 'ctx t -> 'ctx view -> bool;
  repeated : bool;
  until : 'ctx. 'ctx t -> int -> int -> int -> bool;
}

and reaction = { react : 'ctx. 'ctx t -> int -> unit }

and policy = {
  name : string;
  words : Words.policy;
  states : int;
  running : int;
  ready : int list;
  displaced : (int * int) list;
  keys : 'ctx. int -> ('ctx thread -> int array) option;
  load : 'ctx. 'ctx thread -> int;
  new_words : unit -> int array;
  fibers_speak : bool;
  sleep_time : int option;
  core_words : int array;
  group_words : int array;
  global_words : int array;
  stealing : stealing option;
  on_new : 'ctx. 'ctx t -> int -> 'ctx thread -> 'ctx thread -> unit;
  on_unblock : 'ctx. 'ctx t -> int -> 'ctx thread -> 'ctx thread -> unit;
  on_attach : 'ctx. 'ctx t -> int -> 'ctx thread -> 'ctx thread -> unit;
  on_block : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
  on_terminate : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
  on_detach : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
  on_withdraw : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
  on_yield : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
  on_tick : 'ctx. 'ctx t -> int -> 'ctx thread -> unit;
  on_schedule : 'ctx. 'ctx t -> int -> unit;
  on_balancing : 'ctx. 'ctx t -> int -> unit;
  synchronized : bool;
  on_newly_idle : reaction option;
  newly_idle_alone : bool;
  on_enter_idle : reaction option;
  on_exit_idle : reaction option;
  on_entry : reaction option;
  on_exit : reaction option;
}

(* {1 Words} *)

let none m = m.none
let same = Words.same
let nowhere = Words.nowhere
let valid m t = t != m.none
let thread_word = Words.get
let set_own = Words.set_own
let detach = Words.leaves
let is_core m c = 0 <= c && c < Array.length m.all

(* Sets a word of a thread, and reports to the thread's queue if the thread's
   keys have changed by this. A change of any other word is not reported,
   since the queue looks at all its threads after a report. If the thread has
   left the queue meanwhile, the report does no harm. *)
let set_thread_word m t k v =
  if valid m t && Words.get t k <> v then begin
    let state = Words.state t and c = Words.core t in
    if state <> nowhere && is_core m c then begin
      let queue = m.all.(c).queues.(state) in
      let before = Runqueue.keys queue t in
      Words.set t k v;
      if not (Array.for_all2 Int.equal before (Runqueue.keys queue t)) then
        Runqueue.keys_changed m.all.(c).queues.(state)
    end
    else Words.set t k v
  end

(* Called by the holder of the task. *)
let introduce m (t : _ thread) =
  if not (Words.there t) then t.attrs <- m.policy.new_words ()

let core_word m c k =
  if is_core m c then m.all.(c).core_words.(k) else m.policy.core_words.(k)

let set_core_word m c k v = if is_core m c then m.all.(c).core_words.(k) <- v

let group_word m g k =
  if is_core m g then m.groups.(g).(k) else m.policy.group_words.(k)

let set_group_word m g k v = if is_core m g then m.groups.(g).(k) <- v
let global_word m k = m.globals.(k)
let set_global_word m k v = m.globals.(k) <- v

let domain_word m d k =
  if d >= 0 then m.globals.(k) else m.policy.global_words.(k)

let set_domain_word m d k v = if d >= 0 then m.globals.(k) <- v
let now m = m.system.now ()
let random m = m.system.random ()

let clock_and_chance () =
  let began = Words.now () in
  {
    now = (fun () -> (Words.now () - began) / Words.tick);
    random = Random.bits;
    draw = Random.int;
  }

let quotient a b = if b = 0 then 0 else a / b
let remainder a b = if b = 0 then a else a mod b
let cload m c = if is_core m c then Atomic.get m.all.(c).cload else 0
let runnable m c = if is_core m c then Atomic.get m.all.(c).runnable else 0

let count m c state =
  if is_core m c then Atomic.get m.all.(c).counts.(state) else 0

let cores m = match Atomic.get m.serving with [] -> m.numbers | some -> some
let cores_of_group m g = if is_core m g then [ g ] else []
let cores_of_domain m d = if d >= 0 then cores m else []
let domains m c = if is_core m c then [ 0 ] else []

(* {1 Choosing} *)

let rec compare_keys a b =
  match (a, b) with
  | x :: a, y :: b -> (
      match Int.compare x y with 0 -> compare_keys a b | order -> order)
  | _ -> 0

let rec least key c k = function
  | [] -> c
  | other :: cores ->
      let k' = key other in
      if k' < k then least key other k' cores else least key c k cores

let measured keys c = (List.map (fun key -> key c) keys, c)

let first_of_several cores keys =
  let better best c =
    let ((k, _) as it) = measured keys c in
    match best with
    | Some (least, _) when compare_keys least k <= 0 -> best
    | Some _ | None -> Some it
  in
  match List.fold_left better None cores with None -> -1 | Some (_, c) -> c

let first_core cores keys =
  match (cores, keys) with
  | [], _ -> -1
  | c :: _, [] -> c
  | c :: cores, [ key ] -> least key c (key c) cores
  | _, _ :: _ :: _ -> first_of_several cores keys

let any m ~none = function
  | [] -> none
  | [ one ] -> one
  | members -> List.nth members (m.system.draw (List.length members))

let any_core m cores = any m ~none:(-1) cores
let any_thread m threads = any m ~none:m.none threads

let ordered cores keys =
  let by_keys (a, _) (b, _) = compare_keys a b in
  List.map snd (List.stable_sort by_keys (List.map (measured keys) cores))

let first_thread m c state =
  if not (is_core m c) then m.none
  else
    let core = m.all.(c) in
    if state = m.policy.running then core.current
    else Runqueue.first core.queues.(state)

let threads m c state =
  if not (is_core m c) then []
  else if state = m.policy.running then
    let t = m.all.(c).current in
    if valid m t then [ t ] else []
  else Runqueue.to_list m.all.(c).queues.(state)

let among t threads = List.exists (same t) threads

let least_thread m threads keys =
  let better (least, t) candidate =
    let k = keys candidate in
    if t == m.none || compare k least < 0 then (k, candidate) else (least, t)
  in
  snd (List.fold_left better ([||], m.none) threads)

(* {1 Fragments}, under the lock of the core. Only holders of the lock write
   words, so a read followed by a write is an update. *)

let add word n = Atomic.set word (Atomic.get word + n)

let raise_words core (t : _ thread) state load =
  Words.set_load t load;
  add core.cload load;
  add core.runnable 1;
  add core.counts.(state) 1

let lower_words core (t : _ thread) state =
  add core.cload (-Words.load t);
  add core.runnable (-1);
  add core.counts.(state) (-1)

let leave m core t state =
  if state = m.policy.running then core.current <- m.none
  else
    let queue = core.queues.(state) in
    if same (Runqueue.first queue) t then
      ignore (Runqueue.take_first queue : _ Hub.task)
    else if not (Runqueue.take_newest queue t) then
      ignore (Runqueue.take queue (same t) : _ option)

let enter m core c (t : _ thread) state =
  Words.set_state t state;
  Words.set_core t c;
  if state = m.policy.running then core.current <- t
  else Runqueue.add core.queues.(state) t

(* The thread in a state of one thread is displaced before [t] comes. *)
let make_room m core c (t : _ thread) state =
  match List.assoc_opt state m.policy.displaced with
  | None -> ()
  | Some into ->
      let other = Runqueue.first core.queues.(state) in
      if other != m.none && not (same other t) then begin
        leave m core other state;
        add core.counts.(state) (-1);
        add core.counts.(into) 1;
        enter m core c other into
      end

(* A thread that no word counts comes to a core, whose lock is held. *)
let arrive m core c (t : _ thread) state load =
  make_room m core c t state;
  raise_words core t state load;
  enter m core c t state

let move m c (t : _ thread) state =
  if valid m t && is_core m c then begin
    let core = m.all.(c) in
    make_room m core c t state;
    let before = Words.state t in
    let was = before <> nowhere && m.counted.(before) in
    if was then leave m core t before;
    if was && m.counted.(state) then begin
      add core.counts.(state) 1;
      add core.counts.(before) (-1)
    end
    else if was then lower_words core t before
    else if m.counted.(state) then raise_words core t state (m.policy.load t);
    if m.counted.(state) then enter m core c t state
    else Words.set_state t nowhere
  end

let orphan m (t : _ thread) =
  Words.set_state t nowhere;
  Inbox.push m.orphans t

let place m (t : _ thread) c state =
  let served =
    is_core m c
    &&
    let core = m.all.(c) in
    Lock.lock core.lock;
    let served = core.served in
    if served then arrive m core c t state (m.policy.load t);
    Lock.unlock core.lock;
    served
  in
  if served then m.notifier.notify c else orphan m t

(* {1 Stealing} *)

let source v = v.from
let destination v = v.into
let source_group (v : _ view) = v.groups.of_source
let destination_group (v : _ view) = v.groups.of_destination
let seen_cload m v c = cload m c + if c = v.into then v.taken_load else 0
let seen_runnable m v c = runnable m c + if c = v.into then v.taken else 0

let seen_count m v c state =
  let n = count m c state + if c = v.into then v.taken_counts.(state) else 0 in
  if List.mem_assoc state m.policy.displaced then Int.min 1 n else n

(* The candidate leaves its core at once, and the rest of [steal_thread] sees
   the new words. *)
let choose v state =
  let t = v.candidate in
  lower_words v.source_core t (Words.state t);
  Words.set_state t state;
  v.taken_load <- v.taken_load + Words.load t;
  v.taken <- v.taken + 1;
  v.taken_counts.(state) <- v.taken_counts.(state) + 1;
  v.chosen <- state

(* Runs under the lock of the source. *)
let take m s v (t : _ thread) =
  v.chosen <- nowhere;
  v.candidate <- t;
  s.steal_thread m v t;
  v.chosen <> nowhere

let rec take_from m s core v = function
  | [] -> []
  | state :: others ->
      let stop = ref false in
      let enough () =
        stop := s.enough m v;
        !stop
      in
      let taken = Runqueue.offer core.queues.(state) (take m s v) ~enough in
      if !stop then taken else taken @ take_from m s core v others

let put m c stolen =
  let core = m.all.(c) in
  Lock.lock core.lock;
  let served = core.served in
  if served then
    List.iter
      (fun (t : _ thread) -> arrive m core c t (Words.state t) (Words.load t))
      stolen;
  Lock.unlock core.lock;
  if served then m.notifier.notify c else List.iter (orphan m) stolen

let steal_from m s groups src dst =
  let v =
    {
      groups;
      from = src;
      into = dst;
      source_core = m.all.(src);
      candidate = m.none;
      chosen = nowhere;
      taken_load = 0;
      taken = 0;
      taken_counts = Array.make m.policy.states 0;
    }
  in
  let core = m.all.(src) in
  Lock.lock core.lock;
  let stolen = take_from m s core v m.policy.ready in
  Lock.unlock core.lock;
  if stolen <> [] then put m dst stolen

let rec steal_among m s ({ of_source = h; of_destination = g } as groups) dst =
  function
  | [] -> ()
  | filtered ->
      let src = s.select_core m h g dst filtered in
      if List.mem src filtered then begin
        steal_from m s groups src dst;
        if s.repeated && not (s.until m h g dst) then
          steal_among m s groups dst (List.filter (( <> ) src) filtered)
      end

let steal_from_all m s ({ of_source = h; of_destination = g } as groups) dst
    cores =
  let admitted c = c <> dst && s.can_steal_core m h g c dst in
  steal_among m s groups dst (List.filter admitted cores)

let rec steal_among_groups m s by group dst = function
  | [] -> ()
  | filtered ->
      let from = by.select_group m group filtered in
      if List.mem from filtered then begin
        steal_from_all m s
          { of_source = from; of_destination = group }
          dst [ from ];
        if by.group_repeated && not (by.group_until m group dst) then
          steal_among_groups m s by group dst
            (List.filter (( <> ) from) filtered)
      end

let steal_for m group dst =
  match m.policy.stealing with
  | Some s when is_core m dst && m.all.(dst).served -> (
      match s.by_group with
      | None ->
          let groups = { of_source = -1; of_destination = -1 } in
          steal_from_all m s groups dst m.numbers
      | Some by ->
          let admitted g = by.can_steal_group m g group in
          steal_among_groups m s by group dst (List.filter admitted m.numbers))
  | Some _ | None -> ()

(* {1 Events} *)

let locked core f =
  Lock.lock core.lock;
  f ();
  Lock.unlock core.lock

(* The thread that waits below continues, and is counted again. *)
let unshelve m c core =
  if core.current == m.none then
    match core.shelf with
    | [] -> ()
    | t :: below ->
        core.shelf <- below;
        raise_words core t m.policy.running (Words.load t);
        enter m core c t m.policy.running

let shelve m core =
  let t = core.current in
  if t != m.none then begin
    core.current <- m.none;
    lower_words core t m.policy.running;
    core.shelf <- t :: core.shelf
  end

(* Stops the running thread of core c with [handler]. Returns [false] if the
   thread did not run there. A thread on the core's shelf is only taken off
   the shelf. *)
let stops m c t handler =
  is_core m c
  &&
  let core = m.all.(c) in
  Lock.lock core.lock;
  let runs = same core.current t in
  if runs then begin
    handler m c core.current;
    unshelve m c core
  end
  else if core.shelf <> [] then
    core.shelf <- List.filter (fun other -> not (same other t)) core.shelf;
  Lock.unlock core.lock;
  runs

let running_on m (t : _ thread) =
  if Words.state t = m.policy.running then Words.core t else -1

let blocks m c t =
  if Option.is_some m.policy.sleep_time then Words.falls_asleep t;
  if Words.leaving t then begin
    Words.left t;
    m.policy.on_detach m c t
  end
  else m.policy.on_block m c t

(* Brings a thread back to the policy: by [on_attach] if the thread was away,
   else by [on_unblock]. Counts no sleep; [wakes] does. *)
let wakes_here m i ~waker t =
  if Words.is_away t then begin
    Words.back t;
    m.policy.on_attach m i t m.none
  end
  else m.policy.on_unblock m i t waker

let wakes m i ~waker t =
  Option.iter (Words.wakes t) m.policy.sleep_time;
  wakes_here m i ~waker t

(* The thread that runs on worker [i], the caller. Other workers write the slot
   only for a thread that has stopped and so pushes nothing; a plain read is
   therefore enough. *)
let pushing m i t =
  let waker = if is_core m i then m.all.(i).current else m.none in
  if same waker t then m.none else waker

(* The thread's worker may not have reported yet that the thread blocked. *)
let unblock m i ~waker t =
  ignore (stops m (running_on m t) t blocks : bool);
  wakes m i ~waker t

(* If the handler leaves the thread where it is, as a missing handler does, the
   machine takes the thread out. *)
let take_out m core c t handler =
  let state = Words.state t in
  handler m c t;
  if Words.state t = state then begin
    leave m core t state;
    lower_words core t state;
    Words.set_state t nowhere
  end

(* The words read before the lock is taken may be out of date; [is_newest],
   under the lock, is not. *)
let retract m _ (t : _ thread) =
  let state = Words.state t and c = Words.core t in
  (not m.policy.fibers_speak)
  && state <> nowhere && state <> m.policy.running && is_core m c
  &&
  let core = m.all.(c) in
  Lock.lock core.lock;
  let newest = Runqueue.is_newest core.queues.(state) t in
  if newest then take_out m core c t m.policy.on_terminate;
  Lock.unlock core.lock;
  newest

(* A yielding fiber is a new task with the words of the old one. If the policy
   leaves the fiber where it is, the fiber blocks and is unblocked, because its
   worker has let go of it. *)
let yield m i reason t =
  let c = running_on m t in
  let stays = ref false in
  let still m c = m.all.(c).current == t in
  let handler m c _ =
    m.all.(c).current <- t;
    if not (Words.leaving t) then begin
      if reason = Hub.Preempt then m.policy.on_tick m c t;
      if still m c then m.policy.on_yield m c t
    end;
    stays := still m c;
    if !stays then blocks m c t
  in
  if not (stops m c t handler) then wakes_here m i ~waker:m.none t
  else if !stays then wakes m i ~waker:m.none t
  else m.notifier.notify c

let push m i reason ~waker (t : _ thread) =
  if not (Words.there t) then begin
    introduce m t;
    m.policy.on_new m i t waker
  end
  else
    match reason with
    | Hub.New -> m.policy.on_new m i t waker
    | Unblock -> unblock m i ~waker t
    | Yield | Preempt -> yield m i reason t

(* Takes a task from a caller that is no worker, or before any worker serves
   a core. Policies look from a core: the handler runs for the core of the
   task's last worker if this core is served, else for the first core that is
   served, else for core 0. *)
let submit m reason (t : _ thread) =
  let served c = is_core m c && m.all.(c).served in
  let from =
    if served t.last_worker then t.last_worker
    else Option.value (List.find_opt served m.numbers) ~default:0
  in
  if Words.there t && reason <> Hub.New then push m from reason ~waker:m.none t
  else begin
    introduce m t;
    m.policy.on_attach m from t m.none
  end

let adopt m c (t : _ thread) =
  let core = m.all.(c) in
  locked core (fun () ->
      shelve m core;
      raise_words core t m.policy.running (m.policy.load t);
      enter m core c t m.policy.running);
  t

let adopt_orphan m c = Option.map (adopt m c) (Inbox.pop m.orphans)

let schedule m c =
  let core = m.all.(c) in
  Lock.lock core.lock;
  shelve m core;
  m.policy.on_schedule m c;
  let next = core.current in
  if next == m.none then unshelve m c core;
  Lock.unlock core.lock;
  if next != m.none then Some next else adopt_orphan m c

let period = 61

(* A busy machine is balanced from time to time, too. *)
let balance_sometimes m c core =
  core.pops <- core.pops + 1;
  if core.pops = period then begin
    core.pops <- 0;
    if not m.policy.synchronized then m.policy.on_balancing m c
    else if Mutex.try_lock m.balancing then begin
      m.policy.on_balancing m c;
      Mutex.unlock m.balancing
    end
  end

(* The policy does not know of the inbox and of the orphans. Each has its turn,
   so that threads that only yield, however many, cannot keep them waiting. *)
let next m c core =
  let or_else other = function Some _ as t -> t | None -> other m c in
  let from_inbox _ _ = Inbox.pop core.inbox in
  match core.pops land 3 with
  | 1 -> adopt_orphan m c |> or_else schedule |> or_else from_inbox
  | 0 | 2 -> from_inbox m c |> or_else schedule
  | _ -> schedule m c |> or_else from_inbox

let reacts m c = function
  | None -> ()
  | Some { react } -> locked m.all.(c) (fun () -> react m c)

let pop m c =
  let core = m.all.(c) in
  balance_sometimes m c core;
  let found = next m c core in
  if Option.is_some found && core.asleep then begin
    core.asleep <- false;
    reacts m c m.policy.on_exit_idle
  end;
  found

let newly_idle m c =
  match m.policy.on_newly_idle with
  | None -> steal_for m c c
  | Some { react } when m.policy.newly_idle_alone ->
      Mutex.lock m.balancing;
      react m c;
      Mutex.unlock m.balancing
  | Some { react } -> react m c

let steal m c =
  newly_idle m c;
  let found = pop m c in
  let core = m.all.(c) in
  if Option.is_none found && not core.asleep then begin
    core.asleep <- true;
    reacts m c m.policy.on_enter_idle
  end;
  found

let has_work m c =
  let core = m.all.(c) in
  Atomic.get core.runnable > Atomic.get core.counts.(m.policy.running)
  || not (Inbox.is_empty m.orphans)

let rec serving m change =
  let before = Atomic.get m.serving in
  if not (Atomic.compare_and_set m.serving before (change before)) then
    serving m change

let without c = List.filter (fun other -> other <> c)

let enlist m c =
  let core = m.all.(c) in
  locked core (fun () -> core.served <- true);
  serving m (fun others -> List.sort Int.compare (c :: without c others));
  core.asleep <- false;
  reacts m c m.policy.on_entry

(* A served core places the withdrawn thread. If no core is served, the thread
   becomes an orphan. *)
let comes_back m t =
  match Atomic.get m.serving with
  | [] -> orphan m t
  | from :: _ -> m.policy.on_attach m from t m.none

let retire m c =
  let core = m.all.(c) in
  serving m (without c);
  Lock.lock core.lock;
  core.served <- false;
  let waiting = List.concat_map (threads m c) m.policy.ready in
  List.iter (fun t -> take_out m core c t m.policy.on_withdraw) waiting;
  Lock.unlock core.lock;
  List.iter (comes_back m) waiting;
  reacts m c m.policy.on_exit

let make_core policy none =
  let queue state =
    match policy.keys state with
    | None -> Runqueue.fifo ~none
    | Some keys -> Runqueue.sorted ~none keys
  in
  {
    lock = Lock.create ();
    current = none;
    queues = Array.init policy.states queue;
    cload = Atomic.make_contended 0;
    runnable = Atomic.make_contended 0;
    counts = Array.init policy.states (fun _ -> Atomic.make_contended 0);
    core_words = Array.copy policy.core_words;
    served = false;
    shelf = [];
    inbox = Inbox.create ();
    pops = 0;
    asleep = false;
  }

let create ?(system = clock_and_chance ()) policy ~workers =
  let none = Hub.task ignore in
  none.attrs <- policy.new_words ();
  if not (Words.begin_well policy.words none.attrs) then
    invalid_arg (policy.name ^ ": it was compiled by another version of dromos");
  let counts state =
    state = policy.running || List.exists (Int.equal state) policy.ready
  in
  let notifier = Hub.notifier () in
  {
    policy;
    counted = Array.init policy.states counts;
    none;
    all = Array.init workers (fun _ -> make_core policy none);
    numbers = List.init workers Fun.id;
    groups = Array.init workers (fun _ -> Array.copy policy.group_words);
    globals = Array.copy policy.global_words;
    system;
    serving = Atomic.make [];
    orphans = Inbox.create ();
    balancing = Mutex.create ();
    notifier;
  }

let hub_of m =
  let ended handler c t = ignore (stops m c t handler : bool) in
  {
    Hub.name = m.policy.name;
    size = Array.length m.all;
    push = (fun i reason t -> push m i reason ~waker:(pushing m i t) t);
    pop = pop m;
    retract = retract m;
    steal = steal m;
    waits_for_answer = (fun _ -> false);
    has_work = has_work m;
    submit = submit m;
    submit_to = (fun c _ t -> Inbox.push m.all.(c).inbox t);
    enlist = enlist m;
    retire = retire m;
    tick = ignore;
    finished = ended (fun m c t -> m.policy.on_terminate m c t);
    blocked = ended blocks;
    close = ignore;
    notifier = m.notifier;
  }

let hub policy =
  { Hub.make = (fun ~workers -> hub_of (create policy ~workers)) }
