(* Types, and the look-up of the running fiber. *)

module Once = Dromos_sync.Once
module Hub = Dromos_hub.Hub
module Pool = Dromos_kernel.Pool
module Waiter = Dromos_sync.Waiter

type 'a value = 'a Waiter.outcome Once.t
type cancel = exn Once.t
type guest_state = ..

type t = {
  mutable frames : frames;
  heap : Task_heap.t;
  signal : int Atomic.t;
  mutable worker : worker;
  mutable task : Pool.context Hub.task;
  mutable cancel : cancel;
  mutable scope : scope;
  mutable shield : int;
  mutable depth : int;
  mutable self_id : int;
  mutable waits : string;
  mutable since : int;
  mutable info : info;
  mutable fls : Hmap.t;
  mutable pin : int;
  mutable hand : ready;
  mutable stack : entry list;
  mutable given : directive;
  ends : unit -> unit;
  mutable masked : int;
  mutable interruptible : int;
  mutable yields : int;
  mutable yielded_at : int;
  mutable base : int;
  mutable asks : (unit -> unit) -> unit;
  mutable came_at : int * int;
  mutable guests : guest list;
  mutable witness : witness;
}

and witness = int ref
and guest = { library : library; knows : guest_state }

and library = {
  library_name : string;
  forbids : guest_state -> bool;
  stopped : t -> guest_state -> (exn * Printexc.raw_backtrace) option;
  cancels : guest_state -> exn -> bool;
  around : 'a. guest_state -> 'a block -> 'a block;
}

and 'a block = 'a Dromos_suspend.resumer -> 'a option

and info = {
  kind : string;
  name : string;
  made_at : Printexc.raw_backtrace option;
  mutable waits_at : Printexc.raw_backtrace option;
  hands : hands;
}

and hands = {
  mutable whose : int;
  whose_name : string;
  mutable held_for : string;
}

