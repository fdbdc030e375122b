(* Scenarios; each is explored twice, with resumed tasks continuing at once and
   later. *)

open Dromos_model
module T = Locks_traced
module Atomic = Dscheck.TracedAtomic

let ensure text ok = if not ok then failwith text

let equal text a b =
  if a <> b then Printf.ksprintf failwith "%s: %d, not %d" text b a

(* The number of tasks inside, visible to the model checker. *)
let enter inside = equal "others inside" 0 (Atomic.fetch_and_add inside 1)
let leave inside = ignore (Atomic.fetch_and_add inside (-1))

module type Lock = sig
  type t

  val make : unit -> t
  val lock : t -> unit
  val unlock : t -> unit
  val event : t -> unit T.Event.t
  val try_lock : t -> bool
end

module type Mutex = sig
  type t

  val create : ?name:string -> unit -> t
  val lock : ?timeout:float -> t -> unit
  val try_lock : t -> bool
  val lock_event : t -> unit T.Event.t
  val unlock : t -> unit
end

module type Semaphore = sig
  type t

  val create : ?name:string -> ?max:int -> int -> t
  val acquire : ?timeout:float -> ?n:int -> t -> unit
  val try_acquire : ?n:int -> t -> bool
  val acquire_event : ?n:int -> t -> unit T.Event.t
  val release : ?n:int -> t -> unit
  val permits : t -> int
end

module Of_mutex (M : Mutex) = struct
  include M

  let make () = create ()
  let lock t = lock t
  let event = lock_event
end

module Of_semaphore (S : Semaphore) = struct
  type t = S.t

  let make () = S.create 1
  let lock t = S.acquire t
  let unlock t = S.release t
  let event t = S.acquire_event t
  let try_lock t = S.try_acquire t
end

let name what now = what ^ if now then ", at once" else ", later"

(* {1 Mutexes, and semaphores of one permit} *)

module Locks (L : Lock) = struct
  let use lock inside =
    enter inside;
    leave inside;
    L.unlock lock

  let free lock =
    equal "asleep" 0 (Tasks.asleep ());
    ensure "the lock was lost" (L.try_lock lock)

  let contend now () =
    Tasks.reset ~now;
    let lock = L.make () and inside = Atomic.make 0 in
    let task () =
      Tasks.run (Tasks.make ()) (fun () ->
          L.lock lock;
          use lock inside)
    in
    ([ task (); task () ], fun () -> free lock)

  let cancelled now () =
    Tasks.reset ~now;
    let lock = L.make () and inside = Atomic.make 0 in
    let first = Tasks.make () and second = Tasks.make () in
    let task t =
      Tasks.run t (fun () ->
          L.lock lock;
          use lock inside)
    in
    ( [ task first; task second; Tasks.thread (fun () -> Tasks.cancel second) ],
      fun () -> free lock )

  (* A choice is still registering while the holder unlocks. *)
  let choice now () =
    Tasks.reset ~now;
    let lock = L.make () and other = L.make () and inside = Atomic.make 0 in
    let holder = Tasks.make () in
    Tasks.run holder (fun () -> L.lock lock) ();
    let other_holder = Tasks.make () in
    Tasks.run other_holder (fun () -> L.lock other) ();
    ( [
        Tasks.run (Tasks.make ()) (fun () ->
            let either =
              T.Event.choose
                [
                  T.Event.wrap (L.event other) (fun () -> other);
                  T.Event.wrap (L.event lock) (fun () -> lock);
                ]
            in
            use (T.Event.sync either) inside);
        Tasks.run holder (fun () -> L.unlock lock);
      ],
      fun () ->
        free lock;
        ensure "the other" (not (L.try_lock other)) )

  let both f what scenario =
    [ f (name what true) (scenario true); f (name what false) (scenario false) ]

  let passes what =
    let passes = both (fun name -> Explore.passes name) in
    passes (what ^ ": two") contend
    @ passes (what ^ ": cancelled") cancelled
    @ passes (what ^ ": a choice") choice
end

module Semaphores = Locks (Of_semaphore (T.Semaphore))
module Semaphore_silent = Locks (Of_semaphore (T.Semaphore_silent))
module Semaphore_blind = Locks (Of_semaphore (T.Semaphore_blind))
module Semaphore_late = Locks (Of_semaphore (T.Semaphore_late))
(* {1 Semaphores of several permits} *)

