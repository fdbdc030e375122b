(* Exit statuses, the same for all commands. *)

open Cmdliner

let fine = 0
let refused = 1
let bad_input = 2
let unknown = 3
let no_prover = 4

let all =
  Cmd.Exit.info fine ~doc:"if all is well."
  :: Cmd.Exit.info refused
       ~doc:
         "if the answer is no: a file is not formatted, a property does not \
          hold."
  :: Cmd.Exit.info bad_input
       ~doc:
         "if a file cannot be read or written, or is no policy: each fault is \
          printed with its place."
  :: Cmd.Exit.info unknown
       ~doc:"if a property is neither proved nor seen to be violated."
  :: Cmd.Exit.info no_prover
       ~doc:"if no prover works, so that nothing can be proved: says why."
  :: List.filter (fun info -> Cmd.Exit.info_code info >= 123) Cmd.Exit.defaults
