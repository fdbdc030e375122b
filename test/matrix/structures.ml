open Dromos_sync
open Step

type t = {
  name : string;
  direct : bool;
  scenarios : (string * (Env.t -> unit)) list;
}

let structure ?(direct = false) name scenarios = { name; direct; scenarios }
let queue name kind = structure name (Queues.scenarios kind)

(* Takes the rest, by a function that does not wait. *)
let drain try_take () =
  let rec go taken =
    match try_take () with None -> List.rev taken | Some v -> go (v :: taken)
  in
  go []

(* {1 Structures that pass messages} *)

let semaphore =
  let make () =
    let s = Semaphore.create ~name:"matrix" 0 in
    let acquired = Event.wrap (Semaphore.acquire_event s) (fun () -> 0) in
    let acquire ?timeout () =
      Semaphore.acquire ?timeout s;
      0
    in
    let take = op ~direct:(fun () -> acquire ()) acquired in
    let try_take () = if Semaphore.try_acquire s then Some 0 else None in
    {
      Queues.put = (fun _ -> call (fun () -> Semaphore.release s));
      put_event = None;
      put_for = None;
      take;
      take_for =
        (fun seconds ->
          within seconds ~direct:(fun timeout -> acquire ~timeout ()) take);
      left = drain try_take;
      close = None;
      is_closed = (fun _ -> false);
    }
  in
  queue "Semaphore"
    { Queues.make; room = max_int; numbered = false; fair = true }

(* With [put] and [take] in both forms. *)
let queue_of ~put_event ~put ~take_event ~take ~try_take ?close () =
  let put_op v = op (put_event v) ~direct:(fun () -> put None v) in
  let take_op = op take_event ~direct:(fun () -> take None) in
  let put_for seconds v =
    let direct timeout = put (Some timeout) v in
    let* sent = wait (within seconds ~direct (put_op v)) in
    return (sent = Some ())
  in
  let try_take () =
    match try_take () with v -> v | exception Channel.Closed -> None
  in
  {
    Queues.put = (fun v -> wait (put_op v));
    put_event = Some put_event;
    put_for = Some put_for;
    take = take_op;
    take_for =
      (fun seconds ->
        within seconds ~direct:(fun timeout -> take (Some timeout)) take_op);
    left = drain try_take;
    close;
    is_closed = (fun e -> e = Channel.Closed);
  }

let channel name capacity =
  let make () =
    let c = Channel.create ~name:"matrix" ~capacity () in
    queue_of () ~put_event:(Channel.send_event c)
      ~put:(fun timeout v -> Channel.send ?timeout c v)
      ~take_event:(Channel.recv_event c)
      ~take:(fun timeout -> Channel.recv ?timeout c)
      ~try_take:(fun () -> Channel.try_recv c)
      ~close:(fun () -> Channel.close c)
  in
  queue name { Queues.make; room = capacity; numbered = true; fair = true }

let mvar =
  let make () =
    let m = Mvar.create ~name:"matrix" () in
    queue_of () ~put_event:(Mvar.put_event m)
      ~put:(fun timeout v -> Mvar.put ?timeout m v)
      ~take_event:(Mvar.take_event m)
      ~take:(fun timeout -> Mvar.take ?timeout m)
      ~try_take:(fun () -> Mvar.try_take m)
  in
  queue "Mvar" { Queues.make; room = 1; numbered = true; fair = true }

let stream =
  let make () =
    let s = Stream.create ~name:"matrix" 2 in
    queue_of () ~put_event:(Stream.add_event s)
      ~put:(fun timeout v -> Stream.add ?timeout s v)
      ~take_event:(Stream.take_event s)
      ~take:(fun timeout -> Stream.take ?timeout s)
      ~try_take:(fun () -> Stream.try_take s)
      ~close:(fun () -> Stream.close s)
  in
  queue "Stream" { Queues.make; room = 2; numbered = true; fair = true }

(* A single subscription, from which all tasks take. *)
let broadcast =
  let make () =
    let b = Broadcast.create ~name:"matrix" 2 in
    let s = Broadcast.subscribe b in
    let take =
      op (Broadcast.receive_event s) ~direct:(fun () -> Broadcast.receive s)
    in
    let try_take () =
      match Broadcast.try_receive s with
      | v -> v
      | exception Broadcast.Closed -> None
    in
    {
      Queues.put = (fun v -> plain (fun () -> Broadcast.publish b v));
      put_event = None;
      put_for =
        Some
          (fun timeout v ->
            plain (fun () ->
                match Broadcast.publish ~timeout b v with
                | () -> true
                | exception Event.Timeout -> false));
      take;
      take_for =
        (fun seconds ->
          let direct timeout = Broadcast.receive ~timeout s in
          within seconds ~direct take);
      left = drain try_take;
      close = Some (fun () -> Broadcast.close b);
      is_closed = (fun e -> e = Broadcast.Closed);
    }
  in
  structure ~direct:true "Broadcast"
    (Queues.scenarios { Queues.make; room = 2; numbered = true; fair = true })

(* {1 Structures with holders} *)

let lock name ?(holders = 1) ~event ~acquire ~release ~try_acquire create =
  let make () =
    let l = create () in
    let op = op (event l) ~direct:(fun () -> acquire None l) in
    {
      Locks.acquire = op;
      acquire_for =
        (fun seconds ->
          within seconds op ~direct:(fun timeout -> acquire (Some timeout) l));
      release = (fun () -> release l);
      try_acquire = (fun () -> try_acquire l);
    }
  in
  structure name (Locks.scenarios { Locks.make; holders })

