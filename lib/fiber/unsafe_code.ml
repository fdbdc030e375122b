let modules =
  [
    "Stdlib__Format";
    "Stdlib__Scanf";
    "Stdlib__Filename";
    "Stdlib__Hashtbl.";
    "Stdlib__Random.self_init";
    "Stdlib__Arg";
    "Stdlib__Parsing";
    "CamlinternalLazy";
    "Stdlib__Lazy";
  ]

let depth = 200

module Frames = Map.Make (Int)

(* Keyed by return address: [true] if the code there belongs to a function of
   the modules above. *)
let known : bool Frames.t Atomic.t = Atomic.make Frames.empty

let rec remember frame unsafe =
  let frames = Atomic.get known in
  if not (Atomic.compare_and_set known frames (Frames.add frame unsafe frames))
  then remember frame unsafe

let is_unsafe_name name =
  List.exists (fun prefix -> String.starts_with ~prefix name) modules

let is_unsafe_slot slot =
  Option.fold ~none:false ~some:is_unsafe_name (Printexc.Slot.name slot)

external symbol : Printexc.raw_backtrace_entry -> string = "dromos_frame_symbol"

let is_unsafe_symbol name =
  String.starts_with ~prefix:"caml" name
  && is_unsafe_name (String.sub name 4 (String.length name - 4))

let look_up (entry : Printexc.raw_backtrace_entry) =
  match Printexc.backtrace_slots_of_raw_entry entry with
  | None -> is_unsafe_symbol (symbol entry)
  | Some slots -> Array.exists is_unsafe_slot slots

let is_unsafe (entry : Printexc.raw_backtrace_entry) =
  let frame = (entry :> int) in
  match Frames.find_opt frame (Atomic.get known) with
  | Some unsafe -> unsafe
  | None ->
      let unsafe = look_up entry in
      remember frame unsafe;
      unsafe

let running () =
  Array.exists is_unsafe
    (Printexc.raw_backtrace_entries (Printexc.get_callstack depth))
