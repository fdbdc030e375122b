module Hub = Dromos_hub.Hub
module Waiters = Dromos_base.Waiters
module Ivar = Dromos_base.Ivar

type context = {
  pool : t;
  id : int;
  working : bool Atomic.t;
      (* It serves, and is not hunting: it may publish tasks. Only for keeping
         the others at hand while a closed pool still works. *)
  mutable over : bool;
      (* The running task will be over when its code returns. *)
  mutable hunting : bool; (* counted in [idle]; for [recover] *)
  mutable budget : int; (* rounds of stealing before the next sleep *)
  mutable tasks : int;
  mutable steals : int;
  mutable sleeps : int;
  (* The fillers are explained in lib/kernel/README.md. *)
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
      (* Submissions under way: raised before [closed] is read, lowered after
         the task is in the hub. Reading true and then 0 proves that no task
         will come from outside any more. *)
  mutable contexts : context array; (* set once, by [create] *)
  (* The rest is protected by [mutex]. *)
  mutex : Mutex.t;
  change : Condition.t; (* a role became free, or a run's task is done *)
  servers : int array; (* for each role, threads in [serve] *)
  mutable domains : domains;
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

(* Publishing: first the task, then the notification. *)

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

(* The hub may have taken another task out and put it back: a thief that took
   its last look meanwhile has not seen it. *)
let retract ctx task =
  let t = ctx.pool in
  let retracted = t.hub.retract ctx.id task in
  if not retracted then wake_one t;
  retracted

let block ctx task =
  ctx.over <- false;
  ctx.pool.hub.blocked ctx.id task

(* [enter] before a submission from outside, [leave] after it. Workers of a
   closed pool may sleep until the last submission has left. *)

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
  (* Below us there may be a task that waits for an ivar. *)
  ctx.over <- true

(* Hunting. A round of stealing costs about 0.1 us for two workers and grows
   with their number; all rounds before a sleep together stay under 0.2 ms. That
   is much more than a wake-up costs (some 10 us), but joins of programs that
   fork thousands of times a second for tens of microseconds each (a loop inside
   a loop, as in lu) come at such distances, and sleeping at each of them made lu
   twice as slow. Hunts that fail shrink the budget, so a worker for whom there
   is seldom anything soon sleeps at once. *)

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

(* What a worker hunts until: [until ()], or, if [stops], the end of the pool. *)
type goal = { until : unit -> bool; stops : bool }

let rec nobody_works t i =
  if i = t.hub.size then true
  else
    let ctx = Array.get t.contexts i in
    if Atomic.get ctx.working then false else nobody_works t (i + 1)

(* The last one to stop tells those who sleep that this is the end. *)
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

(* A thief found something. If that is not all, one more sleeper is of use. *)
let found_more ctx =
  let t = ctx.pool in
  ctx.steals <- ctx.steals + 1;
  if Waiters.count t.waiters > 0 then if has_work ctx then wake_one t

(* Takes the announcement back. A notification that came in between was for a
   task that may still be there: it is passed on. *)
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
  (* Read after the announcement, since whoever changes it notifies then; and
     before the last look: once closed, tasks come from workers only, and each
     of them takes its last look after its last push. *)
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

(* The next task from anywhere. [None]: the goal is reached. *)
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

(* Waiting for an ivar: own tasks first, since in fork/join the one that sets
   it is usually among them; the callback only if that was not enough. *)

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

(* Roles. [servers] counts the threads inside each; only one of them acts for
   it, the others are below it on the stack, or blocked in a task. *)

(* With the mutex held, or by the only thread of the role. *)
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
  (* While we are the last, nobody else changes this entry but a thread that
     takes over the role, and that one waits for 0. *)
  if Array.get t.servers i = 1 then begin
    t.hub.retire i;
    (* What the worker kept for itself is open to the others now. *)
    if t.hub.has_work i then wake_one t
  end;
  Mutex.lock t.mutex;
  Array.set t.servers i (Array.get t.servers i - 1);
  Condition.broadcast t.change;
  Mutex.unlock t.mutex

(* The role is ours. *)
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

(* The role if it is free. *)
let try_fill t i =
  Mutex.lock t.mutex;
  let free = Array.get t.servers i = 0 in
  if free then ignore (join_role t i);
  Mutex.unlock t.mutex;
  if free then t.hub.enlist i;
  free

(* Waits until the role is free or [ready ()]; true if it got the role. *)
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

(* Role 0 is taken: the task goes to the hub, and its caller waits, but fills
   the role as soon as it is free.

   Not in a closed pool: from when the closer first fills role 0, it alone does.
   A caller that acted there beside the closer's last look could hold a task that
   the look misses, and leave tasks behind that nobody looks for any more. Who
   comes later reads [closed] under the mutex, after the closer's taking of the
   role, so sees true; who came before is waited for. The caller's own task is
   published: the closer sees to it that it runs.

   While the caller acts it may publish, so it is marked as working: the others
   then stay at hand. The mark goes before the role does, since after that it is
   the next one's. What the worker still has, or the hub keeps for it until it
   retires, whoever fills role 0 next finds, the closer at the latest. [outside]
   does not count it: it was lowered when the task was in the hub, and whoever
   fills a role is waited for. *)
let run_elsewhere t (task : 'a task) =
  let result = Atomic.make None in
  let ready () =
    match Atomic.get result with None -> false | Some _ -> true
  in
  let give_up () = if Atomic.get t.closed then true else ready () in
  let code ctx =
    let value = task ctx in
    Atomic.set result (Some value);
    (* Its caller may be in [fill_unless], or asleep in role 0. *)
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
      (* Closing waits for role 0 from here on. *)
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

(* Fills each role in turn until nothing is left in it: tasks for a worker that
   nobody served, and what those tasks leave. *)
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

(* Counts. Plain reads of words that their workers write: old values at worst. *)

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
