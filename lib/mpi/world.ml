type state = Before | During | After

let state = Atomic.make Before

(* {1 Ending all ranks} *)

let where = ref "this process"

let message text bt =
  Printf.sprintf "dromos-mpi: %s %s\n%s" !where text
    (match bt with
    | None -> ""
    | Some bt -> Printexc.raw_backtrace_to_string bt)

(* A launcher also kills the process that forwards the message: with MPICH's launcher
   one message of ten was lost without this pause. *)
let before_abort = 0.2 (* seconds *)

let end_all text bt =
  Dromos_service.Reporter.to_stderr
    { level = Error; about = Interrupted; text = message text bt };
  Atomic.set state After;
  Unix.sleepf before_abort;
  Raw.abort 1

let failed e bt = end_all ("raised " ^ Printexc.to_string e) (Some bt)

(* Ends all ranks: the other ranks would wait for this rank for ever. *)
let at_exit_inside () =
  if Atomic.get state = During then
    end_all "called exit inside Dromos_mpi.run; all ranks end" None

(* {1 One program} *)

let program () =
  match Digest.file Sys.executable_name with
  | digest -> digest
  | exception Sys_error _ -> Digest.string Sys.executable_name

let check_program comm =
  let all = Collective.all_gather comm (program ()) in
  let differ =
    List.filter (fun r -> all.(r) <> all.(0)) (List.init comm.Comm.size Fun.id)
  in
  if differ <> [] then begin
    if comm.rank = 0 then
      end_all
        (Printf.sprintf
           "runs another program than rank%s %s: all ranks need the same binary"
           (if List.length differ = 1 then "" else "s")
           (String.concat ", " (List.map string_of_int differ)))
        None
    else
      (* Rank 0 ends this rank meanwhile. *)
      Unix.sleep 10;
    end_all "runs another program than rank 0" None
  end

(* {1 Running} *)

let wants_one_thread () =
  match Sys.getenv_opt "DROMOS_MPI_THREADS" with
  | None | Some ("" | "any") -> false
  | Some "one" -> true
  | Some other ->
      invalid_arg
        (Printf.sprintf "DROMOS_MPI_THREADS should be any or one, not %S" other)

let patience = 5. (* seconds *)

let unreceived n =
  Printf.sprintf
    "dromos-mpi: %s waits at its end: %d isend%s not over, since no rank has \
     received the message%s\n"
    !where n
    (if n = 1 then " is" else "s are")
    (if n = 1 then "" else "s")

(* Waits until all sends are over, and reports once that the wait is long. *)
let rec drain ~told ~since =
  match Engine.pending () with
  | 0 -> ()
  | n ->
      let late = Unix.gettimeofday () -. since > patience in
      if late && not told then
        Dromos_service.Message.tell Warning Advice (unreceived n);
      Unix.sleepf 0.0005;
      drain ~told:(told || late) ~since

let end_ comm =
  Collective.barrier comm;
  drain ~told:false ~since:(Unix.gettimeofday ());
  Engine.stop ()

let with_ f =
  if not (Atomic.compare_and_set state Before During) then
    invalid_arg "Dromos_mpi.run: MPI begins once in a process";
  match Engine.start ~one_thread:(wants_one_thread ()) with
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Atomic.set state After;
      Printexc.raise_with_backtrace e bt
  | () -> (
      let comm = Comm.of_number 0 in
      where :=
        Printf.sprintf "rank %d of %d on %s" comm.rank comm.size
          (Engine.call Raw.processor);
      Stdlib.at_exit at_exit_inside;
      check_program comm;
      match f comm with
      | v ->
          end_ comm;
          Atomic.set state After;
          v
      | exception e -> failed e (Printexc.get_raw_backtrace ()))

(* {1 Machines} *)

(* Machines are compared by name: with MPICH a group of shared memory may have only
   one rank. *)
let machines comm = Collective.all_gather comm (Engine.call Raw.processor)

let here comm =
  let names = machines comm in
  let mine = names.(comm.Comm.rank) in
  let colour = Option.get (Array.find_index (String.equal mine) names) in
  Option.get (Comm.split comm ~colour ~key:comm.rank)

(* Ranks of one machine share its processors. *)
let workers comm =
  let names = machines comm in
  let mine = names.(comm.Comm.rank) in
  let here =
    Array.fold_left (fun n name -> n + Bool.to_int (name = mine)) 0 names
  in
  max 1 (Domain.recommended_domain_count () / here)
