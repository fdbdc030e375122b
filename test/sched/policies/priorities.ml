module Priority = Dromos.Sched.Priority

let order = Watch.check Alcotest.(list string)

(* On one vproc: the notes, in order. *)
let noted ?ageing f =
  let said = Queue.create () in
  let say s = Queue.add s said in
  Dromos.run ~workers:1 (fun () -> Priority.run ?ageing (fun t -> f t say));
  List.of_seq (Queue.to_seq said)

let steps say who n () =
  for i = 1 to n do
    say (Printf.sprintf "%s%d" who i);
    Dromos.yield ()
  done

(* Against the definition: among the unfinished fibers, the highest run, in
   turn. *)
let strict () =
  for _ = 1 to 50 do
    let fibers =
      List.init
        (1 + Contender.draw 8)
        (fun i ->
          (Printf.sprintf "f%d." i, Contender.draw 4, 1 + Contender.draw 4))
    in
    let rec expected acc = function
      | [] -> List.rev acc
      | queue ->
          let top =
            List.fold_left (fun m (_, p, _, _) -> max m p) min_int queue
          in
          let ((who, p, i, n) as first) =
            List.find (fun (_, p, _, _) -> p = top) queue
          in
          let others = List.filter (( != ) first) queue in
          let queue =
            if i = n then others else others @ [ (who, p, i + 1, n) ]
          in
          expected (Printf.sprintf "%s%d" who i :: acc) queue
    in
    order "order"
      (expected [] (List.map (fun (who, p, n) -> (who, p, 1, n)) fibers))
      (noted (fun t say ->
           List.iter
             (fun (who, priority, n) ->
               Priority.spawn t ~priority (steps say who n))
             fibers))
  done

(* A fiber that waited comes back with its priority and goes before fibers that
   were ready all the time. *)
let waited () =
  order "order"
    [ "high waits"; "low1"; "low wakes"; "high on 7"; "low2"; "low3" ]
    (noted (fun t say ->
         let p = Dromos.Promise.create () in
         Priority.spawn t ~priority:7 (fun () ->
             say "high waits";
             Dromos.await p;
             say (Printf.sprintf "high on %d" (Priority.priority ())));
         Priority.spawn t ~priority:2 (fun () ->
             say "low1";
             ignore (Dromos.Promise.try_resolve p (Ok ()) : bool);
             say "low wakes";
             Dromos.yield ();
             say "low2";
             Dromos.yield ();
             say "low3")))

let changed () =
  order "order" [ "a1"; "b1"; "b2"; "a2" ]
    (noted (fun t say ->
         Priority.spawn t ~priority:2 (fun () ->
             say "a1";
             Priority.set_priority 0;
             Dromos.yield ();
             say "a2");
         Priority.spawn t ~priority:1 (steps say "b" 2)))

(* Fibers in the queue are moved forward, back, and to their own place; among
   equals, the first to arrive goes first. *)
let changed_by_others () =
  for _ = 1 to 50 do
    let n = 2 + Contender.draw 8 in
    let first = Array.init n (fun _ -> Contender.draw 4)
    and later =
      List.init (Contender.draw 12) (fun _ ->
          (Contender.draw n, Contender.draw 4))
    in
    let last = Array.copy first in
    List.iter (fun (i, p) -> last.(i) <- p) later;
    let of_level p =
      let at = List.filter (fun i -> last.(i) = p) (List.init n Fun.id) in
      List.map string_of_int at
      @ List.map (fun i -> Printf.sprintf "%d again" i) at
    in
    order "order"
      (List.concat_map of_level [ 3; 2; 1; 0 ])
      (noted (fun t say ->
           let speak i () =
             say (string_of_int i);
             Dromos.yield ();
             say (string_of_int i ^ " again")
           in
           Priority.spawn t ~priority:10 (fun () ->
               let fibers =
                 Array.init n (fun i -> Dromos.Sched.fiber (speak i))
               in
               Array.iteri
                 (fun i k -> Priority.give t ~priority:first.(i) k)
                 fibers;
               List.iter
                 (fun (i, p) -> Priority.set_priority_of t fibers.(i) p)
                 later)))
  done

(* Priority changes of a waiting fiber, which comes back with its new priority;
   of a running fiber; and of a finished one. *)
let changed_elsewhere () =
  order "order"
    [ "waits"; "runs"; "low"; "woken"; "runs again" ]
    (noted (fun t say ->
         let p = Dromos.Promise.create () in
         let job f = Dromos.Sched.fiber f in
         let waits =
           job (fun () ->
               say "waits";
               Dromos.await p;
               say "woken")
         in
         let runs = ref None in
         let low =
           job (fun () ->
               say "low";
               Priority.set_priority_of t waits 7;
               ignore (Dromos.Promise.try_resolve p (Ok ()) : bool))
         in
         runs :=
           Some
             (job (fun () ->
                  say "runs";
                  Priority.set_priority_of t (Option.get !runs) 1;
                  Dromos.yield ();
                  say "runs again";
                  Priority.set_priority_of t low 3));
         Priority.give t ~priority:9 waits;
         Priority.give t ~priority:8 (Option.get !runs);
         Priority.give t ~priority:2 low))

let refused_change () =
  Dromos.run (fun () ->
      Priority.run (fun t ->
          let k = Dromos.Sched.fiber ~name:"mine" ignore in
          (match Priority.set_priority_of t k 1 with
          | () -> Alcotest.fail "the priority of a fiber that was not given"
          | exception Invalid_argument _ -> ());
          Priority.give t k))

