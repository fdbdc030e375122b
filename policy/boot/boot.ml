open Outcome

type settings = {
  kernel : string option;
  nodes : int;
  plan : Guest.plan;
  folder : string;
  pages : bool;
  say : string -> unit;
}

exception Refused of string

let stayed outcome =
  let policy =
    List.filter
      (fun (run : Transcript.run) -> run.scheduler = Policy)
      outcome.transcript.runs
  in
  outcome.trouble = Nothing && outcome.transcript.ended && policy <> []
  && List.for_all
       (fun (run : Transcript.run) ->
         run.enabled && run.in_time && run.code = 0)
       policy
  && List.for_all
       (fun (l : Transcript.loading) ->
         l.refused = None
         && (l.restarted
            || not (Option.fold ~none:false ~some:Transcripts.put_out l.exit)))
       outcome.transcript.loadings

let unfit outcome =
  match outcome.transcript.guest with
  | Some { sched_ext = false; _ } ->
      Some "cannot run policies: it has no sched_ext"
  | Some { btf = false; _ } ->
      Some "cannot run policies: it does not describe its types (BTF)"
  | Some _ -> None
  | None -> (
      match (outcome.trouble, outcome.emulated) with
      | Hung _, Some _ ->
          Some "did not come up in time (with fewer CPUs it is quicker)"
      | _ -> Some "did not come up")

(* {1 Progress messages} *)

let told say line =
  match String.split_on_char ' ' line with
  | [ "run"; workload; scheduler ] ->
      let value text =
        match String.index_opt text '=' with
        | Some i -> String.sub text (i + 1) (String.length text - i - 1)
        | None -> text
      in
      say
        (Printf.sprintf "%s under the %s" (value workload)
           (if value scheduler = "policy" then "policy"
            else "kernel's own scheduler"))
  | "guest" :: _ -> say "the kernel is up"
  | "attached" :: _ -> say "the policy is loaded"
  | _ -> ()

(* {1 The console} *)

let lines path =
  match In_channel.with_open_bin path In_channel.input_all with
  | text ->
      String.split_on_char '\n' text
      |> List.map (fun line ->
             String.concat "" (String.split_on_char '\r' line))
      |> List.filter (fun line -> String.trim line <> "")
  | exception Sys_error _ -> []

let last_of n items =
  let extra = List.length items - n in
  List.filteri (fun i _ -> i >= extra) items

let has part line = Qemu.contains ~part line

let panic console =
  if List.exists (has "Kernel panic") console then Some (last_of 12 console)
  else None

(* {1 Traces} *)

let draw ~name file trace =
  let page = Filename.remove_extension file ^ ".html" in
  Cache.write page ((Dromos_policy_trace.Page.of_trace ~name trace).html ())

let recorded settings (run : Transcript.run) text =
  let { Transcript.workload; scheduler; _ } = run in
  let name =
    Printf.sprintf "%s-%s" workload (Transcripts.scheduler_name scheduler)
  in
  let file = Filename.concat settings.folder (name ^ ".trace") in
  Cache.write file text;
  let trace = Dromos_policy_trace.Read.text text in
  if settings.pages then Result.iter (draw ~name file) trace;
  let figures =
    Result.map (fun trace -> Dromos_policy_trace.Summary.of_trace trace) trace
  in
  { workload; scheduler; file; figures }

(* The traces of all runs stand in one file, one after the other; the report
   tells their lengths. *)
let split_traces settings (files : Qemu.files) (t : Transcript.t) =
  if not (Sys.file_exists files.trace) then []
  else begin
    if List.exists (fun (run : Transcript.run) -> run.trace <> None) t.runs then
      settings.say "reading the traces";
    let found =
      In_channel.with_open_bin files.trace @@ fun channel ->
      List.filter_map
        (fun (run : Transcript.run) ->
          Option.bind run.trace (fun { Transcript.bytes; _ } ->
              In_channel.really_input_string channel bytes)
          |> Option.map (recorded settings run))
        t.runs
    in
    Sys.remove files.trace;
    found
  end

(* {1 Booting} *)

let object_of settings = function
  | Guest.Object content -> content
  | Source { name; text; marked } -> (
      settings.say "compiling the policy";
      Cache.write (Filename.concat settings.folder "policy.bpf.c") text;
      match Guest.compiled ~name marked with
      | Ok content -> content
      | Error said -> raise (Refused said))

(* True if the disk is full. QEMU does not report a full disk, and the guest
   waits for its output to be written. *)
let full (files : Qemu.files) =
  let file = files.report ^ ".more" in
  Interrupt.protect ~finally:(fun () -> Cache.remove file) @@ fun () ->
  match Cache.write file (String.make 65536 ' ') with
  | () -> false
  | exception Sys_error _ -> true

