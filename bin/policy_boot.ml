(* dromos policy boot: a policy in a real kernel, in a guest. *)

open Cmdliner
open Dromos_policy_boot
open Dromos_policy_core

type how = {
  cpus : int * int; (* CPUs and nodes *)
  kernel : string option;
  workloads : string list;
  seconds : float;
  trace : float; (* megabytes for each run *)
  output : string option;
}

(* {1 The policy} *)

let of_policy file =
  match Input.policy file with
  | None -> None
  | Some policy -> (
      let code = Policy_compile.to_linux file policy in
      match (code, Policy_compile.to_linux ~directives:true file policy) with
      | Ok text, Ok marked ->
          let name = Filename.remove_extension (Filename.basename file) in
          Some (name, Guest.Source { name = name ^ ".bpf.c"; text; marked })
      | Error (at, part), _ | _, Error (at, part) ->
          Printf.eprintf "%s:%d:%d: sched_ext's machine has no room for %s\n"
            at.file at.line (at.column + 1) part;
          None)

(* A policy, or a program compiled from a policy: C for BPF, or an object of
   BPF. *)
let program file =
  let name = Filename.basename file in
  if Filename.check_suffix file ".bpf.o" then
    let content = Input.read file in
    if Guest.is_object content then Some (name, Guest.Object content)
    else begin
      prerr_endline (file ^ ": it is no object that clang made for BPF");
      None
    end
  else if Filename.check_suffix file ".bpf.c" then
    let text = Input.read file in
    Some (name, Guest.Source { name = file; text; marked = text })
  else of_policy file

(* {1 Booting} *)

let within output f =
  match output with
  | Some folder ->
      Output.make_directory folder;
      f folder
  | None ->
      let folder = Filename.temp_dir "dromos" ".boot" in
      Interrupt.protect
        ~finally:(fun () -> Cache.remove folder)
        (fun () -> f folder)

let once names =
  List.fold_left
    (fun known name -> if List.mem name known then known else known @ [ name ])
    [] names

let plan how =
  let bytes = int_of_float (how.trace *. 1e6) in
  {
    Guest.cpus = fst how.cpus;
    seconds = how.seconds;
    limit = 30 + int_of_float (20. *. how.seconds);
    trace_bytes = bytes;
    workloads = once how.workloads;
  }

let say text = Printf.eprintf "dromos: %s\n%!" text

let boot how name program folder =
  let settings =
    {
      Boot.kernel = how.kernel;
      nodes = snd how.cpus;
      plan = plan how;
      folder;
      pages = how.output <> None;
      say;
    }
  in
  let outcome = Boot.run settings program in
  Fmt.pr "%a@?" (Report.pp ~name) outcome;
  let json = Dromos_stdout.json (Json.of_outcome ~name outcome) in
  if how.output <> None then
    Output.write (Filename.concat folder "result.json") (json ^ "\n");
  if Boot.unfit outcome <> None then Status.bad_input
  else if Boot.stayed outcome then Status.fine
  else Status.refused

(* The handlers, the one with the most variables first. The variables of
   called functions count. *)
let widest (policy : Core.policy) =
  let variables (h : Core.handler) =
    let seen = Hashtbl.create 16 in
    let statement : Core.what -> unit = function
      | Set_local (l, _) | Foreach { each = l; _ } ->
          Hashtbl.replace seen l.local_id ()
      | _ -> ()
    in
    Visits.block ~statement ~expression:ignore h.handler_body;
    Hashtbl.length seen
  in
  List.map (fun h -> (variables h, h)) (Query.reactions policy)
  |> List.sort (fun (a, _) (b, _) -> Int.compare b a)
  |> List.map snd

(* Replaces clang's message for a program too large for BPF's stack. The message
   is long, and names a line of code shared by all policies. *)
let by_clang file said =
  if Qemu.contains ~part:"stack limit" said then
    let handlers =
      match Dromos_policy_elaborate.Elaborate.file file with
      | Ok { policy; _ } -> widest policy
      | Error _ -> []
    in
    match handlers with
    | { handler_place = { line; _ }; _ } :: _ ->
        Printf.sprintf
          "%s:%d: a handler keeps more variables at a time than BPF has room \
           for (512 bytes): likely this one, which has the most"
          file line
    | [] -> file ^ ": it keeps more variables than BPF has room for (512 bytes)"
  else file ^ ": clang does not compile its code:\n" ^ said

let checked how file =
  match program file with
  | None -> Status.bad_input
  | Some (name, program) -> within how.output (boot how name program)

