(* dromos policy check: says whether a policy is one. *)

open Cmdliner
open Dromos_policy_syntax
open Dromos_policy_elaborate

let print source fault = prerr_endline (Fault.to_string ~source fault)

let warn file warnings =
  match Parse.read file with
  | Ok source -> List.iter (print source) warnings
  | Error _ -> ()

let run (_ : bool) file =
  match Elaborate.file file with
  | Error (source, faults) ->
      List.iter (print source) faults;
      Status.bad_input
  | Ok { policy; warnings } ->
      warn file warnings;
      Printf.printf "%s: %s is well formed\n" file policy.policy_name;
      Status.fine

let file =
  Arg.(
    required & pos 0 (some string) None & info [] ~docv:"FILE" ~doc:"A policy.")

let syntax =
  Arg.(
    value & flag
    & info [ "syntax" ]
        ~doc:
          "Only reads it: syntax, names, types, what handlers may look at, and \
           where they leave their thread.")

let cmd =
  let doc = "check a policy" in
  let man =
    [
      `S Manpage.s_description;
      `P
        "Prints every fault with its place in the file, at most 20, and what \
         to do about it.";
    ]
  in
  Cmd.v
    (Cmd.info "check" ~doc ~man ~exits:Status.all)
    Term.(const run $ syntax $ file)
