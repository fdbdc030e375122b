(* Events in the forms of recorders. *)

open Dromos_policy_trace.Trace

type form = Ftrace | Brief | Script

let state ~ready ~dead = if dead then "Z" else if ready then "R+" else "S"

let fields form what =
  let long = Printf.sprintf "comm=%s pid=%d prio=120%s" in
  let brief { comm; pid } = Printf.sprintf "%s:%d [120]" comm pid in
  let woken { comm; pid } onto =
    if form = Brief then Printf.sprintf "%s CPU:%03d" (brief { comm; pid }) onto
    else long comm pid (Printf.sprintf " target_cpu=%03d" onto)
  in
  match what with
  | Switch { prev; ready; dead; next } ->
      ( "sched_switch",
        if form = Brief then
          Printf.sprintf "%s %s ==> %s" (brief prev) (state ~ready ~dead)
            (brief next)
        else
          Printf.sprintf
            "prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> \
             next_comm=%s next_pid=%d next_prio=120"
            prev.comm prev.pid (state ~ready ~dead) next.comm next.pid )
  | Wakeup { task; onto; fresh } ->
      ((if fresh then "sched_wakeup_new" else "sched_wakeup"), woken task onto)
  | Waking { task; onto } -> ("sched_waking", woken task onto)
  | Migrate { task; from; onto } ->
      ( "sched_migrate_task",
        long task.comm task.pid
          (Printf.sprintf " orig_cpu=%d dest_cpu=%d" from onto) )
  | Fork { comm; pid } ->
      ( "sched_process_fork",
        Printf.sprintf "comm=parent pid=1 child_comm=%s child_pid=%d" comm pid
      )
  | Exit { comm; pid } ->
      ("sched_process_exit", long comm pid " group_dead=true")
  | Lost _ -> ("", "")

let line form names e =
  let name, fields = fields form e.what in
  let seconds = e.at / 1_000_000_000 and rest = e.at mod 1_000_000_000 in
  match (e.what, form) with
  | Lost n, _ -> Printf.sprintf "CPU:%d [LOST %d EVENTS]\n" e.cpu n
  | _, Script ->
      Printf.sprintf "%16s %7d [%03d] %5d.%09d: %24s: %s\n" (names e.current)
        e.current e.cpu seconds rest ("sched:" ^ name) fields
  | _, (Ftrace | Brief) ->
      Printf.sprintf "%16s-%-7d [%03d] d..2. %5d.%06d: %s: %s\n"
        (if e.current = 0 then "<idle>" else names e.current)
        e.current e.cpu seconds (rest / 1000) name fields

let text form ?(names = fun _ -> "x") events =
  String.concat "" (List.map (line form names) events)

(* {1 perf.data} *)

type field = { name : string; size : int; declared : string }

let int name = { name; size = 4; declared = "int " ^ name }

let comm name =
  { name; size = 16; declared = Printf.sprintf "char %s[16]" name }

let long name = { name; size = 8; declared = "long " ^ name }

let common =
  [
    { name = "common_type"; size = 2; declared = "unsigned short common_type" };
    { name = "common_flags"; size = 1; declared = "unsigned char common_flags" };
    {
      name = "common_preempt_count";
      size = 1;
      declared = "unsigned char common_preempt_count";
    };
    int "common_pid";
  ]

let formats =
  let about = [ comm "comm"; int "pid"; int "prio" ] in
  [
    ( "sched_switch",
      [
        comm "prev_comm";
        int "prev_pid";
        int "prev_prio";
        long "prev_state";
        comm "next_comm";
        int "next_pid";
        int "next_prio";
      ] );
    ("sched_wakeup", about @ [ int "target_cpu" ]);
    ("sched_wakeup_new", about @ [ int "target_cpu" ]);
    ("sched_waking", about @ [ int "target_cpu" ]);
    ("sched_migrate_task", about @ [ int "orig_cpu"; int "dest_cpu" ]);
    ("sched_process_exit", about);
    ( "sched_process_fork",
      [
        {
          name = "child_comm";
          size = 4;
          declared = "__data_loc char[] child_comm";
        };
        int "child_pid";
      ] );
  ]

let id_of name =
  let rec place i = function
    | (n, _) :: rest -> if n = name then i else place (i + 1) rest
    | [] -> invalid_arg name
  in
  300 + place 0 formats

let format (name, fields) =
  let at = ref 0 in
  let line { size; declared; _ } =
    let here = !at in
    at := here + size;
    Printf.sprintf "\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:1;\n" declared
      here size
  in
  Printf.sprintf "name: %s\nID: %d\nformat:\n%s\nprint fmt: \"\"\n" name
    (id_of name)
    (String.concat "" (List.map line (common @ fields)))

let le32 b n = Buffer.add_int32_le b (Int32.of_int n)
let le64 b n = Buffer.add_int64_le b (Int64.of_int n)

let built f =
  let b = Buffer.create 1024 in
  f b;
  Buffer.contents b

let sized b text =
  le64 b (String.length text);
  Buffer.add_string b text

