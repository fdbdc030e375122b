open Dromos_fiber
module Sched = Dromos.Sched
module Vproc = Sched.Vproc

(* Runs a fiber for the given vproc alone. Without Alcotest, which several
   domains must not use at once. *)
let runs_on vproc =
  let ran = Dromos.Ivar.create () in
  Vproc.enq_on vproc
    (Sched.fiber (fun () -> Dromos.Ivar.fill ran (Vproc.id (Vproc.host ()))));
  match Dromos.Ivar.read ~timeout:20. ran with
  | id when id = Vproc.id vproc -> ()
  | id -> failwith (Printf.sprintf "vproc %d, not %d" id (Vproc.id vproc))
  | exception Dromos.Timeout ->
      failwith
        (Printf.sprintf "a fiber queued on vproc %d did not run"
           (Vproc.id vproc))

(* A domain goes back to the pool after at most 0.2 s. *)
let each_alone () =
  Dromos.run ~workers:4 (fun () ->
      let nth = List.nth (Vproc.all ()) in
      List.iter
        (fun i ->
          runs_on (nth i);
          Dromos.sleep 0.4)
        [ 3; 1; 2; 3 ])

let all_together () =
  Dromos.run ~workers:4 (fun () ->
      for _ = 1 to 3 do
        ignore (Dromos.all (List.map (fun v () -> runs_on v) (Vproc.all ())));
        Dromos.sleep 0.4
      done)

(* The bound is too small to serve all vprocs of the runs at once. *)
let several_runs () =
  let one () =
    for _ = 1 to 20 do
      Dromos.run ~workers:3 (fun () -> List.iter runs_on (Vproc.all ()))
    done
  in
  let others = List.init 2 (fun _ -> Domain.spawn one) in
  one ();
  List.iter Domain.join others

(* A pool domain that is about to leave and has been asked to stay leaves no
   vacant role; otherwise forks would request a domain for the role during the
   whole last look round, which may be a long task. The test plays the pool
   domain by a record without a domain, in a run without other activity, after
   the domains of earlier runs have ended. *)
let asked_to_stay () =
  while Crew.domains () > 0 do
    Unix.sleepf 0.01
  done;
  let check what = Watch.check Alcotest.int what in
  let wake_out, wake_in = Unix.pipe ~cloexec:true () in
  let helper =
    { Roster.job = None; asleep = false; patience = 0; wake_in; wake_out }
  in
  Dromos.run ~workers:2 (fun () ->
      let run = (Fiber.current ()).worker.run in
      let worker = run.workers.(1) in
      let vacant what n = check what n (Atomic.get run.vacant) in
      Roster.locked (fun () ->
          let entry = Option.get (Roster.find run) in
          let request () = Roster.request (fun () -> helper) entry in
          let leaves resting =
            worker.resting <- resting;
            not (Roster.stays_or_release helper worker)
          in
          let is_nothing what = function
            | Roster.Nothing -> ()
            | Poke _ | Spawn _ -> Alcotest.fail what
          in
          vacant "at first" 1;
          (match request () with
          | Spawn _ -> ()
          | Nothing | Poke _ -> Alcotest.fail "a helper was there");
          vacant "served" 0;
          Roster.announce worker;
          vacant "leaving" 1;
          is_nothing "asked to stay" (request ());
          vacant "asked to stay" 0;
          is_nothing "asked again" (request ());
          Watch.check Alcotest.bool "leaves" false (leaves true);
          vacant "stays" 0;
          Roster.announce worker;
          is_nothing "asked to stay" (request ());
          Watch.check Alcotest.bool "leaves" false (leaves false);
          vacant "has found something" 0;
          Roster.announce worker;
          vacant "leaving again" 1;
          Watch.check Alcotest.bool "leaves" true (leaves true);
          vacant "gone" 1;
          Watch.check Alcotest.bool "retires" true (Roster.retire helper)));
  Unix.close wake_in;
  Unix.close wake_out

let spin_until f =
  while not (f ()) do
    Domain.cpu_relax ()
  done

(* A fork while the other worker is leaving: the worker is no longer idle, and
   its role is not announced yet, since the test delays the announcement. So the
   frame is not published. The fiber forks no more, and waits until a worker
   takes the branch. *)
let linked_while_leaving () =
  let hold_up = Atomic.make false and held = Atomic.make false in
  let hold () =
    Roster.locked (fun () ->
        Atomic.set held true;
        while Atomic.get hold_up do
          Thread.delay 0.001
        done)
  in
  let taken () =
    let begun = Atomic.make false in
    let branch () = Atomic.set begun true in
    fun before ->
      ignore
        (Dromos.both
           (fun () ->
             before ();
             spin_until (fun () -> Atomic.get begun))
           branch
          : unit * unit)
  in
  Dromos.run ~workers:2 (fun () ->
      taken () ignore;
      Atomic.set hold_up true;
      let holder = Thread.create hold () in
      let signal = (Fiber.current ()).signal in
      spin_until (fun () -> Atomic.get held);
      spin_until (fun () -> Atomic.get signal = 0);
      taken () (fun () -> Atomic.set hold_up false);
      Thread.join holder)

let () =
  Watch.suite "rest" @@ fun () ->
  Alcotest.run "rest"
    [
      ( "queued on vprocs at rest",
        [
          Watch.case "one by one" each_alone;
          Watch.case "all together" all_together;
          Watch.case "several runs" several_runs;
        ] );
      ("frames", [ Watch.case "linked while one leaves" linked_while_leaving ]);
      ("accounts", [ Watch.case "asked to stay" asked_to_stay ]);
    ]
