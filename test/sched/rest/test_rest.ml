module Sched = Dromos.Sched
module Vproc = Sched.Vproc

(* A fiber for that vproc alone. Without Alcotest, which several domains must not
   use at once. *)
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

(* Domains go home after 0.2 s at most. *)
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

(* The bound forbids to serve all of their vprocs at once. *)
let several_runs () =
  let one () =
    for _ = 1 to 20 do
      Dromos.run ~workers:3 (fun () -> List.iter runs_on (Vproc.all ()))
    done
  in
  let others = List.init 2 (fun _ -> Domain.spawn one) in
  one ();
  List.iter Domain.join others

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
    ]