(* A fiber changes priorities all the time, on all vprocs: no fiber is lost. *)
let storm workers () =
  let n = 50 and rounds = 200 in
  let done_ = Atomic.make 0 in
  Contender.on ~workers (fun () ->
      Priority.run (fun t ->
          let body () =
            for _ = 1 to rounds do
              if Contender.draw 8 = 0 then Dromos.sleep 0. else Dromos.yield ()
            done;
            Atomic.incr done_
          in
          let fibers = Array.init n (fun _ -> Dromos.Sched.fiber body) in
          Array.iter (fun k -> Priority.give t k) fibers;
          for _ = 1 to 2 do
            Dromos.Sched.spawn (fun () ->
                while Atomic.get done_ < n do
                  Priority.set_priority_of t
                    fibers.(Contender.draw n)
                    (Contender.draw 5);
                  Dromos.Sched.yield ()
                done)
          done));
  Watch.check Alcotest.int "over" n (Atomic.get done_)

(* Each vproc computes without end. The fiber that ends the computation stands
   behind in the queue until it is moved forward; the quantum is too long to
   help. *)
let moved_forward workers () =
  let over = Atomic.make false in
  let compute () =
    while not (Atomic.get over) do
      ignore (Sys.opaque_identity 0)
    done
  in
  let began = Unix.gettimeofday () in
  Dromos.run ~workers (fun () ->
      Dromos.Sched.Preemption.run ~quantum:1. (fun () ->
          Priority.run (fun t ->
              let last = Dromos.Sched.fiber (fun () -> Atomic.set over true) in
              for _ = 1 to workers do
                Priority.spawn t ~priority:1 compute
              done;
              Priority.give t ~priority:0 last;
              Priority.spawn t ~priority:2 (fun () ->
                  Dromos.sleep 0.05;
                  Priority.set_priority_of t last 3))));
  let took = Unix.gettimeofday () -. began in
  if took > 0.9 then Alcotest.failf "it had to wait for %g s" took

let inherited () =
  order "order" [ "parent"; "child 4" ]
    (noted (fun t say ->
         Priority.spawn t ~priority:4 (fun () ->
             say "parent";
             Priority.give t
               (Dromos.Sched.fiber (fun () ->
                    say (Printf.sprintf "child %d" (Priority.priority ())))))))

(* Two fibers of priority 1 yield without end, beside a fiber of priority 0.
   Without ageing, the latter would never run; with ageing 5, about 5 arrivals
   pass it, depending on the place of its arrival. *)
let ageing () =
  let passed = ref 0 in
  let over = ref false in
  ignore
    (noted ~ageing:5 (fun t _ ->
         let rival () =
           while not !over do
             incr passed;
             Dromos.yield ()
           done
         in
         Priority.spawn t ~priority:0 (fun () -> over := true);
         Priority.spawn t ~priority:1 rival;
         Priority.spawn t ~priority:1 rival)
      : string list);
  if !passed < 4 || !passed > 6 then
    Alcotest.failf "was passed by %d fibers" !passed

(* A fiber computes without end on each vproc, except one, whose fiber sleeps;
   the quantum is too long to help. *)
let urgent workers () =
  let over = ref false in
  let compute () =
    while not !over do
      ignore (Sys.opaque_identity 0)
    done
  in
  let began = Unix.gettimeofday () in
  Dromos.run ~workers (fun () ->
      Dromos.Sched.Preemption.run ~quantum:1. (fun () ->
          Priority.run (fun t ->
              Priority.spawn t ~priority:1 (fun () ->
                  Dromos.sleep 0.05;
                  over := true);
              for _ = 1 to workers do
                Priority.spawn t ~priority:0 compute
              done)));
  let took = Unix.gettimeofday () -. began in
  if took > 0.9 then Alcotest.failf "it had to wait for %g s" took

(* Numbers at the ends of their range keep their order. *)
let extremes () =
  let levels = [ max_int; max_int - 1; 1; 0; -1; min_int + 1; min_int ] in
  let names = List.map string_of_int levels in
  let in_order ageing =
    let shuffled = List.sort compare levels in
    order "from the highest to the lowest" names
      (noted ?ageing (fun t say ->
           List.iter
             (fun priority ->
               Priority.spawn t ~priority (fun () ->
                   say (string_of_int priority)))
             shuffled))
  in
  in_order None;
  (* Among ranks too close to distinguish, the first to arrive goes first. *)
  let first_and_last ageing =
    let said =
      noted ~ageing (fun t say ->
          List.iter
            (fun priority ->
              Priority.spawn t ~priority (fun () ->
                  say (string_of_int priority)))
            [ min_int; 0; max_int ])
    in
    order "ageing" [ string_of_int max_int; "0"; string_of_int min_int ] said
  in
  List.iter first_and_last [ 1; 3; max_int ]

let refused () =
  Alcotest.check_raises "ageing"
    (Invalid_argument "Sched.Priority.run: ~ageing:0, expected 1 or more")
    (fun () -> Dromos.run (fun () -> Priority.run ~ageing:0 ignore))

let cases =
  [
    Watch.case "strict, in turn" strict;
    Watch.case "after a wait" waited;
    Watch.case "a change" changed;
    Watch.case "changed by others" changed_by_others;
    Watch.case "changed while it waits or runs" changed_elsewhere;
    Watch.case "a change that is refused" refused_change;
    Watch.case "changes all the time, 1 vproc" (storm 1);
    Watch.case "changes all the time, 2 vprocs" (storm 2);
    Watch.case "changes all the time, 4 vprocs" (storm 4);
    Watch.case "moved forward, 1 vproc" (moved_forward 1);
    Watch.case "moved forward, 2 vprocs" (moved_forward 2);
    Watch.case "inherited" inherited;
    Watch.case "ageing" ageing;
    Watch.case "urgent, 1 vproc" (urgent 1);
    Watch.case "urgent, 2 vprocs" (urgent 2);
    Watch.case "extremes" extremes;
    Watch.case "refused" refused;
  ]
