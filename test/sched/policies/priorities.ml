module Priority = Dromos.Sched.Priority

let order = Watch.check Alcotest.(list string)

(* On one vproc: what is noted, in order. *)
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

(* Against the definition: of those not over, the highest, in turn. *)
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

(* A fiber that waited comes back with its priority and goes before what was
   ready all the time. *)
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
             ignore (Dromos.Promise.try_fulfil p (Ok ()) : bool);
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

let inherited () =
  order "order" [ "parent"; "child 4" ]
    (noted (fun t say ->
         Priority.spawn t ~priority:4 (fun () ->
             say "parent";
             Priority.give t
               (Dromos.Sched.fiber (fun () ->
                    say (Printf.sprintf "child %d" (Priority.priority ())))))))

(* Two of priority 1 that yield without end, one of 0: without ageing it would
   never run; with 5 it is passed by 5 arrivals, give or take the place at which
   it came. *)
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

(* One that computes without end on each vproc, but for one that sleeps; the
   quantum is too long to help. *)
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
  (* Beyond what ranks can tell apart the first that came goes first. *)
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
    (Invalid_argument "Sched.Priority.run: ageing < 1") (fun () ->
      Dromos.run (fun () -> Priority.run ~ageing:0 ignore))

let cases =
  [
    Watch.case "strict, in turn" strict;
    Watch.case "after a wait" waited;
    Watch.case "a change" changed;
    Watch.case "inherited" inherited;
    Watch.case "ageing" ageing;
    Watch.case "urgent, 1 vproc" (urgent 1);
    Watch.case "urgent, 2 vprocs" (urgent 2);
    Watch.case "extremes" extremes;
    Watch.case "refused" refused;
  ]
