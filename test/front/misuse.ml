(* Misuse, partly in processes of its own. *)

open With_run

let invalid what part f =
  match f () with
  | _ -> raise (Wrong (what ^ ": no exception"))
  | exception Invalid_argument text ->
      if not (contains text part) then raise (Wrong text)

let arguments () =
  invalid "no workers" "0" (fun () -> Dromos.run ~workers:0 ignore);
  invalid "too many workers" "129" (fun () -> Dromos.run ~workers:129 ignore);
  invalid "negative" "-1" (fun () -> Dromos.run ~workers:(-1) ignore);
  go (fun () ->
      invalid "inside, too" "0" (fun () -> Dromos.run ~workers:0 ignore))

let nested_run () =
  go (fun () ->
      let n = Dromos.workers () in
      equal "workers of a nested run" n
        (Dromos.run ~workers:(n + 1) Dromos.workers);
      equal "the same hub" n (Dromos.run ~hub Dromos.workers);
      each_hub (fun other ->
          if Dromos.Hub.name other <> Dromos.Hub.name hub then
            invalid "another hub" "hub" (fun () -> Dromos.run ~hub:other ignore)))

let misplaced what f =
  match f () with
  | _ -> raise (Wrong (what ^ ": no exception"))
  | exception Dromos.Misplaced text ->
      if not (contains text "Dromos") then raise (Wrong text)

let outside () =
  ensure "outside" (not (Dromos.inside ()));
  equal "workers" 1 (Dromos.workers ());
  misplaced "async" (fun () -> ignore (Dromos.async ignore));
  misplaced "Ctx.get" (fun () -> ignore (Dromos.Ctx.get ()));
  misplaced "Scope.run" (fun () -> Dromos.Scope.run ignore);
  ensure "both" (Dromos.both (fun () -> 1) (fun () -> 2) = (1, 2));
  ensure "all" (Dromos.all [ (fun () -> 1); (fun () -> 2) ] = [ 1; 2 ]);
  equal "blocking" 3 (Dromos.blocking (fun () -> 3));
  equal "protect" 4 (Dromos.protect (fun () -> 4));
  Dromos.yield ();
  Dromos.check ();
  (* In a run, but on a thread that is not a worker. *)
  go (fun () ->
      ensure "inside" (Dromos.inside ());
      Dromos.blocking (fun () ->
          ensure "a blocking call is outside" (not (Dromos.inside ()));
          misplaced "async" (fun () -> ignore (Dromos.async ignore))))

let alone =
  Filename.concat
    (Filename.concat (Filename.dirname Sys.executable_name) "alone")
    "alone.exe"

(* The whole output of the case. *)
let prints ?(env = "") name parts () =
  let ic =
    Unix.open_process_in
      (Printf.sprintf "%s %s %s 2>&1" env (Filename.quote alone) name)
  in
  let text = In_channel.input_all ic in
  ensure (name ^ ": " ^ text) (Unix.close_process_in ic = Unix.WEXITED 0);
  List.iter
    (fun part -> ensure (name ^ " says: " ^ text) (contains text part))
    parts

let cases =
  [
    case "arguments of run" arguments;
    case "a run in a run" nested_run;
    case "outside a run" outside;
    case "fork after a run of one worker"
      (prints "fork-one" [ "child well, 0 domains" ]);
    case "fork after a run of two" (prints "fork-two" [ "Failure: Unix.fork" ]);
    case "a context that was captured"
      (prints ~env:"DROMOS_DEBUG=1" "captured" [ "Misplaced: Dromos.Ctx" ]);
    case "a run under Lwt" (prints "lwt" [ "Misplaced"; "Lwt"; "dromos-lwt" ]);
    case "DROMOS_WORKERS"
      (prints ~env:"DROMOS_WORKERS=3" "default" [ "3 workers" ]);
    case "DROMOS_WORKERS is no number"
      (prints ~env:"DROMOS_WORKERS=abc" "default" [ "Invalid"; "abc" ]);
    case "DROMOS_WORKERS is too large"
      (prints ~env:"DROMOS_WORKERS=129" "default" [ "Invalid"; "129" ]);
    case "128 workers" (prints "most-workers" [ "256 calls, true" ]);
    case "beside 100 domains of the program's"
      (prints "beside-hundred" [ "256 calls" ]);
    case "beside as many domains as there may be"
      (prints "beside-all" [ "16 calls" ]);
    case "no domain left for timers"
      (prints "no-domain-left" [ "OCaml allows"; "OCAMLRUNPARAM=d=" ]);
    case "a helper's domain for timers"
      (prints "lent" [ "crowded: true, main: false"; "16 and 16 calls" ]);
    case "many runs of 128 workers" (prints "many-runs" [ "640 calls" ]);
    case "more domains"
      (prints ~env:"OCAMLRUNPARAM=d=200" "beside-hundred" [ "256 calls" ]);
    case "fewer domains"
      (prints ~env:"OCAMLRUNPARAM=d=4" "most-workers" [ "256 calls, true" ]);
    case "two domains"
      (prints ~env:"OCAMLRUNPARAM=d=2" "most-workers" [ "256 calls, true" ]);
  ]
