open Cmdliner

let policy =
  let doc =
    "scheduling policies: check, simulate, compile, boot, lay them out"
  in
  Cmd.group (Cmd.info "policy" ~doc)
    [
      Policy_check.cmd;
      Policy_simulate.cmd;
      Policy_log.cmd;
      Policy_compile.cmd;
      Policy_boot.cmd;
      Policy_certify.cmd;
      Policy_fmt.cmd;
    ]

let heap =
  let doc = "the runtime variant without stop-the-world minor collections" in
  Cmd.group (Cmd.info "heap" ~doc) [ Heap_dir.cmd ]

(* "--load -1": attaches a number to the option before it, so that Cmdliner
   takes the number for the option's value. The command can then report an error
   in the number. *)
let with_negative_values argv =
  let number text = float_of_string_opt text <> None in
  let is_option text =
    String.starts_with ~prefix:"--" text
    && String.length text > 2
    && not (String.contains text '=')
  in
  let rec join = function
    | o :: n :: rest
      when is_option o && String.starts_with ~prefix:"-" n && number n ->
        (o ^ "=" ^ n) :: join rest
    | text :: rest -> text :: join rest
    | [] -> []
  in
  Array.of_list (join (Array.to_list argv))

let () =
  let doc = "tools of Dromos" in
  (* Cmdliner flushes its own output: --version, a page of help. *)
  let eval () =
    Dromos_stdout.written ~failed:Status.bad_input
      (Cmd.eval'
         ~argv:(with_negative_values Sys.argv)
         (Cmd.group
            (Cmd.info "dromos" ~doc ~version:Version.text)
            [ policy; heap ]))
  in
  exit
    (Dromos_stdout.ended ~name:"standard output" ~failed:Status.bad_input eval)