let run how file =
  Output.guarded @@ fun () ->
  let bad text =
    prerr_endline text;
    Status.bad_input
  in
  match Interrupt.heard (fun () -> checked how file) with
  | status -> status
  | exception (Tools.Missing text | Tools.Failed text) -> bad text
  | exception Kernel.None_found text -> bad text
  | exception Boot.Refused said -> bad (by_clang file said)
  | exception Unix.Unix_error (e, _, what) ->
      bad (what ^ ": " ^ Unix.error_message e)
  | exception Interrupt.By signal ->
      prerr_endline "dromos: interrupted; the guest is stopped";
      if signal = Sys.sigint then 130 else 143

(* {1 Arguments} *)

let cpus =
  let parse text =
    let number text =
      match int_of_string_opt text with
      | Some n when n >= 1 && n <= 64 -> Some n
      | Some _ | None -> None
    in
    let fault =
      Error
        (`Msg
           (text
          ^ " is not a number of CPUs from 1 to 64, or such a number and how \
             many are in a node: 8/4"))
    in
    match List.map number (String.split_on_char '/' text) with
    | [ Some n ] -> Ok (n, 1)
    | [ Some n; Some each ] when n mod each = 0 -> Ok (n, n / each)
    | _ -> fault
  in
  let print ppf (n, nodes) =
    if nodes = 1 then Fmt.int ppf n else Fmt.pf ppf "%d/%d" n (n / nodes)
  in
  Arg.conv (parse, print)

let positive =
  Input.number
    (fun x -> x > 0. && x <= 3600.)
    ~what:" is not a number above 0, and 3600 at most"

let workloads =
  let one =
    Arg.enum (List.map (fun (name, _) -> (name, name)) Guest.workloads)
  in
  let parse text =
    if text = "" then Error (`Msg "no workload is named")
    else Arg.conv_parser (Arg.list one) text
  in
  Arg.conv (parse, Arg.conv_printer (Arg.list one))

let how =
  let make cpus kernel workloads seconds trace no_trace output =
    let trace = if no_trace then 0. else trace in
    { cpus; kernel; workloads; seconds; trace; output }
  in
  let described =
    String.concat "; "
      (List.map (fun (name, text) -> name ^ ", " ^ text) Guest.workloads)
  in
  Term.(
    const make
    $ Arg.(
        value
        & opt cpus (4, 1)
        & info [ "cpus" ] ~docv:"N"
            ~doc:
              "CPUs of the guest; 8/4: in nodes of 4 with memory of their own.")
    $ Arg.(
        value
        & opt (some string) None
        & info [ "kernel" ] ~docv:"IMAGE"
            ~doc:
              "A vmlinuz, or Debian's package of one. If not said, one that \
               was fetched before, else this machine's own, else Debian's \
               newest is fetched.")
    $ Arg.(
        value
        & opt workloads (List.map fst Guest.workloads)
        & info [ "workload" ] ~docv:"NAME,.."
            ~doc:(Printf.sprintf "Some of: %s." described))
    $ Arg.(
        value & opt positive 2.
        & info [ "seconds" ] ~docv:"S"
            ~doc:"About so much work for each, all CPUs busy.")
    $ Arg.(
        value & opt positive 32.
        & info [ "trace" ] ~docv:"MB"
            ~doc:"The size of the kernel's record of each run at most.")
    $ Arg.(value & flag & info [ "no-trace" ] ~doc:"Nothing is recorded.")
    $ Arg.(
        value
        & opt (some string) None
        & info [ "o"; "output" ] ~docv:"DIR"
            ~doc:"Where figures (JSON), logs and traces are left."))

let cmd =
  let doc = "run a policy in a real Linux kernel, in a guest of QEMU" in
  let man =
    [
      `S Manpage.s_description;
      `P
        "Boots a kernel that has sched_ext, runs workloads under the kernel's \
         own scheduler and then under the policy, and prints both beside each \
         other. This machine's own kernel is not touched, and no part needs \
         root.";
      `P
        "FILE is a policy, or C for BPF (.bpf.c), or an object that clang made \
         (.bpf.o): any scheduler of sched_ext that works without a program in \
         user space.";
    ]
  in
  let exits =
    Cmd.Exit.info Status.fine ~doc:"if the policy stayed through all workloads."
    :: Cmd.Exit.info Status.refused
         ~doc:
           "if the kernel did not load the policy or put it out, or a workload \
            did not end."
    :: Cmd.Exit.info Status.bad_input
         ~doc:"if something that is needed is missing: says what."
    :: List.filter
         (fun info -> Cmd.Exit.info_code info >= 123)
         Cmd.Exit.defaults
  in
  Cmd.v (Cmd.info "boot" ~doc ~man ~exits) Term.(const run $ how $ Input.file)
