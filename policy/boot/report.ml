open Rows

let cell format = function Some x -> Printf.sprintf format x | None -> "-"

let time = function
  | None -> "-"
  | Some x when x < 1e-3 -> Printf.sprintf "%.0f us" (x *. 1e6)
  | Some x when x < 1. -> Printf.sprintf "%.1f ms" (x *. 1e3)
  | Some x -> Printf.sprintf "%.2f s" x

let percent = Option.map (fun x -> 100. *. x)

let head =
  [
    "";
    "";
    "work per CPU s";
    "CPUs used";
    "idle beside";
    "fairness";
    "wait p99";
    "longest wait";
    "moves";
    "switches";
    "elapsed";
    "";
  ]

let line ~first r =
  [
    (if first then r.workload else "");
    Transcripts.scheduler_name r.scheduler;
    cell "%.0f" r.rate;
    cell "%.1f %%" (percent r.used);
    cell "%.1f %%" (percent r.idle_beside);
    cell "%.2f" r.fairness;
    time r.wait_p99;
    time r.longest_wait;
    cell "%d" r.migrations;
    cell "%d" r.switches;
    time r.elapsed;
    Option.value r.outcome ~default:"";
  ]

(* Names are aligned to the left, figures to the right. *)
let table lines =
  let widths =
    List.fold_left
      (fun widths line ->
        List.map2 (fun w text -> max w (String.length text)) widths line)
      (List.map (fun _ -> 0) head)
      lines
  in
  let last = List.length head - 1 in
  let padded i width text =
    let space = String.make (width - String.length text) ' ' in
    if i < 2 || i = last then text ^ space else space ^ text
  in
  let trimmed text =
    let rec upto i = if i > 0 && text.[i - 1] = ' ' then upto (i - 1) else i in
    String.sub text 0 (upto (String.length text))
  in
  List.map
    (fun line ->
      let cells =
        List.mapi
          (fun i (w, text) -> padded i w text)
          (List.combine widths line)
      in
      trimmed (String.concat "  " cells))
    lines

let lines_of rows =
  let rec go before = function
    | [] -> []
    | r :: rest ->
        line ~first:(before <> Some r.workload) r :: go (Some r.workload) rest
  in
  head :: go None rows

let pp_attached ppf (l : Transcript.loading) =
  match l.attached with
  | Some (load, attach) ->
      let insns = List.fold_left (fun n (_, i) -> n + i) 0 l.programs in
      Fmt.pf ppf
        "the policy was verified and loaded in %s, attached in %s; %d \
         instructions verified in %d programs@,"
        (time (Some load)) (time (Some attach)) insns (List.length l.programs);
      Option.iter
        (Fmt.pf ppf "the kernel's /sys/kernel/sched_ext/root/ops: %s@,")
        l.ops
  | None -> ()