module Permits (S : Semaphore) = struct
  let use ?n s task =
    Tasks.run task (fun () ->
        S.acquire ?n s;
        S.release ?n s)

  let waits ?n s =
    let task = Tasks.make () in
    use ?n s task ();
    task

  let left s expected () =
    equal "asleep" 0 (Tasks.asleep ());
    equal "permits" expected (S.permits s)

  let cancel task = Tasks.thread (fun () -> Tasks.cancel task)
  let release ?n s = Tasks.thread (fun () -> S.release ?n s)

  let gathered now () =
    Tasks.reset ~now;
    let s = S.create 1 in
    ([ use ~n:2 s (Tasks.make ()); release s ], left s 2)

  (* The first waiter, with a claim for two permits, is cancelled, while a task
     with a claim for one comes. In [released] this task waits already. *)
  let comes now () =
    Tasks.reset ~now;
    let s = S.create 1 in
    let first = waits ~n:2 s in
    ([ cancel first; use s (Tasks.make ()) ], left s 1)

  let released now () =
    Tasks.reset ~now;
    let s = S.create 0 in
    let first = waits ~n:2 s in
    ignore (waits s : Tasks.t);
    ([ cancel first; release s ], left s 1)

  (* Like [released]. At the time of the cancellation both permits may be on
     their way to the first waiter. *)
  let enough now () =
    Tasks.reset ~now;
    let s = S.create 1 in
    let first = waits ~n:2 s in
    ignore (waits s : Tasks.t);
    ignore (waits s : Tasks.t);
    ([ cancel first; release s ], left s 2)

  let shared now () =
    Tasks.reset ~now;
    let s = S.create 0 in
    Tasks.run (Tasks.make ()) (fun () -> S.acquire ~n:2 s) ();
    Tasks.run (Tasks.make ()) (fun () -> S.acquire s) ();
    ([ release ~n:4 s; use s (Tasks.make ()) ], left s 1)

  let choice now () =
    Tasks.reset ~now;
    let s = S.create 1 and other = S.create 0 in
    let choose () =
      let got, n =
        T.Event.select
          [
            T.Event.wrap (S.acquire_event ~n:2 s) (fun () -> (s, 2));
            T.Event.wrap (S.acquire_event other) (fun () -> (other, 1));
          ]
      in
      S.release ~n got
    in
    let check () =
      left s 1 ();
      equal "the other" 1 (S.permits other)
    in
    let task () =
      S.release other;
      S.acquire s;
      S.release s
    in
    ([ Tasks.run (Tasks.make ()) choose; Tasks.run (Tasks.make ()) task ], check)

  (* A choice with two claims in one queue does not block itself. *)
  let own now () =
    Tasks.reset ~now;
    let s = S.create 1 in
    let choose () =
      S.release ~n:1 s;
      let n =
        T.Event.select
          [
            T.Event.wrap (S.acquire_event ~n:2 s) (fun () -> 2);
            T.Event.wrap (S.acquire_event ~n:3 s) (fun () -> 3);
          ]
      in
      S.release ~n s
    in
    S.acquire s;
    ([ Tasks.run (Tasks.make ()) choose; release s ], left s 2)

  let scenarios =
    [
      ("gathered", None, gathered);
      ("the first leaves, one comes", None, comes);
      ("the first leaves, one waits", None, released);
      ("the first leaves, two wait", None, enough);
      ("shared out", None, shared);
      (* Too many orders for a full search. *)
      ("a choice", Some 3000, choice);
      ("a choice of two claims", Some 3000, own);
    ]

  let passes =
    let both (what, random, scenario) =
      let passes now = Explore.passes ?random (name what now) (scenario now) in
      [ passes true; passes false ]
    in
    List.concat_map both scenarios
end

module Several = Permits (T.Semaphore)
module Several_quiet = Permits (T.Semaphore_quiet)
module Several_silent = Permits (T.Semaphore_silent)
module Several_swallow = Permits (T.Semaphore_swallow)
module Several_stingy = Permits (T.Semaphore_stingy)

(* {1 Mutexes} *)

(* A task waits while another holds the mutex: the holder unlocks, and locks
   again, perhaps before the waiter continues. *)
