(* {1 Scanning}

   The name of a thread may contain anything: spaces, brackets, and even names
   of fields. So each field is searched from a side on which only the field
   itself can be found. *)

let is_digit c = c >= '0' && c <= '9'

let rec skip s keep i =
  if i < String.length s && keep s.[i] then skip s keep (i + 1) else i

let blanks s i = skip s (fun c -> c = ' ' || c = '\t') i
let word_end s i = skip s (fun c -> c <> ' ') i

let is_at s i word =
  let n = String.length word in
  let rec same k =
    k = n
    || (String.unsafe_get s (i + k) = String.unsafe_get word k && same (k + 1))
  in
  i >= 0 && i + n <= String.length s && same 0

let rec find s word i =
  if i + String.length word > String.length s then None
  else
    match String.index_from_opt s i word.[0] with
    | None -> None
    | Some i -> if is_at s i word then Some i else find s word (i + 1)

let rec find_last s word i =
  if i < 0 then None
  else
    match String.rindex_from_opt s i word.[0] with
    | None -> None
    | Some i -> if is_at s i word then Some i else find_last s word (i - 1)

(* Tries the places of [word] from [i] on, until [lead] gives a result. *)
let rec first s word i lead =
  match find s word i with
  | None -> None
  | Some at -> (
      match lead at with
      | Some _ as found -> found
      | None -> first s word (at + 1) lead)

let slice s from until = String.sub s from (until - from)

let rec value s from until n =
  if from = until then n
  else value s (from + 1) until ((10 * n) + Char.code s.[from] - Char.code '0')

(* A number of at most nine digits, as pids and CPUs are smaller. *)
let number s i =
  let stop = skip s is_digit i in
  if stop = i || stop - i > 9 then None else Some (value s i stop 0, stop)

let ( let* ) = Option.bind
let check held = if held then Some () else None
let word s i w = if is_at s i w then Some (i + String.length w) else None
let signed s i = number s (if is_at s i "-" then i + 1 else i)

