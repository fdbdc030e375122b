module Hub = Dromos_hub.Hub
module Waiters = Dromos_base.Waiters
module Ivar = Dromos_base.Ivar

type context = {
  pool : t;
  id : int;
  working : bool Atomic.t;
      (* True while the worker may publish tasks: the worker serves, and is
         not in a hunt with [stops]. While one worker of a closed pool is
         working, the others stay. *)
  mutable over : bool;
      (* False if the running task has yielded or suspended. Otherwise the
         task is over when its code returns. *)
  mutable hunting : bool; (* the worker is counted in [idle]; for [recover] *)
  mutable budget : int; (* rounds of stealing before the next sleep *)
  mutable tasks : int;
  mutable steals : int;
  mutable sleeps : int;
  (* lib/kernel/README.md explains the fillers. *)
  _0 : int; _1 : int; _2 : int; _3 : int; _4 : int; _5 : int; _6 : int; _7 : int;
  _8 : int; _9 : int; _10 : int; _11 : int; _12 : int; _13 : int; _14 : int; _15 : int;
}
[@@ocamlformat "disable"]

and t = {
  hub : context Hub.t;
  idle : int Atomic.t;
  on_idle : int -> unit;
  waiters : Waiters.t;
  closed : bool Atomic.t;
  outside : int Atomic.t;
      (* Number of submissions under way: raised before [closed] is read,
         lowered after the task is in the hub. If a thread reads [closed]
         true and then [outside] 0, no task will come from outside any more. *)
  mutable contexts : context array; (* set once, by [create] *)
  (* The lock of [servers] and [change]. *)
  mutex : Mutex.t;
  change : Condition.t; (* a role became free, or the task of a [run] is done *)
  servers : int array; (* for each role, the number of threads in the role *)
  mutable domains : domains; (* spawned by [start], joined by [close] *)
}

and domains = No_domain | Domain of { domain : unit Domain.t; rest : domains }

type 'a task = context -> 'a

let make_context pool id =
  let working = Atomic.make_contended false in
  {
    pool;
    id;
    working;
    over = true;
    hunting = false;
    budget = 256;
    tasks = 0;
    steals = 0;
    sleeps = 0;
    _0 = 0; _1 = 0; _2 = 0; _3 = 0; _4 = 0; _5 = 0; _6 = 0; _7 = 0;
    _8 = 0; _9 = 0; _10 = 0; _11 = 0; _12 = 0; _13 = 0; _14 = 0; _15 = 0;
  }
[@@ocamlformat "disable"]

let create ~hub ~idle ~on_idle ~workers =
  let hub = hub ~workers in
  let waiters = Waiters.create workers in
  let closed = Atomic.make_contended false in
  let outside = Atomic.make_contended 0 in
  hub.Hub.notifier.notify <- (fun i -> ignore (Waiters.notify waiters i));
  let mutex = Mutex.create () in
  let change = Condition.create () in
  let servers = Array.make workers 0 in
  let t =
    {
      hub;
      idle;
      on_idle;
      waiters;
      closed;
      outside;
      contexts = [||];
      mutex;
      change;
      servers;
      domains = No_domain;
    }
  in
  t.contexts <- Array.init workers (fun id -> make_context t id);
  t

let hub t = t.hub
let size ctx = ctx.pool.hub.size
let worker ctx = ctx.id
let pool ctx = ctx.pool
let has_work ctx = ctx.pool.hub.has_work ctx.id
let tick ctx = ctx.pool.hub.tick ctx.id
let wake t i = ignore (Waiters.notify t.waiters i)
let wake_one t = ignore (Waiters.notify_one t.waiters)

(* Publishing: the task comes first, then the notification. *)

let push ctx reason task =
  let t = ctx.pool in
  (match reason with
  | Hub.Yield -> ctx.over <- false
  | Hub.Preempt -> ctx.over <- false
  | _ -> ());
  t.hub.push ctx.id reason task;
  wake_one t

let async ctx code =
  let t = ctx.pool in
  t.hub.push ctx.id Hub.New (Hub.task code);
  wake_one t

(* The hub may have taken out another task and put the task back. A thief
   that took its last look meanwhile has missed this task, so the caller
   notifies a sleeper. *)
let retract ctx task =
  let t = ctx.pool in
  let retracted = t.hub.retract ctx.id task in
  if not retracted then wake_one t;
  retracted