module Overtaking (M : Mutex) = struct
  let use m inside =
    M.lock m;
    enter inside;
    leave inside;
    M.unlock m

  let start now =
    Tasks.reset ~now;
    let m = M.create () and inside = Atomic.make 0 and holder = Tasks.make () in
    Tasks.run holder (fun () -> M.lock m) ();
    (m, inside, holder)

  let waits m inside =
    let task = Tasks.make () in
    Tasks.run task (fun () -> use m inside) ();
    task

  let free m () =
    equal "asleep" 0 (Tasks.asleep ());
    ensure "the mutex was lost" (M.try_lock m)

  let again ?(times = 1) m inside holder =
    Tasks.run holder (fun () ->
        M.unlock m;
        for _ = 1 to times do
          use m inside
        done)

  let one now () =
    let m, inside, holder = start now in
    ignore (waits m inside : Tasks.t);
    let other = Tasks.run (Tasks.make ()) (fun () -> use m inside) in
    ([ again m inside holder; other ], free m)

  (* More often than a grant may be overtaken. *)
  let often now () =
    let m, inside, holder = start now in
    ignore (waits m inside : Tasks.t);
    ([ again ~times:4 m inside holder; Tasks.thread ignore ], free m)

  let cancelled now () =
    let m, inside, holder = start now in
    let first = waits m inside in
    ignore (waits m inside : Tasks.t);
    ( [
        again m inside holder;
        Tasks.thread (fun () -> Tasks.cancel first);
        Tasks.thread ignore;
      ],
      free m )

  let choice now () =
    let m, inside, holder = start now in
    let choose () =
      T.Event.sync (M.lock_event m);
      enter inside;
      leave inside;
      M.unlock m
    in
    Tasks.run (Tasks.make ()) choose ();
    let other = Tasks.run (Tasks.make ()) (fun () -> use m inside) in
    ([ again m inside holder; other ], free m)

  let passes =
    List.concat_map
      (fun now ->
        let passes what scenario =
          Explore.passes (name what now) (scenario now)
        in
        [
          passes "overtaken" one;
          passes "overtaken often" often;
          passes "overtaken and cancelled" cancelled;
          passes "a choice is not overtaken" choice;
        ])
      [ true; false ]
end

module Mutexes = Locks (Of_mutex (T.Mutex))
module Overtaken = Overtaking (T.Mutex)
module Mutex_claimed = Overtaking (T.Mutex_claimed)
module Mutex_handed = Overtaking (T.Mutex_handed)
module Mutex_blind = Overtaking (T.Mutex_blind)
module Mutex_choices = Overtaking (T.Mutex_choices)
module Mutex_late = Locks (Of_mutex (T.Mutex_late))
module Mutex_silent = Locks (Of_mutex (T.Mutex_silent))
module Mutex_twice = Locks (Of_mutex (T.Mutex_twice))

(* {1 Read-write locks} *)

module type Rwlock = sig
  type t

  val create : ?name:string -> unit -> t
  val lock_read : ?timeout:float -> t -> unit
  val lock_write : ?timeout:float -> t -> unit
  val try_lock_write : t -> bool
  val lock_read_event : t -> unit T.Event.t
  val lock_write_event : t -> unit T.Event.t
  val unlock_read : t -> unit
  val unlock_write : t -> unit
end

