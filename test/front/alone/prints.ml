(* Prints from tasks, and ends; ../printing.ml checks the output from outside.
   prints.exe WAY WORKERS *)

let workers = int_of_string Sys.argv.(2)
let lines = 200

let line i =
  let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2) in
  ignore (Sys.opaque_identity (fib 16));
  Format.printf "line %d@\n" i

let loop f = Dromos.Par.for_ ~grain:1 0 lines f
let run f = Dromos.run ~workers f

(* Without the actions at exit: all output was written when [run] returned. *)
let at_once () =
  run (fun () -> loop line);
  Unix._exit 0

let ends_raising () =
  match run (fun () -> loop line; raise Exit) with
  | () -> ()
  | exception Exit -> Unix._exit 0
[@@ocamlformat "disable"]

let in_order () =
  Format.printf "start@\n";
  run (fun () -> loop line);
  Format.printf "end@\n"

let in_box () = run (fun () -> loop (Format.printf "@[<v>line %d@,"))

let on_stderr () =
  run (fun () -> loop (Format.eprintf "line %d@\n"));
  Unix._exit 0

let in_blocking () =
  run (fun () -> loop (fun i -> Dromos.blocking (fun () -> line i)));
  Unix._exit 0

(* A blocking call is still under way when the program ends. *)
let beside_blocking () =
  ignore
    (Thread.create
       (fun () -> run (fun () -> Dromos.blocking (fun () -> Unix.sleep 60)))
       ());
  Unix.sleepf 0.05;
  in_blocking ()

let many_runs () =
  for i = 0 to lines - 1 do
    run (fun () ->
        let (), () = Dromos.both (fun () -> line (2 * i)) ignore in
        Dromos.Par.for_ ~grain:1 0 2 (fun k -> if k = 1 then line ((2 * i) + 1)))
  done;
  Unix._exit 0

(* The program's own box around a run. *)
let box_around () =
  Format.printf "@[<v>a@,";
  run (fun () -> loop ignore);
  Format.printf "b@]@."

let () =
  match Sys.argv.(1) with
  | "at once" -> at_once ()
  | "raising" -> ends_raising ()
  | "in order" -> in_order ()
  | "box" -> in_box ()
  | "stderr" -> on_stderr ()
  | "blocking" -> in_blocking ()
  | "beside" -> beside_blocking ()
  | "many runs" -> many_runs ()
  | "around" -> box_around ()
  | way -> invalid_arg way
