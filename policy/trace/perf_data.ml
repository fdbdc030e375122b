(* The layout is described by the kernel's perf.data-file-format.txt and by
   perf_event_open(2). All numbers have the byte order of the recording
   machine; files with the highest byte first are refused ({!Read}). *)

let magic = "PERFILE2"
let refused format = Printf.ksprintf failwith format
let u16 = String.get_uint16_le
let i32 text at = Int32.to_int (String.get_int32_le text at)
let u32 text at = i32 text at land 0xffffffff
let u64 text at = Int64.to_int (String.get_int64_le text at)

(* {1 The header} *)

type part = { at : int; size : int }

let part text at = { at = u64 text at; size = u64 text (at + 8) }

let inside text { at; size } =
  at >= 0 && size >= 0 && at + size <= String.length text

(* Features by number; the parts of the features stand after the data. *)
let tracing_data = 1
let processors = 7
let compressed = 27

let features text (data : part) =
  let has bit = Char.code text.[72 + (bit / 8)] land (1 lsl (bit mod 8)) <> 0 in
  let bits = List.filter has (List.init 256 Fun.id) in
  let after = data.at + data.size in
  List.filter_map
    (fun (i, bit) ->
      let at = after + (16 * i) in
      if inside text { at; size = 16 } then Some (bit, part text at) else None)
    (List.mapi (fun i bit -> (i, bit)) bits)

(* {1 The content of samples} *)

type kind = { sample_type : int; read_format : int; all_have_id : bool }

let has kind bit = kind.sample_type land (1 lsl bit) <> 0
let with_ip = 0
let with_tid = 1
let with_time = 2
let with_address = 3
let with_read = 4
let with_callchain = 5
let with_id = 6
let with_cpu = 7
let with_period = 8
let with_stream = 9
let with_raw = 10
let with_identifier = 16

(* The kinds of events, under the numbers at the beginning of their samples. *)
let kinds text =
  let entry = u64 text 16 and all = part text 24 in
  if entry < 64 || not (inside text all) then refused "its header is cut off";
  let known = Hashtbl.create 16 in
  let kind at =
    let kind =
      {
        sample_type = u64 text (at + 24);
        read_format = u64 text (at + 32);
        all_have_id = u64 text (at + 40) land (1 lsl 18) <> 0;
      }
    in
    let ids = part text (at + entry - 16) in
    if inside text ids then
      for i = 0 to (ids.size / 8) - 1 do
        Hashtbl.replace known (u64 text (ids.at + (8 * i))) kind
      done;
    kind
  in
  (known, List.init (all.size / entry) (fun i -> kind (all.at + (i * entry))))

type sample = { at : int; cpu : int; raw : Formats.raw option }

(* The size in bytes of the read values at [at]. *)
let read_size kind text at =
  let bit n = if kind.read_format land (1 lsl n) <> 0 then 8 else 0 in
  let times = bit 0 + bit 1 and each = 8 + bit 2 + bit 4 in
  if bit 3 > 0 then 8 + times + (u64 text at * each) else times + each

let sample kind text from until =
  let at = ref from in
  let skip bit n = if has kind bit then at := !at + n in
  let value bit get default =
    if not (has kind bit) then default
    else begin
      let v = get text !at in
      at := !at + 8;
      v
    end
  in
  skip with_identifier 8;
  skip with_ip 8;
  skip with_tid 8;
  let time = value with_time u64 (-1) in
  skip with_address 8;
  skip with_id 8;
  skip with_stream 8;
  let cpu = value with_cpu u32 (-1) in
  skip with_period 8;
  if has kind with_read then at := !at + read_size kind text !at;
  if has kind with_callchain then at := !at + 8 + (8 * u64 text !at);
  let raw =
    if not (has kind with_raw) then None
    else
      let size = u32 text !at in
      let from = !at + 4 in
      if from + size > until then refused "a sample is cut off"
      else Some { Formats.text; from; until = from + size }
  in
  { at = time; cpu; raw }

(* Records other than samples have the same numbers at the end. *)
let trailer kind until =
  let size bit = if has kind bit then 8 else 0 in
  let after_cpu = size with_identifier in
  let after_time =
    size with_id + size with_stream + size with_cpu + after_cpu
  in
  (until - after_time - 8, until - after_cpu - 8)

(* {1 Events} *)