module Rwlocks (R : Rwlock) = struct
  let read lock readers writers =
    R.lock_read lock;
    ignore (Atomic.fetch_and_add readers 1);
    equal "writers beside a reader" 0 (Atomic.get writers);
    leave readers;
    R.unlock_read lock

  let write lock readers writers =
    R.lock_write lock;
    enter writers;
    equal "readers beside a writer" 0 (Atomic.get readers);
    leave writers;
    R.unlock_write lock

  let free lock =
    equal "asleep" 0 (Tasks.asleep ());
    ensure "the lock was lost" (R.try_lock_write lock)

  let start now =
    Tasks.reset ~now;
    (R.create (), Atomic.make 0, Atomic.make 0)

  let task f = Tasks.run (Tasks.make ()) f

  let two_writers now () =
    let lock, readers, writers = start now in
    let write () = write lock readers writers in
    ([ task write; task write ], fun () -> free lock)

  let reader_writer now () =
    let lock, readers, writers = start now in
    ( [
        task (fun () -> read lock readers writers);
        task (fun () -> write lock readers writers);
      ],
      fun () -> free lock )

  (* A first reader reads; a writer waits and is cancelled; a second reader
     comes. The first reader stays until the second and the writer are
     through. *)
  let writer_leaves now () =
    let lock, readers, writers = start now in
    let first = Tasks.make () and writer = Tasks.make () in
    Tasks.run first (fun () -> R.lock_read lock) ();
    Tasks.run writer (fun () -> write lock readers writers) ();
    ( [
        task (fun () -> read lock readers writers);
        Tasks.thread (fun () -> Tasks.cancel writer);
      ],
      fun () ->
        equal "asleep" 0 (Tasks.asleep ());
        R.unlock_read lock;
        free lock )

  (* The lock is given to a task that is being cancelled. *)
  let given now () =
    let lock, readers, writers = start now in
    let first = Tasks.make () and writer = Tasks.make () in
    Tasks.run first (fun () -> R.lock_read lock) ();
    Tasks.run writer (fun () -> write lock readers writers) ();
    Tasks.run (Tasks.make ()) (fun () -> read lock readers writers) ();
    ( [
        Tasks.run first (fun () -> R.unlock_read lock);
        Tasks.thread (fun () -> Tasks.cancel writer);
      ],
      fun () -> free lock )

  (* A choice is still registering in the queue while the holder unlocks; and a
     writer comes. *)
  let choice ~writer now () =
    let lock, readers, writers = start now in
    let other = R.create () in
    let holder = Tasks.make () in
    Tasks.run holder (fun () -> R.lock_write lock) ();
    Tasks.run (Tasks.make ()) (fun () -> R.lock_read other) ();
    ( (if writer then [ task (fun () -> write lock readers writers) ] else [])
      @ [
          task (fun () ->
              T.Event.sync
                (T.Event.choose
                   [ R.lock_write_event other; R.lock_read_event lock ]);
              ignore (Atomic.fetch_and_add readers 1);
              equal "writers beside a reader" 0 (Atomic.get writers);
              leave readers;
              R.unlock_read lock);
          Tasks.run holder (fun () -> R.unlock_write lock);
        ],
      fun () -> free lock )

  let passes =
    List.concat_map
      (fun now ->
        let passes what scenario =
          Explore.passes (name what now) (scenario now)
        in
        [
          passes "a choice" (choice ~writer:false);
          Explore.passes ~random:1000
            (name "a choice and a writer" now)
            (choice ~writer:true now);
          passes "two writers" two_writers;
          passes "a reader and a writer" reader_writer;
          passes "a writer leaves" writer_leaves;
          passes "given to a waiter that leaves" given;
        ])
      [ true; false ]
end

(* {1 Conditions} *)

module type Condition = sig
  type t

  val create : ?name:string -> unit -> t
  val wait : ?timeout:float -> t -> T.Mutex.t -> unit
  val signal : t -> unit
  val broadcast : t -> unit
end