(* A semaphore that two tasks, each with [n] permits, can hold. *)
let permits name n =
  lock name ~holders:2
    ~event:(Semaphore.acquire_event ~n)
    ~acquire:(fun timeout s -> Semaphore.acquire ?timeout ~n s)
    ~release:(Semaphore.release ~n) ~try_acquire:(Semaphore.try_acquire ~n)
    (fun () -> Semaphore.create ~name:"matrix" ((2 * n) + (n / 2)))

let mutex =
  lock "Mutex" ~event:Mutex.lock_event
    ~acquire:(fun timeout m -> Mutex.lock ?timeout m)
    ~release:Mutex.unlock ~try_acquire:Mutex.try_lock
    (fun () -> Mutex.create ~name:"matrix" ())

let rwlock =
  let as_writer =
    let acquire l =
      op (Rwlock.lock_write_event l) ~direct:(fun () -> Rwlock.lock_write l)
    in
    let make () =
      let l = Rwlock.create ~name:"matrix" () in
      let direct timeout = Rwlock.lock_write ~timeout l in
      {
        Locks.acquire = acquire l;
        acquire_for = (fun seconds -> within seconds ~direct (acquire l));
        release = (fun () -> Rwlock.unlock_write l);
        try_acquire = (fun () -> Rwlock.try_lock_write l);
      }
    in
    Locks.scenarios { Locks.make; holders = 1 }
  in
  let named (name, f) = ("writers: " ^ name, f) in
  structure "Rwlock" (List.map named as_writer @ Rwlocks.scenarios)

let strand =
  let make () =
    let s = Dromos.Strand.create ~name:"matrix" () in
    let use ?timeout f = Dromos.Strand.run ?timeout s f in
    { Brackets.use; over = (fun () -> use ~timeout:0. ignore) }
  in
  structure ~direct:true "Strand"
    (Brackets.scenarios { Brackets.make; holders = 1 })

let pool =
  let make () =
    let alive = Atomic.make 0 in
    let make () =
      let n = 1 + Atomic.fetch_and_add alive 1 in
      Env.ensure (n <= 2) "%d resources, not 2" n
    in
    let dispose () = Atomic.decr alive in
    let p = Resource_pool.create ~name:"matrix" ~max:2 ~make ~dispose () in
    let over () =
      let { Resource_pool.in_use; waiting; _ } = Resource_pool.stats p in
      Env.ensure (in_use = 0) "%d are in use" in_use;
      Env.ensure (waiting = 0) "%d wait" waiting;
      Resource_pool.close p;
      Env.ensure (Atomic.get alive = 0) "%d are left" (Atomic.get alive)
    in
    let use ?timeout f = Resource_pool.use ?timeout p f in
    { Brackets.use; over }
  in
  structure ~direct:true "Resource_pool"
    (Brackets.scenarios { Brackets.make; holders = 2 })

(* {1 Events that happen once} *)

let ivar =
  let make () =
    let i = Ivar.create ~name:"matrix" () in
    let wait = op (Ivar.read_event i) ~direct:(fun () -> Ivar.read i) in
    let direct timeout = Ivar.read ~timeout i in
    {
      Signals.wait;
      wait_for = Some (fun seconds -> within seconds ~direct wait);
      fire = (fun v -> call (fun () -> Ivar.fill i v));
      fail = None;
    }
  in
  structure "Ivar" (Signals.scenarios { Signals.make; valued = true })

(* Opened by the last of three steps. *)
let latch =
  let make () =
    let l = Latch.create ~name:"matrix" 3 in
    let opened = Event.wrap (Latch.wait_event l) (fun () -> 0) in
    let await ?timeout () =
      Latch.wait ?timeout l;
      0
    in
    let wait = op opened ~direct:(fun () -> await ()) in
    let direct timeout = await ~timeout () in
    {
      Signals.wait;
      wait_for = Some (fun seconds -> within seconds ~direct wait);
      fire =
        (fun _ ->
          let* () = call (fun () -> Latch.count_down l) in
          let* () = yield in
          call (fun () -> Latch.count_down ~by:2 l));
      fail = None;
    }
  in
  structure "Latch" (Signals.scenarios { Signals.make; valued = false })

let promise =
  let make () =
    let p = Promise.create () in
    let fail v () =
      Promise.fail p (Signals.Boom v) (Printexc.get_callstack 0)
    in
    let wait = op (Promise.await_event p) ~direct:(fun () -> Promise.await p) in
    {
      Signals.wait;
      wait_for = Some (fun seconds -> within seconds wait);
      fire = (fun v -> call (fun () -> Promise.resolve p v));
      fail = Some (fun v -> call (fail v));
    }
  in
  structure "Promise" (Signals.scenarios { Signals.make; valued = true })

let all =
  [
    promise;
    ivar;
    latch;
    mutex;
    rwlock;
    structure ~direct:true "Condition" Meetings.condition;
    structure "Barrier" Meetings.barrier;
    semaphore;
    permits "Semaphore-held" 1;
    permits "Semaphore-many" 3;
    channel "Channel" 0;
    channel "Channel-bounded" 3;
    strand;
    pool;
    mvar;
    stream;
    broadcast;
    structure "Lazy" Lazies.scenarios;
    structure "Event" Events.scenarios;
  ]
