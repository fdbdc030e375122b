type holder = {
  mutable fiber_id : int;
  fiber_name : string;
  mutable held_for : string;
}

type t = {
  kind : string;
  name : string;
  made_at : Printexc.raw_backtrace option;
  mutable waits_at : Printexc.raw_backtrace option;
  holder : holder;
}

let no_holder = { fiber_id = 0; fiber_name = ""; held_for = "" }
let holder ~name = { fiber_id = 0; fiber_name = name; held_for = "" }

let plain ?(holder = no_holder) kind =
  { kind; name = ""; made_at = None; waits_at = None; holder }

let nobody = plain ""
let a_task = plain "task"
let a_branch = plain "branch of a fork"
let a_first = plain "first fiber of the run"
let depth = 24

(* The result is the shared [info], unless there is a name, or the debug mode
   stores places in the record. *)
let named info name =
  if Debug_mode.on then
    { info with name; made_at = Some (Printexc.get_callstack depth) }
  else if String.equal name "" then info
  else { info with name }

let make ?kind ?(name = "") ?holder () =
  match kind with
  | None -> named a_task name
  | Some kind -> named (plain ?holder kind) name

let[@inline] of_task name =
  match name with
  | None when not Debug_mode.on -> a_task
  | None | Some _ -> make ?name ()

(* A branch is often published later than it was forked, and by a companion: the
   place of the publication would mislead. *)
let branch () = if Debug_mode.on then { a_branch with name = "" } else a_branch
let first () = named a_first ""
let apart info = { info with waits_at = None; holder = no_holder }
let stands_at info callstack = info.waits_at <- Some (callstack depth)

(* {1 Holders} *)

let[@inline] numbered holder id =
  if holder != no_holder then holder.fiber_id <- id

let[@inline] held holder turn =
  if holder != no_holder then holder.held_for <- turn
