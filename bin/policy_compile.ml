(* dromos policy compile: a policy as OCaml code. *)

open Cmdliner
open Dromos_policy_compile

let compile file output =
  match Input.policy file with
  | None -> Status.bad_input
  | Some policy ->
      let make () =
        match Ocaml.compile ~source:file policy with
        | text -> Ok text
        | exception Ocaml.Not_compiled (at, part) -> Error (at, part)
      in
      Output.made ~what:"the OCaml hub has" make output

let run file output = Output.guarded (fun () -> compile file output)

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
    Term.(const run $ Input.file $ Output.to_ ~docv:"FILE.ml")
