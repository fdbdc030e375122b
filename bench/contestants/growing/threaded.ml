let in_threads parties =
  List.iter Thread.join (List.map (fun f -> Thread.create f ()) parties)

let in_domains parties =
  let even i _ = i land 1 = 0 in
  let some = List.filteri even parties in
  let others = List.filteri (fun i p -> not (even i p)) parties in
  if others = [] then in_threads some
  else
    let there = Domain.spawn (fun () -> in_threads others) in
    in_threads some;
    Domain.join there

(* {1 Growth} *)

let crowd make ~n ~cutoff:_ () =
  let begun = Atomic.make 0 and through = Atomic.make 0 in
  let wait, serve = make n in
  let member () =
    Atomic.incr begun;
    wait ();
    Atomic.incr through
  in
  let threads = List.init n (fun _ -> Thread.create member ()) in
  while Atomic.get begun < n do
    Thread.yield ()
  done;
  serve ();
  List.iter Thread.join threads;
  fun () -> Atomic.get through

let mutex _ =
  let m = Mutex.create () in
  Mutex.lock m;
  ( (fun () ->
      Mutex.lock m;
      Mutex.unlock m),
    fun () -> Mutex.unlock m )

let semaphore n =
  let s = Semaphore.Counting.make 0 in
  ( (fun () -> Semaphore.Counting.acquire s),
    fun () ->
      for _ = 1 to n do
        Semaphore.Counting.release s
      done )

let condition _ =
  let m = Mutex.create () and c = Condition.create () in
  let over = ref false in
  ( (fun () ->
      Mutex.lock m;
      while not !over do
        Condition.wait c m
      done;
      Mutex.unlock m),
    fun () ->
      Mutex.lock m;
      over := true;
      Condition.broadcast c;
      Mutex.unlock m )

let sleepers n =
  let nap = 0.02 +. (2e-6 *. float_of_int n) in
  ((fun () -> Thread.delay nap), ignore)

let growing =
  let job (name, make) = ("grow_" ^ name, crowd make) in
  List.map job
    [
      ("mutex", mutex);
      ("semaphore", semaphore);
      ("condition", condition);
      ("sleepers", sleepers);
    ]

(* {1 Contention} *)

let channel capacity =
  let queue = Bench_core.Bounded_queue.create capacity in
  (queue.put, queue.take)

let barrier parties =
  let m = Mutex.create () and all = Condition.create () in
  let arrived = ref 0 and round = ref 0 in
  fun () ->
    Mutex.lock m;
    let mine = !round in
    incr arrived;
    if !arrived = parties then begin
      arrived := 0;
      incr round;
      Condition.broadcast all
    end
    else
      while !round = mine do
        Condition.wait all m
      done;
    Mutex.unlock m

let structures =
  {
    Contended.mutex =
      (fun () ->
        let m = Mutex.create () in
        ((fun () -> Mutex.lock m), fun () -> Mutex.unlock m));
    channel;
    semaphore =
      (fun n ->
        let s = Semaphore.Counting.make n in
        ( (fun () -> Semaphore.Counting.acquire s),
          fun () -> Semaphore.Counting.release s ));
    barrier;
  }

let contended ~workers =
  let together = if workers > 1 then in_domains else in_threads in
  Contended.jobs structures ~together