(* The number after the last occurrence of a field's name. *)
let last_field s name =
  let* at = find_last s name (String.length s - 1) in
  let* n, stop = number s (at + String.length name) in
  Some (at, n, stop)

let last_number s name =
  let* _, n, _ = last_field s name in
  Some n

(* {1 Fields}

   The kernel prints [comm=a pid=1 prio=120 ..], libtraceevent prints [a:1 [120]
   ..]. *)

(* Reads "a:1 [120]" from [i] to [stop]. *)
let brief_task s task i stop =
  let* () = check (stop > i && s.[stop - 1] = ']') in
  let* opening = String.rindex_from_opt s (stop - 1) '[' in
  let* colon = String.rindex_from_opt s opening ':' in
  let* pid, after = number s (colon + 1) in
  let* () = check (colon >= i && after <= opening) in
  Some (task pid (slice s i colon))

let has chars state = String.exists (String.contains chars) state

let switch prev state next =
  Trace.Switch { prev; ready = has "R+" state; dead = has "XxZ" state; next }

let long_switch s task i =
  let* start = word s i "prev_comm=" in
  first s " prev_pid=" start @@ fun comm_end ->
  let* pid, i = number s (comm_end + 10) in
  let* i = word s i " prev_prio=" in
  let* _, i = signed s i in
  let* i = word s i " prev_state=" in
  let state_end = word_end s i in
  let state = slice s i state_end in
  let* next_start = word s state_end " ==> next_comm=" in
  let* next_end, next_pid, _ = last_field s " next_pid=" in
  let* () = check (next_end >= next_start) in
  Some
    (switch
       (task pid (slice s start comm_end))
       state
       (task next_pid (slice s next_start next_end)))

let brief_switch s task start =
  first s " ==> " start @@ fun arrow ->
  let* gap = String.rindex_from_opt s (arrow - 1) ' ' in
  let* prev = brief_task s task start gap in
  let* next = brief_task s task (arrow + 5) (String.length s) in
  Some (switch prev (slice s (gap + 1) arrow) next)

(* The thread of an event with a single thread. *)
let long_task s task i =
  let* start = word s i "comm=" in
  let* stop, pid, _ = last_field s " pid=" in
  let* () = check (stop >= start) in
  Some (task pid (slice s start stop))

let wakeup s task i =
  match long_task s task i with
  | Some task ->
      let* onto = last_number s " target_cpu=" in
      Some (task, onto)
  | None ->
      let* stop, onto, _ = last_field s " CPU:" in
      let stop =
        match find_last s " success=" stop with
        | Some success when success >= i -> success
        | Some _ | None -> stop
      in
      let* task = brief_task s task i stop in
      Some (task, onto)

(* The thread ran already, so the wake-up had no effect. Only old kernels print
   this field. *)
let in_vain s = last_number s " success=" = Some 0

let migrated s task i =
  let* task = long_task s task i in
  let* from = last_number s " orig_cpu=" in
  let* onto = last_number s " dest_cpu=" in
  Some (Trace.Migrate { task; from; onto })

let forked s task i =
  first s " child_comm=" i @@ fun at ->
  let* pid = find_last s " pid=" at in
  let* _, stop = number s (pid + 5) in
  let* () = check (stop = at) in
  let* stop, pid, _ = last_field s " child_pid=" in
  let start = at + 12 in
  let* () = check (stop >= start) in
  Some (Trace.Fork (task pid (slice s start stop)))

(* The reader of an event's fields, from [i] on; None for an unused event. *)
let meaning name =
  match name with
  | "sched_switch" ->
      Some
        (fun s task i ->
          match long_switch s task i with
          | Some _ as found -> found
          | None -> brief_switch s task i)
  | "sched_wakeup" | "sched_wakeup_new" ->
      Some
        (fun s task i ->
          let* task, onto = wakeup s task i in
          Some (Trace.Wakeup { task; onto; fresh = name = "sched_wakeup_new" }))
  | "sched_waking" ->
      Some
        (fun s task i ->
          let* task, onto = wakeup s task i in
          Some (Trace.Waking { task; onto }))
  | "sched_migrate_task" -> Some migrated
  | "sched_process_fork" -> Some forked
  | "sched_process_exit" ->
      Some
        (fun s task i ->
          let* task = long_task s task i in
          Some (Trace.Exit task))
  | _ -> None

(* {1 Lines} *)

type head = { cpu : int; at : int; bracket : int; name : string; rest : int }

(* Reads "12.345678:" as nanoseconds. *)
let time s i =
  let point = skip s is_digit i in
  let* () = check (point > i && point - i <= 10) in
  let* fraction = word s point "." in
  let stop = skip s is_digit fraction in
  let* () = check (stop > fraction && stop - fraction <= 9) in
  let* after = word s stop ":" in
  let rec nanoseconds digits n =
    if digits = 9 then n else nanoseconds (digits + 1) (10 * n)
  in
  let part = nanoseconds (stop - fraction) (value s fraction stop 0) in
  Some ((value s i point 0 * 1_000_000_000) + part, after)

let is_name c =
  (c >= 'a' && c <= 'z')
  || (c >= 'A' && c <= 'Z')
  || is_digit c || c = '_' || c = '-' || c = '.'

(* Reads "sched_switch:", possibly after perf's period and "sched:". *)
let rec event_name s i =
  let stop = skip s is_name i in
  if is_at s stop ":" then
    if stop + 1 < String.length s && is_name s.[stop + 1] then
      event_name s (stop + 1)
    else Some (slice s i stop, stop + 1)
  else
    let* _, stop = number s i in
    let next = blanks s stop in
    let* () = check (next > stop) in
    event_name s next

(* Reads "[003] d..2. 12.345678: sched_switch:", with or without flags. *)
let head_at s bracket =
  let* cpu, i = number s (bracket + 1) in
  let* i = word s i "]" in
  let* () = check (cpu < 8192) in
  let i = blanks s i in
  let* at, i =
    match time s i with
    | Some _ as found -> found
    | None -> time s (blanks s (word_end s i))
  in
  let* name, i = event_name s (blanks s i) in
  Some { cpu; at; bracket; name; rest = blanks s i }

(* The name before the bracket may look like a head, but is too short to look
   like a head of a used event. *)
let head s =
  let rec go i other =
    match String.index_from_opt s i '[' with
    | Some bracket when bracket < 80 -> (
        match head_at s bracket with
        | Some h when meaning h.name <> None -> Some h
        | Some _ as found ->
            go (bracket + 1) (if other = None then found else other)
        | None -> go (bracket + 1) other)
    | Some _ | None -> other
  in
  go 0 None

(* Reads "a-12 [003]", "a-12 (   12) [003]", "a 12 [003]" or "a 10/12 [003]":
   the pid, and its place in the line. For a thread that is ending, perf script
   prints " -1 [003]". *)
let current s bracket =
  let rec back keep i =
    if i > 0 && keep s.[i - 1] then back keep (i - 1) else i
  in
  let unblank i = back (fun c -> c = ' ') i in
  let stop = unblank bracket in
  let stop =
    if stop > 0 && s.[stop - 1] = ')' then
      match String.rindex_from_opt s (stop - 1) '(' with
      | Some opening -> unblank opening
      | None -> stop
    else stop
  in
  let start = back is_digit stop in
  match number s start with
  | Some (1, _) when is_at s (start - 2) " -" -> (-1, start)
  | Some (pid, after) when after = stop -> (pid, start)
  | Some _ | None -> (-1, start)

(* The name before the pid. "<...>" stands for a thread whose name the kernel
   forgot. *)
let name s start =
  let stop = start - 1 in
  let stop =
    if stop > 0 && s.[stop] = '/' then
      Option.value (String.rindex_from_opt s stop ' ') ~default:0
    else stop
  in
  let name = String.trim (slice s 0 (Int.max 0 stop)) in
  if name = "<...>" then None else Some name

type reading = {
  task : int -> string -> Trace.task;
  names : (int, string) Hashtbl.t;
  mutable events : Trace.event list;
  mutable faults : Trace.fault list;
  mutable line : int;
  mutable cpus : int;
  mutable overwritten : int;
  mutable missing : (int * int) list;
      (* the CPU, and the number of missing events *)
  mutable last : int;
}

let fault r text = r.faults <- { line = r.line; text } :: r.faults

let event r cpu at current what =
  r.events <- { cpu; at; current; what } :: r.events

(* Adds the loss before the next event of the CPU, of whatever kind. *)
let missing_before r cpu at =
  if r.missing <> [] then begin
    let here, others = List.partition (fun (c, _) -> c = cpu) r.missing in
    List.iter (fun (_, n) -> event r cpu at (-1) (Trace.Lost n)) here;
    r.missing <- others
  end

let running r s bracket =
  let pid, start = current s bracket in
  if pid > 0 && not (Hashtbl.mem r.names pid) then
    Option.iter (Hashtbl.replace r.names pid) (name s start);
  pid

let headed r s (h : head) =
  missing_before r h.cpu h.at;
  r.last <- Int.max r.last h.at;
  match meaning h.name with
  | None -> ()
  | Some meaning -> (
      match meaning s r.task h.rest with
      | Some (Trace.Wakeup _) when in_vain s -> ()
      | Some what -> event r h.cpu h.at (running r s h.bracket) what
      | None -> fault r (h.name ^ ": its fields are not the usual ones"))

(* Reads "CPU:1 [LOST 123 EVENTS]" or "CPU:1 [123 EVENTS DROPPED]". *)
let missing r s =
  let lost =
    let* i = word s 0 "CPU:" in
    let* cpu, i = number s i in
    let* i = word s i " [" in
    let* () = check (find s "LOST" i <> None || find s "DROPPED" i <> None) in
    let i = skip s (fun c -> not (is_digit c)) i in
    Some (cpu, match number s i with Some (n, _) -> n | None -> 0)
  in
  Option.iter (fun lost -> r.missing <- lost :: r.missing) lost;
  lost <> None

(* Reads "# entries-in-buffer/entries-written: 205/405   #P:4". *)
let comment r s =
  let numbers =
    let* i = find s "entries-written:" 0 in
    let* kept, i = number s (blanks s (i + 16)) in
    let* i = word s i "/" in
    let* written, _ = number s i in
    Some (kept, written)
  in
  Option.iter
    (fun (kept, written) -> r.overwritten <- Int.max 0 (written - kept))
    numbers;
  Option.iter (fun n -> r.cpus <- n) (last_number s "#P:")

(* True for lines of stacks, and for the first lines of trace-cmd. *)
let passed_over r s =
  let i = blanks s 0 in
  let cpus () =
    let* i = word s 0 "cpus=" in
    let* n, _ = number s i in
    r.cpus <- n;
    Some ()
  in
  i = String.length s
  || is_at s i "=> "
  || i > 0
     && is_at s (skip s (fun c -> is_digit c || (c >= 'a' && c <= 'f')) i) " "
  || is_at s 0 "version = "
  || (is_at s 0 "CPU " && find s "is empty" 0 <> None)
  || cpus () <> None

let line r s =
  r.line <- r.line + 1;
  let s =
    if String.ends_with ~suffix:"\r" s then slice s 0 (String.length s - 1)
    else s
  in
  if s = "" then ()
  else if s.[0] = '#' then comment r s
  else
    match head s with
    | Some h -> headed r s h
    | None ->
        if not (missing r s || passed_over r s) then
          fault r "neither ftrace's nor perf script's"

let read text =
  let r =
    {
      task = Trace.interned ();
      names = Hashtbl.create 64;
      events = [];
      faults = [];
      line = 0;
      cpus = 0;
      overwritten = 0;
      missing = [];
      last = 0;
    }
  in
  let rec lines from =
    if from < String.length text then begin
      let stop =
        Option.value
          (String.index_from_opt text from '\n')
          ~default:(String.length text)
      in
      line r (slice text from stop);
      lines (stop + 1)
    end
  in
  lines 0;
  List.iter (fun (cpu, n) -> event r cpu r.last (-1) (Trace.Lost n)) r.missing;
  Trace.make ~cpus:r.cpus ~names:r.names ~overwritten:r.overwritten
    ~faults:(List.rev r.faults) (List.rev r.events)