module Conditions (C : Condition) = struct
  let start now =
    Tasks.reset ~now;
    (T.Mutex.create (), C.create (), ref false)

  let wait_for m c ready seen () =
    T.Mutex.lock m;
    (try
       while not !ready do
         C.wait c m
       done;
       incr seen
     with e ->
       T.Mutex.unlock m;
       raise e);
    T.Mutex.unlock m

  let announce signal m c ready () =
    T.Mutex.lock m;
    ready := true;
    T.Mutex.unlock m;
    signal c

  let done_ m seen n =
    equal "asleep" 0 (Tasks.asleep ());
    ensure "the mutex was lost" (T.Mutex.try_lock m);
    equal "woken" n !seen

  let one now () =
    let m, c, ready = start now in
    let seen = ref 0 in
    ( [
        Tasks.run (Tasks.make ()) (wait_for m c ready seen);
        Tasks.run (Tasks.make ()) (announce C.signal m c ready);
      ],
      fun () -> done_ m seen 1 )

  (* Two tasks wait; the first is cancelled while a signal comes. *)
  let passed_on now () =
    let m, c, ready = start now in
    let seen = ref 0 and first = Tasks.make () in
    let cancelled = ref 0 in
    Tasks.run first (wait_for m c ready cancelled) ();
    Tasks.run (Tasks.make ()) (wait_for m c ready seen) ();
    ready := true;
    ( [
        Tasks.thread (fun () -> C.signal c);
        Tasks.thread (fun () -> Tasks.cancel first);
      ],
      fun () ->
        ignore (Option.iter raise !Tasks.wrong);
        ensure "the signal was lost" (!seen + !cancelled >= 1);
        (* The remaining task is still in the queue. *)
        C.broadcast c;
        Tasks.thread ignore ();
        equal "asleep" 0 (Tasks.asleep ());
        equal "woken" 1 !seen;
        ensure "the mutex was lost" (T.Mutex.try_lock m) )

  (* Like [passed_on]; the signalling task holds the mutex. *)
  let passed_on_locked now () =
    let m, c, ready = start now in
    let seen = ref 0 and went_on = ref 0 and first = Tasks.make () in
    Tasks.run first (wait_for m c ready went_on) ();
    Tasks.run (Tasks.make ()) (wait_for m c ready seen) ();
    let signal () =
      T.Mutex.lock m;
      ready := true;
      C.signal c;
      T.Mutex.unlock m
    in
    ( [
        Tasks.run (Tasks.make ()) signal;
        Tasks.thread (fun () -> Tasks.cancel first);
      ],
      fun () ->
        (* The first task continued, or the second was woken. *)
        let asleep = Tasks.asleep () in
        ensure "the signal was lost" (asleep = 0 || !went_on = 1);
        C.broadcast c;
        Tasks.thread ignore ();
        done_ m seen 1 )

  let all now () =
    let m, c, ready = start now in
    let seen = ref 0 in
    Tasks.run (Tasks.make ()) (wait_for m c ready seen) ();
    ( [
        Tasks.run (Tasks.make ()) (wait_for m c ready seen);
        Tasks.run (Tasks.make ()) (announce C.broadcast m c ready);
      ],
      fun () -> done_ m seen 2 )

  (* Another task holds the mutex at the time of the cancellation. *)
  let again now () =
    let m, c, ready = start now in
    let seen = ref 0 and waiter = Tasks.make () in
    let inside = Atomic.make 0 in
    Tasks.run waiter
      (fun () ->
        T.Mutex.lock m;
        Fun.protect
          ~finally:(fun () ->
            enter inside;
            leave inside;
            T.Mutex.unlock m)
          (fun () -> C.wait c m))
      ();
    ignore ready;
    ( [
        Tasks.run (Tasks.make ()) (fun () ->
            T.Mutex.lock m;
            enter inside;
            leave inside;
            T.Mutex.unlock m);
        Tasks.thread (fun () -> Tasks.cancel waiter);
      ],
      fun () -> done_ m seen 0 )

  let passes =
    List.concat_map
      (fun now ->
        let passes what scenario =
          Explore.passes (name what now) (scenario now)
        in
        [
          passes "a signal" one;
          passes "a signal passed on" passed_on;
          passes "a signal passed on, locked" passed_on_locked;
          passes "a broadcast" all;
          passes "the mutex again" again;
        ])
      [ true; false ]
end

(* {1 Barriers} *)

module type Barrier = sig
  type t

  val create : ?name:string -> int -> t
  val wait : ?timeout:float -> t -> bool
  val arrived : t -> int
end

