module Child = Dromos_policy_prove.Child

type accelerator = Kvm | Emulated

type files = {
  console : string;
  report : string;
  serial : string;
  trace : string;
}

let files folder =
  let file = Filename.concat folder in
  {
    console = file "console.log";
    report = file "report.log";
    serial = file "serial.log";
    trace = file "trace.all";
  }

type settings = {
  accelerator : accelerator;
  cpus : int;
  nodes : int;
  kernel : string;
  initrd : string;
  records : bool;
  files : files;
}

(* {1 The command} *)

(* A comma begins the next option; two commas stand for one. *)
let quoted path = String.concat ",," (String.split_on_char ',' path)

(* The megabytes that the workloads and the buffers of the record need. *)
let memory s = 768 + (64 * s.cpus)

let nodes s =
  if s.nodes <= 1 then []
  else
    let each = s.cpus / s.nodes in
    List.concat
      (List.init s.nodes (fun i ->
           [
             "-object";
             Printf.sprintf "memory-backend-ram,id=m%d,size=%dM" i
               (memory s / s.nodes);
             "-numa";
             Printf.sprintf "node,nodeid=%d,cpus=%d-%d,memdev=m%d" i (i * each)
               (((i + 1) * each) - 1)
               i;
           ]))

let port name path =
  [
    "-chardev";
    Printf.sprintf "file,id=%s,path=%s" name (quoted path);
    "-device";
    Printf.sprintf "virtserialport,chardev=%s,name=dromos.%s" name name;
  ]

(* Recording is on from the start: while a single processor runs, the kernel
   changes its code safely. /init empties the record, and enables events that
   are not on yet. *)
let events =
  String.concat ","
    (List.map (( ^ ) "sched:sched_")
       [
         "switch";
         "wakeup";
         "wakeup_new";
         "migrate_task";
         "process_fork";
         "process_exit";
       ])

let append s =
  "console=ttyS0 quiet panic=-1 oops=panic mitigations=off"
  ^ (if s.records then " trace_event=" ^ events else "")
  ^ match s.accelerator with Kvm -> "" | Emulated -> " tsc=reliable"

let command qemu s =
  let machine =
    match s.accelerator with
    | Kvm -> [ "-accel"; "kvm"; "-cpu"; "host" ]
    | Emulated -> [ "-accel"; "tcg,thread=multi"; "-cpu"; "max" ]
  in
  (qemu :: "-nodefaults" :: machine)
  @ [ "-display"; "none"; "-monitor"; "none"; "-no-reboot" ]
  @ [
      "-smp";
      Printf.sprintf "%d,sockets=%d,cores=%d,threads=1" s.cpus s.nodes
        (s.cpus / s.nodes);
      "-m";
      string_of_int (memory s / s.nodes * s.nodes);
    ]
  @ nodes s
  @ [ "-serial"; "file:" ^ quoted s.files.console ]
  @ [ "-serial"; "file:" ^ quoted s.files.serial ]
  @ [ "-device"; "virtio-serial-pci" ]
  @ port "report" s.files.report
  @ port "trace" s.files.trace
  @ [ "-kernel"; s.kernel; "-initrd"; s.initrd; "-append"; append s ]

(* {1 Following} *)

type ending = Ended | Silent of float | Broken of string

(* Serial lines end with a carriage return. *)
let without_return line =
  let n = String.length line in
  if n > 0 && line.[n - 1] = '\r' then String.sub line 0 (n - 1) else line

(* The whole lines that have come since the last look. *)
type tail = { path : string; mutable at : int; mutable rest : string }

let tail path = { path; at = 0; rest = "" }

let news tail =
  match In_channel.open_bin tail.path with
  | exception Sys_error _ -> []
  | file ->
      Interrupt.protect ~finally:(fun () -> In_channel.close file) @@ fun () ->
      In_channel.seek file (Int64.of_int tail.at);
      let text = In_channel.input_all file in
      tail.at <- tail.at + String.length text;
      let rec split = function
        | [] -> []
        | [ last ] ->
            tail.rest <- last;
            []
        | line :: more -> without_return line :: split more
      in
      split (String.split_on_char '\n' (tail.rest ^ text))

let size path =
  match Unix.stat path with
  | { st_size; _ } -> st_size
  | exception Unix.Unix_error _ -> 0

(* The messages of QEMU, and whether QEMU still runs. *)
type voice = { fd : Unix.file_descr; said : Buffer.t; mutable there : bool }

let listen voices seconds =
  let open_ = List.filter (fun v -> v.there) voices in
  match Unix.select (List.map (fun v -> v.fd) open_) [] [] seconds with
  | exception Unix.Unix_error (EINTR, _, _) -> ()
  | ready, _, _ ->
      let bytes = Bytes.create 4096 in
      List.iter
        (fun v ->
          if List.mem v.fd ready then
            match Unix.read v.fd bytes 0 4096 with
            | 0 -> v.there <- false
            | n -> Buffer.add_subbytes v.said bytes 0 n
            | exception Unix.Unix_error (EINTR, _, _) -> ())
        open_

let contains ~part text =
  let n = String.length part in
  let rec at i =
    i + n <= String.length text && (String.sub text i n = part || at (i + 1))
  in
  at 0

(* The virtual processor then stands still, and QEMU does not end. *)
let is_broken said = contains ~part:"KVM internal error" said

(* Finds the line of an error, and not one of the warnings before it. *)
let complaint text =
  let lines =
    List.filter
      (fun line -> line <> "")
      (String.split_on_char '\n' (String.trim text))
  in
  let wanted part = List.find_opt (contains ~part) lines in
  match List.find_map wanted [ "KVM internal error"; "error:"; "rror"; "" ] with
  | Some line -> line
  | None -> "it ended without a word"

let follow s ~patience ~first voices heard =
  let tails = [ tail s.files.report; tail s.files.serial ] in
  let outputs =
    [ s.files.console; s.files.report; s.files.serial; s.files.trace ]
  in
  let began = Unix.gettimeofday () in
  let lines = ref 0 in
  let take () =
    List.iter
      (fun tail ->
        List.iter
          (fun line ->
            incr lines;
            heard line)
          (news tail))
      tails
  in
  let rec go last sizes =
    listen voices 0.1;
    take ();
    let now = Unix.gettimeofday () in
    let said =
      String.concat "" (List.map (fun v -> Buffer.contents v.said) voices)
    in
    let new_sizes = List.map size outputs in
    let last = if new_sizes = sizes then last else now in
    if List.for_all (fun v -> not v.there) voices then begin
      take ();
      if !lines = 0 && size s.files.console = 0 then Broken (complaint said)
      else Ended
    end
    else if is_broken said then Broken (complaint said)
    else if !lines = 0 && now -. began > first then Silent (now -. began)
    else if !lines > 0 && now -. last > patience then Silent (now -. last)
    else go last new_sizes
  in
  go began []

let boot s ~patience ~first heard =
  match Child.start (command (Tools.need "qemu") s) with
  | Error said -> Broken said
  | Ok child ->
      Interrupt.protect ~finally:(fun () -> Child.stop child) @@ fun () ->
      let voice fd = { fd; said = Buffer.create 256; there = true } in
      follow s ~patience ~first [ voice child.output; voice child.errors ] heard

let has_kvm () =
  match Unix.access "/dev/kvm" [ R_OK; W_OK ] with
  | () -> true
  | exception Unix.Unix_error _ -> false
