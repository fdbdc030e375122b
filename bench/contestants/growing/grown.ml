open Dromos

let in_run ~workers body =
  let result = ref 0 in
  Dromos.run ~workers (fun () -> result := body ());
  fun () -> !result

(* {1 Elements and tasks} *)

let elements ~workers ~n ~cutoff:_ =
  let input = Array.init n Fun.id in
  fun () ->
    in_run ~workers (fun () ->
        let squares = Par.Array.map (fun x -> x * x land 1023) input in
        Par.Array.fold ( + ) 0 squares)

let mixed n = Array.init n (fun i -> i * 7919 land 0xfffff)

let sorted ~workers ~n ~cutoff:_ =
  let input = mixed n in
  fun () ->
    in_run ~workers (fun () ->
        let a = Array.copy input in
        Par.Array.sort Int.compare a;
        a.(n / 2))

let tasks ~workers ~n ~cutoff:_ () =
  in_run ~workers (fun () ->
      let made = List.init n (fun i -> async (fun () -> i land 1)) in
      List.fold_left (fun sum p -> sum + await p) 0 made)

(* {1 Time} *)

(* Seconds: long enough that nearly every task sleeps before the first wakes. *)
let nap n = 0.02 +. (2e-6 *. float_of_int n)

let sleepers ~workers ~n ~cutoff:_ () =
  let awake = Atomic.make 0 in
  let nap = nap n in
  let sleeper () =
    sleep nap;
    Atomic.incr awake
  in
  in_run ~workers (fun () ->
      Scope.run (fun s ->
          for _ = 1 to n do
            Scope.fork s sleeper
          done);
      Atomic.get awake)

let hour = Mtime.Span.(1 * hour)

(* Timers are set in no order of time, and cancelled in the order of setting. *)
let timers ~n ~cutoff:_ () =
  let set i =
    let later = i * 7919 land 0xfffff in
    let later = Mtime.Span.(later * ms) in
    Dromos_service.Timer.after (Mtime.Span.add hour later) ignore
  in
  let cancels = List.init n set in
  List.iter (fun cancel -> cancel ()) cancels;
  let left = Dromos_service.Timer.pending () in
  fun () -> n - left

let timeouts ~workers ~n ~cutoff:_ () =
  let gate = Ivar.create () and passed = Atomic.make 0 in
  let waiter () =
    timeout 3600. (fun () -> Ivar.read gate);
    Atomic.incr passed
  in
  in_run ~workers (fun () ->
      Scope.run (fun s ->
          for _ = 1 to n do
            Scope.fork s waiter
          done;
          yield ();
          Ivar.fill gate ());
      Atomic.get passed)

(* {1 Depth} *)

let scopes ~workers ~n ~cutoff:_ () =
  let rec deep d = if d = 0 then 0 else 1 + Scope.run (fun _ -> deep (d - 1)) in
  in_run ~workers (fun () -> deep n)

(* Each level is a task, and awaits the task of the next level. *)
let nested ~workers ~n ~cutoff:_ () =
  let rec deep d =
    if d = 0 then 0
    else Scope.run (fun s -> 1 + await (Scope.async s (fun () -> deep (d - 1))))
  in
  in_run ~workers (fun () -> deep n)

let forks ~workers ~n ~cutoff:_ () =
  let rec deep d =
    if d = 0 then 0
    else
      let below, one = both (fun () -> deep (d - 1)) (fun () -> 1) in
      below + one
  in
  in_run ~workers (fun () -> deep n)

(* {1 Graphs} *)

let width = 100

(* Each vertex comes after two vertices of the row before. *)
let dag ~workers ~n ~cutoff:_ () =
  let ran = Atomic.make 0 in
  in_run ~workers (fun () ->
      let g = Dag.create () in
      let vertices =
        Array.init n (fun _ -> Dag.vertex g (fun () -> Atomic.incr ran))
      in
      for i = width to n - 1 do
        Dag.precede vertices.(i - width) vertices.(i);
        Dag.precede vertices.(i - width + 1) vertices.(i)
      done;
      Dag.run g;
      Atomic.get ran)

(* A vertex before all others, and a vertex after. *)
let fan ~workers ~n ~cutoff:_ () =
  let ran = Atomic.make 0 in
  in_run ~workers (fun () ->
      let g = Dag.create () in
      let vertex () = Dag.vertex g (fun () -> Atomic.incr ran) in
      let first = vertex () and last = vertex () in
      for _ = 3 to n do
        let v = vertex () in
        Dag.precede first v;
        Dag.precede v last
      done;
      Dag.run g;
      Atomic.get ran)

let jobs ~workers =
  [
    ("grow_elements", elements ~workers);
    ("grow_sorted", sorted ~workers);
    ("grow_tasks", tasks ~workers);
    ("grow_sleepers", sleepers ~workers);
    ("grow_timers", timers);
    ("grow_timeouts", timeouts ~workers);
    ("grow_scopes", scopes ~workers);
    ("grow_nested", nested ~workers);
    ("grow_forks", forks ~workers);
    ("grow_dag", dag ~workers);
    ("grow_fan", fan ~workers);
  ]
