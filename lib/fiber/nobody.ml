open Types
module Once = Dromos_sync.Author.Once
module Hub = Dromos_hub.Hub
module Pool = Dromos_kernel.Pool

let stop = Forward Stop
let resumed () = ()
let no_fork (_ : unit -> unit) = ()
let awake = "(awake)"
let no_orphans = { Orphan.kept = []; length = 0; limit = 16 }

let rec nil_fork : (fiber -> unit, unit, unit) fork =
  { code = (fun _ -> ()); cell = Latent; prev = Frame nil_fork }

let nil = Frame nil_fork
let no_frames = { top = nil }

let threads ~serve =
  {
    spares = [];
    parked = [];
    made = [];
    deferred = [];
    preemptions = 0;
    put_off = 0;
    refused = Atomic.make 0;
    serve;
  }

let signal = Atomic.make 0

let pool =
  let hub ~workers = Dromos_hub.Fifo.maker.make ~workers in
  Pool.create ~hub ~idle:signal ~on_idle:ignore ~workers:1

(* The fields whose values are not constants are made first: a recursive
   definition may not compute. *)
let node = Once.create ()
and over = Atomic.make true
and vacant = Atomic.make 0
and unserved = Atomic.make 0
and interruption = Once.create ()
and notes = Atomic.make []
and quiet = Quiet.create Settled
and mask = Dromos_service.Signals.current ()
and signalled = Atomic.make false
and pending = Pending.create ()
and failures = Atomic.make []
and orphans = Atomic.make no_orphans
and unhandled = { Orphan.tell = (fun ~what:_ _ _ -> ()); reads = false }
and task = Hub.task ignore
and go = Atomic.make resumed
and turns = Turns.create ()
and waiters = Registry.create ~none:Info.no_holder ~gone:ignore ()
and queue = Ready_queue.create ()
and serves_queue = Atomic.make 0
and inbox = Atomic.make 0
and groups = Atomic.make 0
and threads_of_nobody = threads ~serve:ignore
and made : made = Atomic.make Made.Gone

let unbegun = Made.own ~none:made ~retract:(fun _ -> false) ~push:ignore

let rec run =
  {
    pool;
    run_signal = signal;
    workers = [||];
    hub_name = "none";
    mask;
    backtraces = false;
    over;
    vacant;
    unserved;
    ask_workers = ignore;
    look_around = ignore;
    standing = false;
    attend = (fun _ serve -> serve ());
    began = Minor_stops.never;
    deques = No_deques;
    interruption;
    notes;
    root = scope;
    quiet;
    keeps_domains = false;
  }

and scope =
  {
    scope_run = run;
    scope_node = node;
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
    node;
    scope;
    shield = 0;
    fls = Hmap.empty;
    depth = 0;
    info = Info.nobody;
    self_id = 0;
    pin = -1;
    waits = awake;
    since = -1;
    stack = [];
    handle = { of_fiber = fiber; home = -1; go };
    given = stop;
    ends = ignore;
    masked = 0;
    interruptible = 0;
    yields = 0;
    yielded_at = 0;
    base = 0;
    asks = no_fork;
    came_at = (0, -1);
    guests = [];
    witness;
  }

and witness = { contents = 0 }

and worker =
  {
    id = 0;
    run;
    kernel = None;
    local;
    stop_requested = false;
    over_quota = false;
    resting = false;
    written = true;
    promotions = 0;
    suspensions = 0;
    turns;
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
    threads = threads_of_nobody;
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
    slot = None;
    outside = None;
  }