let trouble (ending : Qemu.ending) (files : Qemu.files) (t : Transcript.t) last
    =
  let console = lines files.console in
  match (panic console, ending) with
  | Some lines, _ -> Panic lines
  | None, Silent _ when full files ->
      Lost ("no room is left in " ^ Filename.dirname files.report)
  | None, Silent seconds -> Hung { seconds; last }
  | None, Broken said -> Lost said
  | None, Ended ->
      if t.ended then Nothing
      else
        Lost
          (match List.rev console with
          | line :: _ -> line
          | [] -> "the guest said nothing")

let clean (files : Qemu.files) =
  List.iter Cache.remove
    [ files.console; files.report; files.serial; files.trace ]

(* A guest without a line after this number of seconds has failed. The CPUs of
   an emulated guest come up one after the other. *)
let first accelerator cpus =
  match accelerator with
  | Qemu.Kvm -> 20.
  | Emulated -> Float.max 120. (10. *. float cpus)

let check_machine () =
  (match String.trim (Tools.read [ "uname"; "-sm" ]) with
  | "Linux x86_64" -> ()
  | other ->
      raise
        (Tools.Missing
           ("guests have the processor of this machine, and are made for Linux \
             on x86_64 alone: this is " ^ other)));
  (* All that is missing is named at once. *)
  match Tools.missing [ "qemu"; "cc"; "ldd"; "clang"; "libbpf" ] with
  | [] -> ()
  | lines -> raise (Tools.Missing (String.concat "\n" lines))

(* Boots once. Returns the lines of the guest, the last one first. *)
let once settings (machine : Qemu.settings) =
  clean machine.files;
  let heard = ref [] in
  let hear line =
    heard := line :: !heard;
    told settings.say line
  in
  let patience = float_of_int settings.plan.limit +. 60. in
  let first = first machine.accelerator machine.cpus in
  let ending = Qemu.boot machine ~patience ~first hear in
  (ending, !heard)

(* True if the guest's kernel failed by a fault of the emulator. A kernel changes
   its own code, for each tracepoint and each scheduler, in a way that is safe on
   real processors; but the emulator sometimes still runs the instruction that
   the change has replaced. *)
let emulator's_fault (files : Qemu.files) =
  let console = lines files.console in
  panic console <> None && List.exists (has "Oops: int3") console

let rec emulated ?(left = 2) settings (machine : Qemu.settings) =
  let result = once settings { machine with accelerator = Emulated } in
  if left > 0 && emulator's_fault machine.files then begin
    settings.say
      "the emulator ran code that the kernel had replaced: booting once more";
    emulated ~left:(left - 1) settings machine
  end
  else result

(* Boots with KVM if possible. The result: the reason why the guest is emulated,
   if it is; the ending; the lines of the guest. *)
let boot settings (machine : Qemu.settings) =
  let emulated why =
    settings.say ("emulated: " ^ why);
    let ending, heard = emulated settings machine in
    (Some why, ending, heard)
  in
  if not (Qemu.has_kvm ()) then emulated "there is no KVM here"
  else
    match once settings { machine with accelerator = Kvm } with
    | Broken said, _ -> emulated ("KVM does not work here: " ^ said)
    | Silent _, [] -> emulated "KVM does not work here: the guest said nothing"
    | ending, heard -> (None, ending, heard)

let run settings program =
  check_machine ();
  let image = Kernel.choose ~say:settings.say settings.kernel in
  let policy = object_of settings program in
  let files = Qemu.files settings.folder in
  let initrd = Filename.concat settings.folder "initrd" in
  Interrupt.protect ~finally:(fun () -> Cache.remove initrd) @@ fun () ->
  Cache.write initrd (Guest.image settings.plan policy);
  settings.say ("booting " ^ image.release);
  let emulated, ending, heard =
    boot settings
      {
        accelerator = Kvm;
        cpus = settings.plan.cpus;
        nodes = settings.nodes;
        kernel = image.image;
        initrd;
        records = settings.plan.trace_bytes > 0;
        files;
      }
  in
  let transcript = Transcripts.of_lines (List.rev heard) in
  let last =
    match heard with line :: _ -> line | [] -> "the guest said nothing"
  in
  let trouble = trouble ending files transcript last in
  let traces = split_traces settings files transcript in
  {
    image;
    emulated;
    transcript;
    trouble;
    reasons = List.filter (has "sched_ext") (lines files.console);
    traces;
    console =
      (if Sys.file_exists files.console then Some files.console else None);
  }