let block ctx task =
  ctx.over <- false;
  ctx.pool.hub.blocked ctx.id task

(* [enter] comes before a submission from outside, [leave] after the
   submission. Workers of a closed pool may sleep until the last submission
   has left. *)

let enter t =
  Atomic.incr t.outside;
  not (Atomic.get t.closed)

let leave t =
  Atomic.decr t.outside;
  if Atomic.get t.closed then Waiters.notify_all t.waiters

let submit t reason task =
  let is_open = enter t in
  if is_open then begin
    t.hub.submit reason task;
    wake_one t
  end;
  leave t;
  is_open

let submit_to t i reason task =
  let is_open = enter t in
  if is_open then begin
    t.hub.submit_to i reason task;
    wake t i
  end;
  leave t;
  is_open

(* Running *)

let execute ctx (task : context Hub.task) =
  ctx.tasks <- ctx.tasks + 1;
  task.last_worker <- ctx.id;
  ctx.over <- true;
  task.code ctx;
  if ctx.over then ctx.pool.hub.finished ctx.id task;
  (* A task lower on the stack may be waiting for an ivar: from here on,
     [over] is about that task. *)
  ctx.over <- true

(* Hunting. A round of stealing costs about 0.1 us for two workers, and more
   with more workers; all rounds before a sleep together stay under 0.2 ms. A
   wake-up costs much less (some 10 us). But programs that fork thousands of
   times a second, for tens of microseconds each (a loop inside a loop, as in
   lu), join at such distances, and a sleep at each join made lu twice as
   slow. Hunts that fail shrink the budget, so a worker that seldom finds a
   task soon sleeps at once. *)

let max_budget size =
  let rounds = 4096 / size in
  if rounds < 16 then 16 else rounds

let shrink_budget ctx =
  let less = ctx.budget - (ctx.budget / 8) - 1 in
  ctx.budget <- (if less < 1 then 1 else less)

let grow_budget ctx =
  let twice = ctx.budget * 2 in
  let most = max_budget ctx.pool.hub.size in
  ctx.budget <- (if twice > most then most else twice)

(* The end of a hunt: [until ()] or, with [stops], the end of the pool. *)
type goal = { until : unit -> bool; stops : bool }

let rec nobody_works t i =
  if i = t.hub.size then true
  else
    let ctx = Array.get t.contexts i in
    if Atomic.get ctx.working then false else nobody_works t (i + 1)

(* The last worker to stop tells the sleepers that the pool has ended. *)
let stop_working ctx =
  let t = ctx.pool in
  Atomic.set ctx.working false;
  if Atomic.get t.closed then
    if nobody_works t 0 then Waiters.notify_all t.waiters

let at_end goal t =
  if goal.stops then
    if Atomic.get t.closed then
      if Atomic.get t.outside = 0 then nobody_works t 0 else false
    else false
  else false

let may_spin goal t = not (goal.stops && Atomic.get t.closed)

(* Counts a steal. If the hub has more work, one more sleeper is of use. *)
let found_more ctx =
  let t = ctx.pool in
  ctx.steals <- ctx.steals + 1;
  if Waiters.count t.waiters > 0 then if has_work ctx then wake_one t

(* The worker withdraws its announcement. A notification that came meanwhile
   was for a task that may still be in the hub, so the worker notifies a
   sleeper. *)
let cancel_sleep ctx =
  let t = ctx.pool in
  if Waiters.cancel t.waiters ctx.id then wake_one t

let rec spin ctx goal rounds =
  let t = ctx.pool in
  match t.hub.steal ctx.id with
  | Some _ as found ->
      grow_budget ctx;
      found_more ctx;
      found
  | None ->
      if goal.until () then None
      else if t.hub.waits_for_answer ctx.id then begin
        Domain.cpu_relax ();
        spin ctx goal rounds
      end
      else if rounds > 0 && may_spin goal t then begin
        Domain.cpu_relax ();
        spin ctx goal (rounds - 1)
      end
      else begin
        shrink_budget ctx;
        t.on_idle ctx.id;
        park ctx goal
      end

