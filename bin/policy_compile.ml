(* dromos policy compile: a policy as OCaml code. *)

open Cmdliner
open Dromos_policy_compile

let compile file output =
  match Input.policy file with
  | None -> Status.bad_input
  | Some policy -> (
      match Ocaml.compile ~source:file policy with
      | exception Ocaml.Not_compiled (at, what) ->
          Printf.eprintf "%s:%d:%d: the OCaml hub has no room for %s\n" at.file
            at.line (at.column + 1) what;
          Status.bad_input
      | text ->
          (match output with
          | None -> print_string text
          | Some path -> Output.write path text);
          Status.fine)

let run file output = Output.guarded (fun () -> compile file output)

let output =
  Arg.(
    value
    & opt (some string) None
    & info [ "o"; "output" ] ~docv:"FILE.ml"
        ~doc:"Where to; standard output if not said.")

let cmd =
  let doc = "compile a policy to a hub for Dromos's workers" in
  let man =
    [
      `S Manpage.s_description;
      `P
        "The code defines $(b,maker). Link it with dromos-policy.runtime and \
         run programs on it: Dromos.run ~hub:(Dromos.Hub.v ~name \
         Policy.maker).";
      `P "In dune, for a policy.policy beside the program:";
      `Pre
        "(rule (with-stdout-to policy.ml\n\
        \ (run dromos policy compile %{dep:policy.policy})))";
    ]
  in
  Cmd.v
    (Cmd.info "compile" ~doc ~man ~exits:Status.all)
    Term.(const run $ Input.file $ output)
