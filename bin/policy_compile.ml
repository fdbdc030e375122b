(* dromos policy compile: a policy as code, for Dromos's workers or for
   Linux. *)

open Cmdliner
open Dromos_policy_compile
module Kernel = Dromos_policy_kernel.Sched_ext

type target = Workers | Linux

let to_ocaml file policy =
  match Ocaml.compile ~source:file policy with
  | text -> Ok text
  | exception Ocaml.Not_compiled (at, part) -> Error (at, part)

(* Reads the text once more, for the lines of the policy. *)
let to_linux ?(directives = false) file policy =
  let text =
    match In_channel.with_open_bin file In_channel.input_all with
    | text -> text
    | exception Sys_error _ -> ""
  in
  if not directives then
    List.iter
      (fun (a : Dromos_policy_core.Core.attribute) ->
        Printf.eprintf
          "%s:%d: `%s`: the kernel does not say it; it keeps its first value\n"
          a.place.file a.place.line a.name)
      (Kernel.unknown policy);
  match Kernel.compile ~directives ~source:file ~text policy with
  | text -> Ok text
  | exception Kernel.Not_compiled (at, part) -> Error (at, part)

let compile target file output =
  match Input.policy file with
  | None -> Status.bad_input
  | Some policy -> (
      match target with
      | Workers ->
          Output.made ~what:"the OCaml hub has"
            (fun () -> to_ocaml file policy)
            output
      | Linux ->
          Output.made ~what:"sched_ext's machine has"
            (fun () -> to_linux file policy)
            output)

let run target file output =
  Output.guarded (fun () -> compile target file output)

let target =
  Arg.(
    value
    & opt (enum [ ("ocaml", Workers); ("sched_ext", Linux) ]) Workers
    & info [ "target" ] ~docv:"TARGET"
        ~doc:
          "$(b,ocaml): a hub for Dromos's workers; $(b,sched_ext): a C file \
           for Linux, to be compiled by clang for BPF.")

let cmd =
  let doc = "compile a policy to a hub for Dromos's workers, or for Linux" in
  let man =
    [
      `S Manpage.s_description;
      `P
        "The OCaml code defines $(b,maker). Link it with dromos-policy.runtime \
         and run programs on it: Dromos.run ~hub:(Dromos.Hub.v ~name \
         Policy.maker).";
      `P "In dune, for a policy.policy beside the program:";
      `Pre
        "(rule (with-stdout-to policy.ml\n\
        \ (run dromos policy compile %{dep:policy.policy})))";
      `P
        "For a Linux of 6.12 or later with sched_ext, on the machine itself \
         (the last two as root):";
      `Pre
        "dromos policy compile --target sched_ext policy.policy -o policy.bpf.c\n\
         clang -O2 -g --target=bpf -mcpu=v4 -I/usr/include/\\$(uname \
         -m)-linux-gnu \\\\\n\
        \  -c policy.bpf.c -o policy.bpf.o\n\
         bpftool struct_ops register policy.bpf.o /sys/fs/bpf/policy\n\
         rm -r /sys/fs/bpf/policy";
      `P
        "clang is version 18 or later, the folder is where Debian has the \
         kernel's headers, and the last line gives the threads back to the \
         kernel's own scheduler. $(b,dromos policy boot) does the same in a \
         guest, and says more.";
    ]
  in
  Cmd.v
    (Cmd.info "compile" ~doc ~man ~exits:Status.(of_reading policy_is_read))
    Term.(const run $ target $ Input.file $ Output.to_ ~docv:"FILE")
