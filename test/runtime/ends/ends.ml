(* Each program prints its outcome; the suite checks the output and the exit
   status. *)

module Runtime = Dromos.Runtime

let started = Dromos.Latch.create 1

let forever () =
  Dromos.Latch.count_down started;
  Dromos.Promise.await (Dromos.Promise.create ())

(* Clean-up code of a waiting task runs, and the output of tasks is printed. *)
let waiting () =
  let t = Runtime.create ~workers:1 () in
  Runtime.post t (fun () ->
      print_string "begun;";
      Fun.protect forever ~finally:(fun () -> print_string "cleaned up;"));
  Dromos.Latch.wait started

let computing () =
  let t = Runtime.create ~workers:1 () in
  Runtime.post t (fun () ->
      print_string "begun;";
      Dromos.Latch.count_down started;
      while true do
        ignore (Sys.opaque_identity 1)
      done);
  Dromos.Latch.wait started

let from_a_task () =
  let t = Runtime.create ~workers:1 () in
  Runtime.post t (fun () ->
      print_string "begun;";
      exit 3);
  Dromos.Latch.wait started

(* Longer than the time after which a run without work is reported as a
   deadlock. *)
let idle () =
  let t = Runtime.create ~workers:2 () in
  Dromos.run (fun () ->
      let p = Runtime.submit t (fun () -> Thread.delay 1.6) in
      Dromos.await p);
  Thread.delay 1.6;
  print_string (string_of_int (Runtime.run t (fun () -> 42)))

let unhandled () =
  let t = Runtime.create ~name:"mail" ~workers:1 () in
  Runtime.post ~name:"deliver" t (fun () -> failwith "no such box");
  Runtime.stop t

let fork () =
  Runtime.with_ ~workers:1 ignore;
  match Unix.fork () with
  | 0 -> Unix._exit 0
  | _ -> print_string "forked"
  | exception Failure _ -> print_string "refused"

let () =
  Printexc.record_backtrace true;
  match Sys.argv.(1) with
  | "waiting" -> waiting ()
  | "computing" -> computing ()
  | "from-a-task" -> from_a_task ()
  | "idle" -> idle ()
  | "unhandled" -> unhandled ()
  | "fork" -> fork ()
  | other -> print_string ("no such case: " ^ other)