let tracing_data =
  built @@ fun b ->
  Buffer.add_string b "\x17\x08\x44tracing0.6\000\000\008";
  le32 b 4096;
  Buffer.add_string b "header_page\000";
  sized b "page";
  Buffer.add_string b "header_event\000";
  sized b "event";
  le32 b 1;
  sized b "name: function\nID: 1\nformat:\n";
  le32 b 1;
  Buffer.add_string b "sched\000";
  le32 b (List.length formats);
  List.iter (fun f -> sized b (format f)) formats;
  le32 b 0;
  le32 b 0

let value what field =
  let states ~ready ~dead =
    if dead then 0x20 else if ready then 0x100 else 0x1
  in
  match (what, field) with
  | Switch { prev; _ }, "prev_pid" -> prev.pid
  | Switch { ready; dead; _ }, "prev_state" -> states ~ready ~dead
  | Switch { next; _ }, "next_pid" -> next.pid
  | (Wakeup { task; _ } | Waking { task; _ } | Migrate { task; _ }), "pid" ->
      task.pid
  | Exit task, "pid" | Fork task, "child_pid" -> task.pid
  | (Wakeup { onto; _ } | Waking { onto; _ }), "target_cpu" -> onto
  | Migrate { from; _ }, "orig_cpu" -> from
  | Migrate { onto; _ }, "dest_cpu" -> onto
  | _ -> 120

let comm_of what field =
  match (what, field) with
  | Switch { prev; _ }, "prev_comm" -> prev.comm
  | Switch { next; _ }, _ -> next.comm
  | (Wakeup { task; _ } | Waking { task; _ } | Migrate { task; _ }), _ ->
      task.comm
  | (Exit task | Fork task), _ -> task.comm
  | Lost _, _ -> ""

let raw e =
  let name, _ = fields Ftrace e.what in
  built @@ fun b ->
  let add { name = field; size; declared } =
    match size with
    | 16 ->
        let text = comm_of e.what field in
        Buffer.add_string b text;
        Buffer.add_string b (String.make (16 - String.length text) '\000')
    | 8 -> le64 b (value e.what field)
    | 4 when String.starts_with ~prefix:"__data_loc" declared ->
        (* After this field and the pid. *)
        let at = Buffer.length b + 8 in
        le32 b (((String.length (comm_of e.what field) + 1) lsl 16) lor at)
    | _ when field = "common_pid" -> le32 b e.current
    | _ when field = "common_type" -> Buffer.add_uint16_le b (id_of name)
    | 4 -> le32 b (value e.what field)
    | _ -> Buffer.add_char b '\000'
  in
  List.iter add (common @ List.assoc name formats);
  match e.what with
  | Fork task -> Buffer.add_string b (task.comm ^ "\000")
  | _ -> ()

let record b kind body =
  le32 b kind;
  Buffer.add_uint16_le b 0;
  Buffer.add_uint16_le b (8 + String.length body);
  Buffer.add_string b body

(* IDENTIFIER, TID, TIME, CPU, RAW. Other records have TID, TIME, CPU,
   IDENTIFIER. *)
let sample_type = 0x10000 lor 0x2 lor 0x4 lor 0x80 lor 0x400
let event_id = 77

let add_event b e =
  let tid b =
    le32 b 4242;
    le32 b 4242
  and cpu b =
    le32 b e.cpu;
    le32 b 0
  in
  match e.what with
  | Lost n ->
      record b 2
        ( built @@ fun b ->
          le64 b event_id;
          le64 b n;
          tid b;
          le64 b e.at;
          cpu b;
          le64 b event_id )
  | _ ->
      let raw = raw e in
      let padding = (4 - ((String.length raw + 4) mod 8) + 8) mod 8 in
      let padding = (padding + 4) mod 8 in
      record b 9
        ( built @@ fun b ->
          le64 b event_id;
          tid b;
          le64 b e.at;
          cpu b;
          le32 b (String.length raw + padding);
          Buffer.add_string b raw;
          Buffer.add_string b (String.make padding '\000') )

(* The order of perf record: the buffer of one CPU, then the next. *)
let perf_data ?(features = 1 lsl 1) ?(more = fun _ -> ()) ~cpus events =
  let data =
    built @@ fun b ->
    for cpu = 0 to cpus - 1 do
      List.iter (fun e -> if e.cpu = cpu then add_event b e) events
    done;
    more b
  in
  let attributes = 104 and attribute = 136 in
  let ids = attributes + attribute + 16 in
  let start = ids + 8 in
  built @@ fun b ->
  Buffer.add_string b "PERFILE2";
  le64 b 104;
  le64 b (attribute + 16);
  le64 b attributes;
  le64 b (attribute + 16);
  le64 b start;
  le64 b (String.length data);
  le64 b 0;
  le64 b 0;
  le64 b features;
  le64 b 0;
  le64 b 0;
  le64 b 0;
  (* The attribute: a tracepoint, whose samples have the fields above and are
     numbered. *)
  le32 b 2;
  le32 b attribute;
  le64 b 300;
  le64 b 1;
  le64 b sample_type;
  le64 b 0;
  le64 b (1 lsl 18);
  Buffer.add_string b (String.make (attribute - 48) '\000');
  le64 b ids;
  le64 b 8;
  le64 b event_id;
  Buffer.add_string b data;
  let here = start + String.length data + 16 in
  le64 b here;
  le64 b (String.length tracing_data);
  Buffer.add_string b tracing_data
