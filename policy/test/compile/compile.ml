(* The hub of one policy on standard output. *)

open Dromos_policy_elaborate
module Fault = Dromos_policy_syntax.Fault

let () =
  let file = Sys.argv.(1) in
  match Elaborate.file file with
  | Error (source, faults) ->
      List.iter (fun f -> prerr_string (Fault.to_string ~source f)) faults;
      exit 1
  | Ok { policy; _ } -> (
      match Dromos_policy_compile.Ocaml.compile ~source:file policy with
      | text -> print_string text
      | exception Dromos_policy_compile.Ocaml.Not_compiled (at, what) ->
          Printf.eprintf "%s:%d:%d: %s\n" at.file at.line at.column what;
          exit 1)