and frames = { mutable top : frame }
and frame = Frame : ('code, 'a, 'b) fork -> frame [@@unboxed]

and ('code, 'a, 'b) fork = {
  code : 'code;
  mutable cell : ('code, 'a, 'b) cell;
  prev : frame;
}

and ('code, 'a, 'b) cell =
  | Latent : (t -> 'b, 'a, 'b) cell
  | Owned of ('code, 'a, 'b) owner
  | Promoted of ('a, 'b) join
  | Border of env

and ('code, 'a, 'b) owner = {
  offer : worker -> branch -> unit;
  begin_late : t -> 'a value -> 'code -> 'b;
}

and branch = {
  claim : unit -> bool;
  run_in : env;
  own_node : cancel;
  left : left;
  go_branch : t -> unit;
}

and left = { first : cancel; outer : cancel; hung : exn Once.listener }

and env = {
  in_scope : scope;
  under : cancel;
  shielded : bool;
  inherits : Hmap.t;
}

and ('a, 'b) join = {
  state : 'b Join.t;
  branch : cancel;
  late : t -> 'b;
  owned : 'a owned option;
  mutable record : (t -> unit, 'b Join.outcome) Task_heap.record;
}

and 'a owned = {
  publish : worker -> branch -> unit;
  value : 'a value;
  remains : left;
}

and worker = {
  id : int;
  run : run;
  mutable kernel : Pool.context option;
  mutable local : local;
  mutable leave : bool;
  mutable shed : bool;
  mutable resting : bool;
  mutable written : bool;
  mutable promotions : int;
  mutable suspensions : int;
  turns : turns;
  unbegun : own;
  waiters : (t, hands) Registry.t;
  mutable ended : int;
  mutable actions : entry list;
  mutable next : directive;
  mutable next_by : t;
  queue : ready Ready_queue.t;
  serves_queue : int Atomic.t;
  inbox : int Atomic.t;
  groups : int Atomic.t;
  mutable slices : int;
  mutable due : int;
  mutable crowd : crowd;
}

and made = (about, Pool.context Hub.task) Made.t

and about = {
  in_which : scope;
  its_storage : Hmap.t;
  its_info : info;
  its_failed : failed;
  at : int;
}

and failed = {
  failed :
    'a.
    scope ->
    info ->
    'a Dromos_sync.Promise.t ->
    exn * Printexc.raw_backtrace ->
    unit;
}
[@@unboxed]

and own = (about, Pool.context Hub.task) Made.own
and signal = Stop | Preempt of ready

and directive =
  | Forward of signal
  | Run of { action : action; fiber : t; mutable go : unit -> unit }

and action = {
  action_name : string;
  turn : string;
  act : signal -> directive;
  ready_again : (ready -> unit) option;
}

and entry = { action : action; owner : t }
and ready = { of_fiber : t; home : int; go : (unit -> unit) Atomic.t }

and seat = {
  place : local;
  mutex : Mutex.t;
  bell : Condition.t;
  sitter : Thread.t;
  mutable called : bool;
}

and crowd = {
  mutable spares : seat list;
  mutable parked : seat list;
  mutable threads : Thread.t list;
  mutable deferred : ready list;
  mutable preemptions : int;
  mutable put_off : int;
  refused : int Atomic.t;
  serve : unit -> unit;
}

and deques = No_deques | Public | Private

and turns = {
  mutable woken : int;
  mutable made : int;
  mutable gave_way : int;
  mutable look_at : int;
  mutable looked : int;
}

and run = {
  pool : Pool.t;
  run_signal : int Atomic.t;
  workers : worker array;
  hub_name : string;
  mask : Dromos_service.Signals.set;
  backtraces : bool;
  over : bool Atomic.t;
  vacant : int Atomic.t;
  unserved : int Atomic.t;
  ask_workers : unit -> unit;
  look_around : worker -> unit;
  standing : bool;
  attend : int -> (unit -> unit) -> unit;
  began : Minor_stops.mark;
  deques : deques;
  interruption : (exn * Printexc.raw_backtrace) Once.t;
  notes : orphan list Atomic.t;
  mutable root : scope;
  watched : watched;
  mutable keeps_domains : bool;
}

and watched = {
  mutable seen : int;
  mutable seen_everywhere : int;
  mutable quiet : int;
  mutable calm : int;
  mutable asked : asked;
  mutable patience : int;
  mutable reported : (int * int) list;
  mutable stage : stage;
}

and asked = Not_yet | In_vain of { calm : bool; at : int; elsewhere : int }
and stage = Watching | Settled | Failed of exn | Abandoned of exn

and scope = {
  scope_run : run;
  node : cancel;
  signalled : bool Atomic.t;
  pending : Pending.t;
  failures : (exn * Printexc.raw_backtrace) list Atomic.t;
  orphans : orphans Atomic.t;
  mutable cut_short : bool;
  unhandled : unhandled;
}

and unhandled = {
  tell : what:string -> exn -> Printexc.raw_backtrace -> unit;
  reads : bool;
}

and orphan = {
  awaited : unit -> bool;
  error : exn * Printexc.raw_backtrace;
  failed_at : int;
  told : bool Atomic.t;
  what : string;
  of_scope : unhandled;
  its_fls : Hmap.t;
}

and orphans = { kept : orphan list; length : int; limit : int }

and local = {
  mutable thread : int;
  mutable current : t;
  mutable serving : worker option;
  mutable companion : companion option;
  mutable others : local list;
  mutable hub_open : bool;
  mutable visited : bool;
  mutable ask : unit -> unit;
  mutable watch : unit -> unit;
  mutable reads_frames : bool;
  domain : Nudge.domain;
  mutable seat : seat option;
  mutable outside : outside option;
}

and outside = {
  read : unit -> Hmap.t;
  write : (Hmap.t -> unit) option;
  within : 'a. Hmap.t -> (unit -> 'a) -> 'a;
}

and companion = { stop : unit -> unit; lives : unit -> bool }

let debug =
  match Sys.getenv_opt "DROMOS_DEBUG" with
  | None | Some ("" | "0") -> false
  | Some _ -> true

let stop = Forward Stop
let spent () = ()
let no_fork (_ : unit -> unit) = ()
let recovered () = ignore 0

let crowd ~serve =
  {
    spares = [];
    parked = [];
    threads = [];
    deferred = [];
    preemptions = 0;
    put_off = 0;
    refused = Atomic.make 0;
    serve;
  }

(* [look_at]: a short run does not look around. *)
let turns () = { woken = 0; made = 0; gave_way = 0; look_at = 64; looked = 0 }
let awake = "(awake)"
let no_orphans = { kept = []; length = 0; limit = 16 }

let rec nil_fork : (t -> unit, unit, unit) fork =
  { code = (fun _ -> ()); cell = Latent; prev = Frame nil_fork }

let nil = Frame nil_fork
let[@inline] is_nil frame = frame == nil
let no_frames = { top = nil }
let nowhere = (0, -1)
let no_witness = ref 0

let watched stage =
  {
    seen = 0;
    seen_everywhere = 0;
    quiet = 0;
    calm = 0;
    asked = Not_yet;
    patience = 0;
    reported = [];
    stage;
  }

let no_hands = { whose = 0; whose_name = ""; held_for = "" }

external cell : Task_heap.t -> frames = "dromos_task_heap_cell" [@@noalloc]

(* No poll point lies between the test and the stores. *)
let enter_heap fiber =
  Task_heap.enter fiber.heap;
  if Task_heap.has_heap fiber.heap then begin
    let private_ = cell fiber.heap in
    if fiber.frames != private_ then begin
      private_.top <- fiber.frames.top;
      fiber.frames <- private_
    end
  end

(* The run of no fiber has an empty pool, so [nobody] is an ordinary record, and
   the fast paths compare addresses instead of matching options. No task is ever
   pushed to that pool. *)
let nobody =
  let signal = Atomic.make 0 in
  let empty_hub ~workers = Dromos_hub.Fifo.maker.make ~workers in
  let pool =
    Pool.create ~hub:empty_hub ~idle:signal ~on_idle:ignore ~workers:1
  in
  let over = Atomic.make true and vacant = Atomic.make 0 in
  let node = Once.create () in
  let signalled = Atomic.make false and pending = Pending.create () in
  let failures = Atomic.make [] and orphans = Atomic.make no_orphans in
  let unhandled = { tell = (fun ~what:_ _ _ -> ()); reads = false } in
  let waiters = Registry.create ~none:no_hands ~gone:ignore ()
  and queue = Ready_queue.create () in
  let serves_queue = Atomic.make 0 and groups = Atomic.make 0 in
  let inbox = Atomic.make 0 in
  let go = Atomic.make spent in
  let crowd = crowd ~serve:ignore and none = Atomic.make Made.Gone in
  let task = Hub.task ignore in
  let info =
    { kind = ""; name = ""; made_at = None; waits_at = None; hands = no_hands }
  in
  let rec run =
    {
      pool;
      run_signal = signal;
      workers = [||];
      hub_name = "none";
      mask = Dromos_service.Signals.current ();
      backtraces = false;
      over;
      vacant;
      unserved = Atomic.make 0;
      ask_workers = ignore;
      look_around = ignore;
      standing = false;
      attend = (fun _ serve -> serve ());
      began = Minor_stops.never;
      deques = No_deques;
      interruption = Once.create ();
      notes = Atomic.make [];
      root = scope;
      watched = watched Settled;
      keeps_domains = false;
    }
  and scope =
    {
      scope_run = run;
      node;
      signalled;
      pending;
      failures;
      orphans;
      cut_short = false;
      unhandled;
    }
  and fiber =
    {
      frames = no_frames;
      heap = Task_heap.none;
      signal;
      worker;
      task;
      cancel = node;
      scope;
      shield = 0;
      depth = 0;
      self_id = 0;
      waits = awake;
      since = -1;
      info;
      fls = Hmap.empty;
      pin = -1;
      hand;
      stack = [];
      given = stop;
      ends = ignore;
      masked = 0;
      interruptible = 0;
      yields = 0;
      yielded_at = 0;
      base = 0;
      asks = no_fork;
      came_at = nowhere;
      guests = [];
      witness = no_witness;
    }
  and hand = { of_fiber = fiber; home = -1; go }
  and unbegun =
    {
      Made.none;
      retract = (fun _ -> false);
      push = ignore;
      places = [||];
      size = 0;
      most = 0;
      last = None;
    }
  and worker =
    {
      id = 0;
      run;
      kernel = None;
      local;
      leave = false;
      shed = false;
      resting = false;
      written = true;
      promotions = 0;
      suspensions = 0;
      turns = turns ();
      unbegun;
      waiters;
      ended = 0;
      actions = [];
      next = stop;
      next_by = fiber;
      queue;
      serves_queue;
      inbox;
      groups;
      slices = 0;
      due = 0;
      crowd;
    }
  and local =
    {
      thread = -1;
      current = fiber;
      serving = None;
      companion = None;
      others = [];
      hub_open = false;
      visited = false;
      ask = ignore;
      watch = ignore;
      reads_frames = false;
      domain = Nudge.none;
      seat = None;
      outside = None;
    }
  in
  fiber

let no_hand = nobody.hand
let nothing_made = nobody.worker.unbegun.none

let id (fiber : t) =
  if fiber.self_id = 0 then fiber.self_id <- Dromos_suspend.fresh_id ();
  fiber.self_id

(* The handler of the inner scheduler answers [Self]. In a callback from C no
   handler answers. *)
let is_host fiber =
  let id = Dromos_suspend.self () in
  id > 0 && not (Int.equal id fiber.self_id)

let fresh_local thread =
  {
    thread;
    current = nobody;
    serving = None;
    companion = None;
    others = [];
    hub_open = false;
    visited = false;
    ask = ignore;
    watch = ignore;
    reads_frames = false;
    domain = Nudge.self ();
    seat = None;
    outside = None;
  }

(* A domain's systhreads share the domain's DLS. The fast path tests the first
   record; the records of the other threads are in the first record's list
   [others]. One store replaces the list, and only threads of this domain use
   the list. *)
let key = Domain.DLS.new_key (fun () -> fresh_local (-1))
let self () = Thread.id (Thread.self ())

let[@inline never] other_local first thread =
  List.find_opt (fun l -> l.thread = thread) first.others

let find_local () =
  let first = Domain.DLS.get key in
  let thread = self () in
  if first.thread = thread then Some first else other_local first thread

(* Another systhread of the domain may run in between, so the list is replaced
   only if the list is still the one that was read. No poll point separates the
   test from the store. *)
let rec update_others first change =
  let old = first.others in
  let next = change old in
  if first.others == old then first.others <- next
  else update_others first change

let local () =
  match find_local () with
  | Some l -> l
  | None ->
      let first = Domain.DLS.get key in
      let thread = self () in
      if first.thread = -1 then begin
        first.thread <- thread;
        first
      end
      else begin
        let l = fresh_local thread in
        update_others first (fun others -> l :: others);
        l
      end

let release local =
  let first = Domain.DLS.get key in
  if local != first || not (Domain.is_main_domain ()) then begin
    let stop = local.companion in
    local.companion <- None;
    Option.iter (fun companion -> companion.stop ()) stop
  end;
  if local != first then update_others first (List.filter (fun l -> l != local))

let[@inline never] current_elsewhere first thread =
  match other_local first thread with Some l -> l.current | None -> nobody

let current () =
  let first = Domain.DLS.get key in
  let thread = self () in
  if first.thread = thread then first.current
  else current_elsewhere first thread

let workers fiber = Int.max 1 (Array.length fiber.worker.run.workers)

let kernel worker =
  match worker.kernel with
  | Some context -> context
  | None -> invalid_arg "Dromos: a worker without its kernel context"
