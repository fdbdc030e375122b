(* Tasks awaited in any order: each task runs once, keeps its identity, and the
   order is neither visible nor costly. *)

open With_run
module Scope = Dromos.Scope
module Promise = Dromos.Promise

let everywhere f =
  each_hub (fun hub ->
      List.iter (fun workers -> go ~workers ~hub f) [ 1; 2; 4 ])

(* Hubs that keep a worker's tasks in a deque of the worker. *)
let with_deques f =
  each_hub (fun hub ->
      if Dromos.Hub.name hub <> "fifo" then go ~workers:1 ~hub f)

let in_order n = Array.init n Fun.id
let in_reverse n = Array.init n (fun i -> n - 1 - i)

let at_random n =
  let order = in_order n in
  for i = n - 1 downto 1 do
    let j = Random.State.int Watch.chance (i + 1) in
    let was = order.(i) in
    order.(i) <- order.(j);
    order.(j) <- was
  done;
  order

let orders =
  [ ("in order", in_order); ("reverse", in_reverse); ("random", at_random) ]

let each_order () =
  everywhere (fun () ->
      List.iter
        (fun (what, order) ->
          let n = 6000 in
          let runs = Array.make n 0 in
          let task i =
            Dromos.async (fun () ->
                runs.(i) <- runs.(i) + 1;
                if i mod 97 = 0 then Dromos.yield ();
                i)
          in
          let tasks = Array.init n task in
          Array.iter (fun i -> equal what i (Dromos.await tasks.(i))) (order n);
          Array.iter (equal (what ^ ": runs") 1) runs)
        orders)

(* Pairs in pairs, each pair awaited in an order of its own. *)
let rec leaves depth =
  if depth = 0 then 1
  else
    let half () = leaves (depth - 1) in
    let a = Dromos.async half in
    let b = Dromos.async half in
    if Hashtbl.hash (depth, Dromos_suspend.self ()) land 1 = 0 then
      let x = Dromos.await a in
      x + Dromos.await b
    else
      let y = Dromos.await b in
      y + Dromos.await a

let nested () =
  everywhere (fun () -> equal "leaves" 1024 (leaves 10));
  Dromos.run ~preempt:true ~workers:2 (fun () ->
      equal "leaves, preempted" 1024 (leaves 10))

(* Deeper than tasks begin on top of each other. *)
let rec deep n =
  if n = 0 then 0
  else
    let a = Dromos.async (fun () -> deep (n - 1)) in
    let b = Dromos.async ignore in
    let below = Dromos.await a in
    Dromos.await b;
    below + 1

let chains () = everywhere (fun () -> equal "depth" 2000 (deep 2000))

(* {1 The awaiting fiber} *)

let several_times () =
  everywhere (fun () ->
      let runs = Atomic.make 0 in
      let tasks =
        Array.init 200 (fun i ->
            Dromos.async (fun () ->
                Atomic.incr runs;
                i))
      in
      let all order =
        Array.iter (fun i -> equal "result" i (Dromos.await tasks.(i))) order
      in
      let readers =
        List.map
          (fun order -> Dromos.async (fun () -> all (order 200)))
          [ in_order; in_reverse; at_random; in_order ]
      in
      all (at_random 200);
      all (in_order 200);
      List.iter Dromos.await readers;
      equal "runs" 200 (Atomic.get runs))

(* Tasks of a fiber, awaited by a second fiber after their maker has stopped. *)
let by_another () =
  everywhere (fun () ->
      let made = Dromos.Channel.create ~capacity:50 () in
      let maker =
        Dromos.async (fun () ->
            for i = 1 to 2000 do
              Dromos.Channel.send made (Dromos.async (fun () -> i))
            done)
      in
      for i = 1 to 2000 do
        equal "result" i (Dromos.await (Dromos.Channel.recv made))
      done;
      Dromos.await maker)

let derived () =
  everywhere (fun () ->
      let tasks = List.init 300 (fun i -> Dromos.async (fun () -> i)) in
      let sum = List.fold_left ( + ) 0 (Dromos.await (Promise.all tasks)) in
      equal "all" (299 * 150) sum;
      let a = Dromos.async (fun () -> 1) in
      let b = Dromos.async (fun () -> 2) in
      let x, y = Dromos.await (Promise.both a b) in
      equal "both" 3 (x + y))

(* {1 Cancellation and failures} *)

exception Boom of int

let cancelled_before () =
  everywhere (fun () ->
      let ran = Atomic.make 0 and refused = ref 0 in
      (match
         Scope.run (fun scope ->
             let tasks =
               List.init 50 (fun _ ->
                   Scope.async scope (fun () -> Atomic.incr ran))
             in
             let before = Atomic.get ran in
             Scope.cancel scope;
             List.iter
               (fun task ->
                 match Dromos.await task with
                 | () -> ()
                 | exception Dromos.Cancelled -> incr refused)
               tasks;
             if Dromos.workers () = 1 then
               equal "begun after the cancellation" before (Atomic.get ran))
       with
      | () | (exception Dromos.Cancelled) -> ());
      equal "all are over" 50 (Atomic.get ran + !refused))

let cancelled_while () =
  everywhere (fun () ->
      let left = ref 0 in
      let waits () =
        match never () with
        | () -> ()
        | exception e ->
            incr left;
            raise e
      in
      let reached = Promise.create () in
      match
        Scope.run (fun scope ->
            let a =
              Scope.async scope (fun () ->
                  Promise.resolve reached ();
                  waits ())
            in
            let b = Scope.async scope ignore in
            Scope.fork scope (fun () ->
                Dromos.await reached;
                Scope.cancel scope);
            Dromos.await a;
            Dromos.await b)
      with
      | () -> raise (Wrong "the cancellation is lost")
      | exception Dromos.Cancelled -> equal "tasks that left" 1 !left)

let[@inline never] raiser n = if n >= 0 then raise (Boom n)

let failures () =
  everywhere (fun () ->
      List.iter
        (fun (what, order) ->
          let tasks =
            Array.init 20 (fun i ->
                Dromos.async (fun () ->
                    raiser i;
                    ()))
          in
          Array.iter
            (fun i ->
              match Dromos.await tasks.(i) with
              | () -> raise (Wrong what)
              | exception Boom n ->
                  let bt = Printexc.get_backtrace () in
                  equal what i n;
                  ensure (what ^ ": the backtrace") (contains bt "orders.ml"))
            (order 20))
        orders)

let never_awaited () =
  everywhere (fun () ->
      let ran = Atomic.make 0 in
      Scope.run (fun _ ->
          for _ = 1 to 100 do
            let a = Dromos.async (fun () -> Atomic.incr ran) in
            ignore (Dromos.async (fun () -> Atomic.incr ran) : unit Promise.t);
            Dromos.await a
          done);
      equal "runs" 200 (Atomic.get ran);
      raises "the failure of a task that is not awaited" (Boom 1) (fun () ->
          Scope.run (fun _ ->
              let a = Dromos.async ignore in
              ignore (Dromos.async (fun () -> raise (Boom 1)) : unit Promise.t);
              Dromos.await a)))

(* {1 Surroundings} *)

(* Storage of the task, of the fiber below, and of branches published while the
   task runs on top of them. *)
let key : int Dromos.Fls.key = Dromos.Fls.new_key ()

let storage () =
  everywhere (fun () ->
      Dromos.Fls.set key 1;
      let seen = Atomic.make 0 in
      let task () =
        equal "inherited" 1 (Option.value (Dromos.Fls.find_opt key) ~default:0);
        Dromos.Fls.set key 2;
        Dromos.sleep 1e-4
      in
      let branch _ =
        Atomic.set seen (Option.value (Dromos.Fls.find_opt key) ~default:0)
      in
      let first () =
        let a = Dromos.async task in
        let b = Dromos.async ignore in
        Dromos.await a;
        equal "own" 1 (Option.value (Dromos.Fls.find_opt key) ~default:0);
        Dromos.await b
      in
      ignore (Dromos.both first (fun () -> branch ()));
      equal "the branch's" 1 (Atomic.get seen);
      let c = Dromos.async task in
      Dromos.Fls.set key 3;
      Dromos.await c;
      equal "own" 3 (Option.value (Dromos.Fls.find_opt key) ~default:0))

(* Other ready tasks begin, although a fiber always has a task to begin. *)
let others_begin () =
  everywhere (fun () ->
      let flag = Atomic.make false in
      let other = Dromos.async (fun () -> Atomic.set flag true) in
      let stop = Unix.gettimeofday () +. 20. in
      while not (Atomic.get flag) do
        let a = Dromos.async ignore in
        let b = Dromos.async ignore in
        Dromos.await a;
        Dromos.await b;
        ensure "another task begins" (Unix.gettimeofday () < stop)
      done;
      Dromos.await other)

(* {1 Costs} *)

(* About one task in a hundred gives way, and then the awaiter suspends: 8190
   tasks, fewer than 100 suspensions. *)
let few_suspensions () =
  with_deques (fun () ->
      let before = (Dromos.stats ()).suspensions in
      let rec pairs depth =
        if depth > 0 then begin
          let a = Dromos.async (fun () -> pairs (depth - 1)) in
          let b = Dromos.async (fun () -> pairs (depth - 1)) in
          Dromos.await a;
          Dromos.await b
        end
      in
      pairs 12;
      let suspensions = (Dromos.stats ()).suspensions - before in
      ensure (Printf.sprintf "%d suspensions" suspensions) (suspensions < 100))

let live () =
  Gc.full_major ();
  (Gc.stat ()).live_words

(* A fiber that always has an unstarted task, as in a pipeline: awaited tasks do
   not stay in the deque below. *)
let window () =
  with_deques (fun () ->
      let tasks = Queue.create () in
      let one i = Queue.add (Dromos.async (fun () -> i)) tasks in
      for i = 1 to 100 do
        one i
      done;
      let before = live () in
      for i = 1 to 200_000 do
        equal "result" i (Dromos.await (Queue.take tasks));
        one (i + 100)
      done;
      let more = live () - before in
      ensure (Printf.sprintf "%d words are kept" more) (more < 500_000);
      Queue.iter (fun task -> ignore (Dromos.await task)) tasks)

(* The result of a task stays only with its holders, even while the task's place
   in the deque is below other tasks. *)
let results_go () =
  with_deques (fun () ->
      let kept = Weak.create 1 in
      let later = ref (Promise.return ()) in
      let[@inline never] awaited () =
        let task = Dromos.async (fun () -> Bytes.create 100) in
        later := Dromos.async ignore;
        Weak.set kept 0 (Some (Dromos.await task))
      in
      awaited ();
      Gc.full_major ();
      ensure "the result is kept" (not (Weak.check kept 0));
      Dromos.await !later)

let cases =
  [
    Watch.case "each order" each_order;
    Watch.case "nested" nested;
    Watch.case "chains" chains;
    Watch.case "awaited several times" several_times;
    Watch.case "awaited by another fiber" by_another;
    Watch.case "derived promises" derived;
    Watch.case "cancelled before" cancelled_before;
    Watch.case "cancelled while one runs" cancelled_while;
    Watch.case "failures" failures;
    Watch.case "never awaited" never_awaited;
    Watch.case "storage" storage;
    Watch.case "others begin" others_begin;
    Watch.case "few suspensions" few_suspensions;
    Watch.case "a window of tasks" window;
    Watch.case "results go" results_go;
  ]