(* The verifier's last message is the reason, except for its statistics and
   libbpf's messages. *)
let complaint log =
  let rec look = function
    | a :: b :: _ when String.starts_with ~prefix:"processed " b -> Some a
    | _ :: rest -> look rest
    | [] -> None
  in
  look log

(* Reads lines of the form "; TEXT @ FILE.policy:LINE". *)
let policy_line log =
  let after at line =
    match String.rindex_opt line '@' with
    | Some i when i + 2 < String.length line ->
        let place = String.sub line (i + 2) (String.length line - i - 2) in
        if
          Filename.check_suffix
            (List.hd (String.split_on_char ':' place))
            ".policy"
        then Some place
        else at
    | Some _ | None -> at
  in
  List.fold_left after None log

let last_of n items =
  let extra = List.length items - n in
  List.filteri (fun i _ -> i >= extra) items

let pp_refused ppf ((what, error), log) =
  let step =
    match what with
    | "open" -> "the loader cannot read the object"
    | "load" -> "the kernel refused to load the policy"
    | _ -> "the kernel refused to schedule by the policy"
  in
  Fmt.pf ppf "%s: %s@," step error;
  let at = Option.fold ~none:"" ~some:(fun at -> at ^ ": ") (policy_line log) in
  Option.iter (Fmt.pf ppf "  %s%s@," at) (complaint log);
  if log <> [] then Fmt.pf ppf "the end of its log:@,";
  List.iter (Fmt.pf ppf "  %s@,") (last_of 12 log)

(* The kernel's code of an exit (scx_ecode): bit 32 is a reason, bit 48 an
   action; the lower bits are the policy's own number. *)
let code_in_words code =
  let bit n = code land (1 lsl n) <> 0 in
  let own = code land 0xffff_ffff in
  let words =
    (if bit 32 then [ "CPUs came or went" ] else [])
    @ (if bit 48 then [ "the kernel asks that the policy is started again" ]
       else [])
    @ if own = 0 then [] else [ Printf.sprintf "code %d" own ]
  in
  if words = [] then Printf.sprintf "code %d" code else String.concat "; " words

let pp_loading ppf (l : Transcript.loading) =
  Option.iter (fun r -> pp_refused ppf (r, l.log)) l.refused;
  match l.exit with
  | Some exit when Transcripts.put_out exit ->
      Fmt.pf ppf "the kernel put the policy out: %s%s@,"
        (if exit.reason = "" then Printf.sprintf "exit %d" exit.kind
         else exit.reason)
        (if exit.code = 0 then ""
         else Printf.sprintf " (%s)" (code_in_words exit.code));
      List.iter (Fmt.pf ppf "  %s@,") exit.message;
      if l.restarted then
        Fmt.pf ppf "the policy was started again, with the CPUs of then@,"
  | Some _ | None -> ()

let pp_trace ppf (run : Transcript.run) =
  let name = run.workload ^ ", " ^ Transcripts.scheduler_name run.scheduler in
  match run.trace with
  | Some { lost; _ } when lost > 0 ->
      Fmt.pf ppf "the trace of %s lost %d events, for want of room@," name lost
  | Some { whole = false; bytes; _ } ->
      Fmt.pf ppf "the trace of %s is cut off after %d bytes@," name bytes
  | Some _ | None -> ()

let pp_recorded ppf (r : Outcome.recorded) =
  match r.figures with
  | Ok _ -> ()
  | Error why ->
      Fmt.pf ppf "the trace of %s, %s: %s@," r.workload
        (Transcripts.scheduler_name r.scheduler)
        why

let pp_trouble ppf (o : Outcome.t) =
  match o.trouble with
  | Nothing -> ()
  | Panic lines ->
      Fmt.pf ppf "the guest's kernel panicked; its last lines:@,";
      List.iter (Fmt.pf ppf "  %s@,") lines
  | Hung { seconds; last } ->
      Fmt.pf ppf
        "the guest was silent for %.0f s and was killed; it told last: %s@,"
        seconds last
  | Lost said -> Fmt.pf ppf "the guest ended before it was done: %s@," said

let said_exit (o : Outcome.t) =
  List.exists
    (fun (l : Transcript.loading) -> l.exit <> None)
    o.transcript.loadings

let pp_emulated cpus ppf why =
  let here = Domain.recommended_domain_count () in
  Fmt.pf ppf
    "The guest was emulated (%s): its ratios and counts say something; times \
     do not.@,"
    why;
  if cpus > here then
    Fmt.pf ppf
      "Its %d CPUs shared the %d of this machine, so its CPU time has waiting \
       in it: for work per CPU second boot with --cpus %d.@,"
      cpus here here

let pp ~name ppf (o : Outcome.t) =
  let t = o.transcript in
  Fmt.pf ppf "@[<v>";
  (match t.guest with
  | Some guest ->
      Fmt.pf ppf "%s on %d CPU%s, Linux %s (%s)@," name guest.cpus
        (if guest.cpus = 1 then "" else "s")
        guest.kernel o.image.origin;
      if not guest.tracing then
        Fmt.pf ppf
          "no traces: this kernel records no scheduling events, or has no \
           virtio to send them by@,"
  | None -> ());
  Option.iter (Fmt.pf ppf "%s %s@," o.image.release) (Boot.unfit o);
  let cpus = match t.guest with Some guest -> guest.cpus | None -> 1 in
  Option.iter (pp_emulated cpus ppf) o.emulated;
  (match Rows.of_outcome o with
  | [] -> ()
  | rows ->
      Fmt.pf ppf "@,";
      List.iter (Fmt.pf ppf "%s@,") (table (lines_of rows));
      Fmt.pf ppf "@,");
  Option.iter (pp_attached ppf)
    (List.find_opt
       (fun (l : Transcript.loading) -> l.attached <> None)
       t.loadings);
  List.iter (pp_loading ppf) t.loadings;
  List.iter (pp_trace ppf) t.runs;
  List.iter (pp_recorded ppf) o.traces;
  List.iter (Fmt.pf ppf "%s@,") t.notes;
  (* If the policy keeps the reason of its end, that reason is printed; else the
     kernel's console. *)
  if (not (Boot.stayed o)) && not (said_exit o) then
    List.iter (Fmt.pf ppf "%s@,") o.reasons;
  Option.iter
    (Fmt.pf ppf "the guest's console, with its kernel's warnings: %s@,")
    o.console;
  pp_trouble ppf o;
  Fmt.pf ppf "@]"