and park ctx goal =
  let t = ctx.pool in
  Waiters.prepare t.waiters ctx.id;
  (* [at_end] is read after the announcement, because the thread that changes
     the answer notifies the sleepers afterwards. [at_end] is read before the
     last look, because tasks of a closed pool come from workers only, and
     each worker takes its last look after its last push. *)
  let at_end = at_end goal t in
  match t.hub.steal ctx.id with
  | Some _ as found ->
      cancel_sleep ctx;
      found_more ctx;
      found
  | None ->
      if goal.until () then begin
        cancel_sleep ctx;
        None
      end
      else if t.hub.waits_for_answer ctx.id then begin
        cancel_sleep ctx;
        spin ctx goal 0
      end
      else if at_end then begin
        cancel_sleep ctx;
        None
      end
      else begin
        ctx.sleeps <- ctx.sleeps + 1;
        Waiters.commit t.waiters ctx.id;
        if goal.until () then begin
          (* The notification may have been for a task. *)
          wake_one t;
          None
        end
        else spin ctx goal ctx.budget
      end

(* The next task from anywhere. [None]: the worker has reached its goal. *)
let hunt ctx goal =
  let t = ctx.pool in
  ctx.hunting <- true;
  Atomic.incr t.idle;
  if goal.stops then stop_working ctx;
  let found = spin ctx goal ctx.budget in
  (match found with
  | Some _ -> if goal.stops then Atomic.set ctx.working true
  | None -> ());
  ctx.hunting <- false;
  Atomic.decr t.idle;
  found

let rec work ctx goal =
  if not (goal.until ()) then
    match ctx.pool.hub.pop ctx.id with
    | Some task ->
        execute ctx task;
        work ctx goal
    | None -> (
        match hunt ctx goal with
        | Some task ->
            execute ctx task;
            work ctx goal
        | None -> ())

(* Waiting for an ivar. The worker runs its own tasks first, since in
   fork/join the task that sets the ivar is usually among them. The worker
   registers the callback only if its own tasks were not enough. *)

let rec wait_ivar ctx ivar =
  if not (Ivar.is_set ivar) then
    match ctx.pool.hub.pop ctx.id with
    | Some task ->
        execute ctx task;
        wait_ivar ctx ivar
    | None -> (
        let t = ctx.pool in
        let id = ctx.id in
        match Ivar.wait ivar (fun _ _ -> wake t id) with
        | Some _ -> ()
        | None ->
            let until () = Ivar.is_set ivar in
            work ctx { until; stops = false })