let event task f raw =
  let number name = Formats.number f name raw
  and string name = Formats.string f name raw in
  let about pid comm = task (number pid) (string comm) in
  match Formats.name f with
  | "sched_switch" ->
      let state = number "prev_state" in
      (* Since Linux 4.14 the states are in the lowest byte. A higher bit says
         that the thread was preempted. *)
      Some
        (Trace.Switch
           {
             prev = about "prev_pid" "prev_comm";
             ready = state land 0xff = 0;
             dead = state land 0x30 <> 0;
             next = about "next_pid" "next_comm";
           })
  | ("sched_wakeup" | "sched_wakeup_new") as name ->
      let fresh = name = "sched_wakeup_new" in
      Some
        (Wakeup { task = about "pid" "comm"; onto = number "target_cpu"; fresh })
  | "sched_waking" ->
      Some (Waking { task = about "pid" "comm"; onto = number "target_cpu" })
  | "sched_migrate_task" ->
      Some
        (Migrate
           {
             task = about "pid" "comm";
             from = number "orig_cpu";
             onto = number "dest_cpu";
           })
  | "sched_process_fork" -> Some (Fork (about "child_pid" "child_comm"))
  | "sched_process_exit" -> Some (Exit (about "pid" "comm"))
  | _ -> None

(* {1 Records} *)

type reading = {
  text : string;
  formats : (int, Formats.format) Hashtbl.t;
  kind_at : int -> kind;
      (* the kind of the record whose body is at this place *)
  kind_before : int -> kind;
      (* the kind of the record that ends at this place *)
  task : int -> string -> Trace.task;
  names : (int, string) Hashtbl.t;
  mutable events : Trace.event list;
}

let add r at cpu current what =
  if cpu < 0 || cpu >= 8192 then refused "its samples do not say their CPU";
  if at < 0 then refused "its samples do not say their time";
  r.events <- { at; cpu; current; what } :: r.events

let sampled r from until =
  match sample (r.kind_at from) r.text from until with
  | { raw = None; _ } -> ()
  | { at; cpu; raw = Some raw } ->
      Option.iter
        (fun f ->
          Option.iter
            (add r at cpu (Formats.number f "common_pid" raw))
            (event r.task f raw))
        (Hashtbl.find_opt r.formats (u16 raw.text raw.from))

let lost r n until =
  let kind = r.kind_before until in
  if kind.all_have_id && has kind with_cpu && has kind with_time then begin
    let time, cpu = trailer kind until in
    add r (u64 r.text time) (u32 r.text cpu) (-1) (Trace.Lost n)
  end

(* A thread's name: the process, the thread, the text. *)
let named r from until =
  let start = from + 8 in
  let stop =
    match String.index_from_opt r.text start '\000' with
    | Some stop when stop < until -> stop
    | Some _ | None -> until
  in
  Hashtbl.replace r.names
    (u32 r.text (from + 4))
    (String.sub r.text start (stop - start))

let record r number from until =
  match number with
  | 3 -> named r from until
  | 9 -> sampled r from until
  | 2 -> lost r (u64 r.text (from + 8)) until
  | 13 -> lost r (u64 r.text from) until
  | 81 | 83 -> refused "its records are compressed: record again without -z"
  | _ -> ()

(* Reads the records to the end. Data in which a record is cut off is
   refused. *)
let rec records r at until =
  if at + 8 <= until then begin
    let size = u16 r.text (at + 6) in
    if size < 8 || at + size > until then
      refused "the record at byte %d is cut off" at;
    record r (u32 r.text at) (at + 8) (at + size);
    records r (at + size) until
  end

let kind_of text =
  let known, all = kinds text in
  match all with
  | [] -> refused "it has no events"
  | first :: others ->
      let same = List.for_all (( = ) first) others in
      let named = List.for_all (fun kind -> has kind with_identifier) all in
      if not (same || named) then
        refused "its events have samples of several kinds without numbers";
      fun at ->
        if same then first
        else Option.value (Hashtbl.find_opt known (u64 text at)) ~default:first

let read text =
  let read () =
    if String.length text < 104 then refused "it is cut off";
    if u64 text 8 = 16 then
      refused "it was written to a pipe: record into a file (-o FILE)";
    if u64 text 8 < 104 then refused "its header is not as expected";
    let data = part text 40 in
    if data.size = 0 then
      refused
        "its recording was not ended, so that it does not say what is in it";
    let features = features text data in
    let feature bit = List.assoc_opt bit features in
    if feature compressed <> None then
      refused "its records are compressed: record again without -z";
    if not (inside text data) then refused "it is cut off";
    let formats =
      match feature tracing_data with
      | Some part when inside text part ->
          Formats.read text part.at (part.at + part.size)
      | Some _ -> refused "it is cut off"
      | None -> refused "it has no trace events: use perf sched record"
    in
    let kind_at = kind_of text in
    let r =
      {
        text;
        formats;
        kind_at;
        kind_before = (fun until -> kind_at (until - 8));
        task = Trace.interned ();
        names = Hashtbl.create 64;
        events = [];
      }
    in
    records r data.at (data.at + data.size);
    let cpus =
      match feature processors with
      | Some part when inside text part && part.size >= 8 -> u32 text part.at
      | Some _ | None -> 0
    in
    Trace.make ~cpus:(Int.min cpus 8192) ~names:r.names (List.rev r.events)
  in
  match read () with
  | trace -> Ok trace
  | exception Failure why -> Error why
  | exception Invalid_argument _ -> Error "it is cut off"