module Barriers (B : Barrier) = struct
  let party b passed last () =
    if B.wait b then incr last;
    incr passed

  let start now =
    Tasks.reset ~now;
    (B.create 2, ref 0, ref 0)

  let two now () =
    let b, passed, last = start now in
    let task () = Tasks.run (Tasks.make ()) (party b passed last) in
    ( [ task (); task () ],
      fun () ->
        equal "asleep" 0 (Tasks.asleep ());
        equal "passed" 2 !passed;
        equal "the last" 1 !last )

  (* The first task is cancelled; the second passes with it or waits for a
     third. *)
  let cancelled now () =
    let b, passed, last = start now in
    let first = Tasks.make () in
    Tasks.run first (party b passed last) ();
    ( [
        Tasks.run (Tasks.make ()) (party b passed last);
        Tasks.thread (fun () -> Tasks.cancel first);
      ],
      fun () ->
        let asleep = Tasks.asleep () in
        equal "arrived" asleep (B.arrived b);
        equal "passed" (if asleep = 0 then 2 else 0) !passed )

  (* The round is over, and the next has begun, at the time of the
     cancellation. *)
  let next_round now () =
    let b, passed, last = start now in
    let first = Tasks.make () in
    Tasks.run first (party b passed last) ();
    ( [
        Tasks.run (Tasks.make ()) (fun () ->
            party b passed last ();
            party b passed last ());
        Tasks.thread (fun () -> Tasks.cancel first);
      ],
      fun () ->
        let asleep = Tasks.asleep () in
        equal "arrived" asleep (B.arrived b);
        equal "asleep" 1 asleep;
        ensure "passed" (!passed = 2 || !passed = 0) )

  let passes =
    List.concat_map
      (fun now ->
        let passes what scenario =
          Explore.passes (name what now) (scenario now)
        in
        [
          passes "two" two;
          passes "cancelled" cancelled;
          passes "the next round" next_round;
        ])
      [ true; false ]
end

module Right_rwlock = Rwlocks (T.Rwlock)
module Rwlock_quiet = Rwlocks (T.Rwlock_quiet)
module Rwlock_closed = Rwlocks (T.Rwlock_closed)
module Rwlock_ghost = Rwlocks (T.Rwlock_ghost)
module Rwlock_blind = Rwlocks (T.Rwlock_blind)
module Right_condition = Conditions (T.Condition)
module Condition_late = Conditions (T.Condition_late)
module Condition_swallow = Conditions (T.Condition_swallow)
module Condition_lost = Conditions (T.Condition_lost)
module Condition_used = Conditions (T.Condition_used)
module Right_barrier = Barriers (T.Barrier)
module Barrier_again = Barriers (T.Barrier_again)
module Barrier_blind = Barriers (T.Barrier_blind)
module Barrier_stuck = Barriers (T.Barrier_stuck)

let () =
  Alcotest.run "locks model"
    [
      ("semaphore", Semaphores.passes "semaphore");
      ("several permits", Several.passes);
      ("mutex", Mutexes.passes "mutex");
      ("mutex, overtaken", Overtaken.passes);
      ("read-write lock", Right_rwlock.passes);
      ("condition", Right_condition.passes);
      ("barrier", Right_barrier.passes);
      ( "seeded bugs",
        [
          Explore.catches "semaphore: no second look"
            (Semaphore_silent.choice true);
          Explore.catches "semaphore: blind" (Semaphore_blind.contend true);
          Explore.catches "semaphore: late" (Semaphore_late.contend true);
          Explore.catches "several permits: quiet" (Several_quiet.comes true);
          Explore.catches "several permits: silent"
            (Several_silent.released true);
          Explore.catches "several permits: swallow"
            (Several_swallow.enough true);
          Explore.catches "several permits: stingy" (Several_stingy.shared true);
          Explore.catches "mutex: no second look" (Mutex_silent.choice true);
          Explore.catches "mutex: late" (Mutex_late.contend true);
          Explore.catches "mutex: twice" (Mutex_twice.cancelled false);
          Explore.catches "mutex: claimed" (Mutex_claimed.one false);
          Explore.catches "mutex: handed back" (Mutex_handed.one false);
          Explore.catches "mutex: blind" (Mutex_blind.one false);
          Explore.catches "mutex: choices" (Mutex_choices.choice false);
          Explore.catches "read-write lock: quiet"
            (Rwlock_quiet.writer_leaves true);
          Explore.catches "read-write lock: closed"
            (Rwlock_closed.reader_writer true);
          Explore.catches "read-write lock: ghost" (Rwlock_ghost.given true);
          Explore.catches "read-write lock: blind"
            (Rwlock_blind.reader_writer true);
          Explore.catches "condition: late" (Condition_late.one true);
          Explore.catches "condition: swallow"
            (Condition_swallow.passed_on true);
          Explore.catches "condition: used"
            (Condition_used.passed_on_locked true);
          Explore.catches "condition: lost" (Condition_lost.passed_on true);
          Explore.catches "barrier: again" (Barrier_again.next_round true);
          Explore.catches "barrier: blind" (Barrier_blind.two true);
          Explore.catches "barrier: stuck" (Barrier_stuck.cancelled true);
        ] );
    ]