(* Roles. [servers] counts the threads in each role. Only one of them acts
   for the role; the other threads are blocked inside a task, or are lower on
   the acting thread's stack. *)

(* The caller holds the mutex. *)
let join_role t i =
  let before = Array.get t.servers i in
  Array.set t.servers i (before + 1);
  before = 0

let enter_role t i =
  Mutex.lock t.mutex;
  let first = join_role t i in
  Mutex.unlock t.mutex;
  if first then t.hub.enlist i

let leave_role t i =
  (* If the entry is 1, this thread is the last in the role. Only a thread
     that takes over the role could change the entry now, and such a thread
     waits for 0. *)
  if Array.get t.servers i = 1 then begin
    t.hub.retire i;
    (* The worker has given up the tasks that it kept for itself. *)
    if t.hub.has_work i then wake_one t
  end;
  Mutex.lock t.mutex;
  Array.set t.servers i (Array.get t.servers i - 1);
  Condition.broadcast t.change;
  Mutex.unlock t.mutex

(* The caller holds role [i]. *)
let serve_until t i until =
  let ctx = Array.get t.contexts i in
  Atomic.set ctx.working true;
  work ctx { until; stops = true };
  stop_working ctx;
  leave_role t i

let serve t ~worker ~until =
  enter_role t worker;
  serve_until t worker until

let recover t i =
  let ctx = Array.get t.contexts i in
  if ctx.hunting then begin
    ctx.hunting <- false;
    Atomic.decr t.idle
  end;
  if Waiters.recover t.waiters i then wake_one t;
  stop_working ctx;
  leave_role t i

let never () = false

let start t =
  let rec spawn i =
    if i < t.hub.size then begin
      let domain = Domain.spawn (fun () -> serve t ~worker:i ~until:never) in
      t.domains <- Domain { domain; rest = t.domains };
      spawn (i + 1)
    end
  in
  if not (Atomic.get t.closed) then spawn 1

(* Takes the role if the role is free. Returns [true] if it took the role. *)
let try_fill t i =
  Mutex.lock t.mutex;
  let free = Array.get t.servers i = 0 in
  if free then ignore (join_role t i);
  Mutex.unlock t.mutex;
  if free then t.hub.enlist i;
  free

(* Waits until the role is free or [ready ()]. Returns [true] if it took the
   role. *)
let fill_unless t i ready =
  let rec wait () =
    if ready () then false
    else if Array.get t.servers i = 0 then join_role t i
    else begin
      Condition.wait t.change t.mutex;
      wait ()
    end
  in
  Mutex.lock t.mutex;
  let filled = wait () in
  Mutex.unlock t.mutex;
  if filled then t.hub.enlist i;
  filled

(* Waits until [ready ()]. *)
let await t ready =
  let rec wait () =
    if not (ready ()) then begin
      Condition.wait t.change t.mutex;
      wait ()
    end
  in
  Mutex.lock t.mutex;
  wait ();
  Mutex.unlock t.mutex

(* Called when role 0 is taken: the task goes to the hub. The caller waits,
   but fills the role as soon as the role is free.

   The caller does not fill the role in a closed pool: once the closer has
   filled role 0 for the first time, only the closer fills it. If another
   caller acted in role 0 beside the closer's last look, the caller could
   hold a task that the look misses. The task could then publish tasks that
   no worker looks for. A caller that comes after the closer took the role
   reads [closed] under the mutex, and so reads true. The closer waits for a
   caller that came before. The caller's own task is in the hub, and the
   closer makes sure that the task runs.

   While the caller acts in the role it may publish, so its context is marked
   as working and the other workers stay. The caller removes the mark before
   it leaves the role, since afterwards the mark belongs to the next thread
   of the role. The next thread that fills role 0, at the latest the closer,
   finds the tasks that remain with the worker or that the hub keeps for the
   worker until it retires. [outside] does not count the caller: the count
   went down when the task was in the hub, and the closer waits for every
   thread in a role. *)
let run_elsewhere t (task : 'a task) =
  let result = Atomic.make None in
  let ready () =
    match Atomic.get result with None -> false | Some _ -> true
  in
  let give_up () = if Atomic.get t.closed then true else ready () in
  let code ctx =
    let value = task ctx in
    Atomic.set result (Some value);
    (* The caller may be waiting in [fill_unless] or [await], or asleep in
       role 0. *)
    Mutex.lock t.mutex;
    Condition.broadcast t.change;
    Mutex.unlock t.mutex;
    wake t 0
  in
  if submit t Hub.New (Hub.task code) then begin
    if fill_unless t 0 give_up then begin
      let ctx = Array.get t.contexts 0 in
      Atomic.set ctx.working true;
      work ctx { until = ready; stops = false };
      stop_working ctx;
      leave_role t 0
    end
    else await t ready;
    Atomic.get result
  end
  else None

let run t task =
  if enter t then
    if try_fill t 0 then begin
      (* From here on, [close] waits for role 0. *)
      leave t;
      let ctx = Array.get t.contexts 0 in
      ctx.tasks <- ctx.tasks + 1;
      Atomic.set ctx.working true;
      let value = task ctx in
      stop_working ctx;
      leave_role t 0;
      Some value
    end
    else begin
      leave t;
      run_elsewhere t task
    end
  else begin
    leave t;
    None
  end

(* Closing *)

let rec join domains =
  match domains with
  | No_domain -> ()
  | Domain d ->
      Domain.join d.domain;
      join d.rest

(* Fills each role in turn until no task is left in the role: a worker that
   no thread served may have tasks, and these tasks may publish more tasks. *)
let rec drain t i =
  if i < t.hub.size then begin
    ignore (fill_unless t i never);
    serve_until t i never;
    drain t (i + 1)
  end

let close t =
  if Atomic.compare_and_set t.closed false true then begin
    Waiters.notify_all t.waiters;
    ignore (fill_unless t 0 never);
    serve_until t 0 never;
    t.hub.close ();
    join t.domains;
    t.domains <- No_domain;
    drain t 0;
    true
  end
  else false

(* Counts are plain reads of words that other workers write; the values may
   be old. *)

type counts = { tasks : int; steals : int; sleeps : int }

let counts t =
  let rec sum i (counts : counts) =
    if i = t.hub.size then counts
    else
      let ctx = Array.get t.contexts i in
      sum (i + 1)
        {
          tasks = counts.tasks + ctx.tasks;
          steals = counts.steals + ctx.steals;
          sleeps = counts.sleeps + ctx.sleeps;
        }
  in
  sum 0 { tasks = 0; steals = 0; sleeps = 0 }
[@@untranslated "it reads what other workers write, racily"]
