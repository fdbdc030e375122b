(* Exit statuses: a number has the same meaning in all commands. *)

open Cmdliner

let fine = 0
let refused = 1
let bad_input = 2
let unknown = 3
let no_prover = 4

(* The status for several policies. An unreadable file comes first, then a
   refuted property, then a missing prover, then an open question. *)
let worst statuses =
  let worse = [ bad_input; refused; no_prover; unknown ] in
  Option.value ~default:fine
    (List.find_opt (fun s -> List.mem s statuses) worse)

let usual =
  List.filter (fun info -> Cmd.Exit.info_code info >= 123) Cmd.Exit.defaults

(* The statuses of a command that proves no property. [no] describes the status
   for a negative answer. *)
let of_reading ?no what =
  Cmd.Exit.info fine ~doc:"if all is well."
  :: List.map (fun doc -> Cmd.Exit.info refused ~doc) (Option.to_list no)
  @ (Cmd.Exit.info bad_input ~doc:("if " ^ what ^ ".") :: usual)

let policy_is_read =
  "a file cannot be read or written, or is no policy: each fault is printed \
   with its place"

let all =
  Cmd.Exit.info fine ~doc:"if all is well."
  :: Cmd.Exit.info refused ~doc:"if the answer is no: a property does not hold."
  :: Cmd.Exit.info bad_input ~doc:("if " ^ policy_is_read ^ ".")
  :: Cmd.Exit.info unknown
       ~doc:"if a property is neither proved nor seen to be violated."
  :: Cmd.Exit.info no_prover
       ~doc:"if no prover works, so that nothing can be proved: says why."
  :: usual
