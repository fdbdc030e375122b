(* Task.run works inside Lwt's loop, where a run of Dromos is refused. *)

module Task = Domainslib.Task

let in_loop num_domains () =
  let pool = Task.setup_pool ~num_domains () in
  let sum () =
    Task.run pool (fun () ->
        let task = Task.async pool (fun () -> 1000) in
        Task.parallel_for_reduce pool ~start:1 ~finish:100 ~body:Fun.id ( + )
          (Task.await pool task))
  in
  let sums =
    Lwt_main.run
      (let open Lwt.Syntax in
       let first = sum () in
       let* () = Lwt.pause () in
       Lwt.return [ first; sum () ])
  in
  Alcotest.(check (list int)) "both" [ 6050; 6050 ] sums;
  Alcotest.check_raises "an exception" Exit (fun () ->
      Lwt_main.run
        (Lwt.map
           (fun () -> Task.run pool (fun () -> raise Exit))
           (Lwt.pause ())));
  Task.teardown_pool pool

let () =
  Watch.suite "compat beside Lwt" @@ fun () ->
  Alcotest.run "compat beside Lwt"
    [
      ( "run",
        [
          Watch.case "in Lwt's loop" (in_loop 1);
          Watch.case "in Lwt's loop, without domains" (in_loop 0);
        ] );
    ]
