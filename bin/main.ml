open Cmdliner

let policy =
  let doc = "scheduling policies: check, simulate, compile, lay them out" in
  Cmd.group (Cmd.info "policy" ~doc)
    [
      Policy_check.cmd; Policy_simulate.cmd; Policy_compile.cmd; Policy_fmt.cmd;
    ]

let heap =
  let doc = "the runtime variant without stop-the-world minor collections" in
  Cmd.group (Cmd.info "heap" ~doc) [ Heap_dir.cmd ]

let () =
  let doc = "tools of Dromos" in
  exit
    (Output.said
       (Cmd.eval' (Cmd.group (Cmd.info "dromos" ~doc) [ policy; heap ])))
