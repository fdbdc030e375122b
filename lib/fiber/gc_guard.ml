module Mask = Dromos_service.Mask
module Host = Dromos_service.Host

(* {1 Finalisers} *)

let attempt ~here f x =
  match f x with
  | () -> ()
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Interruption.of_collector ~here ~what:"a finaliser" e bt

let without_waiting f =
  Dromos_suspend.Callback.call ~what:(fun () -> "A finaliser") f

let call ~here f x =
  let f = if Host.is_service_thread () then without_waiting f else f in
  attempt ~here f x

let finaliser f x =
  if Mask.on () then Mask.later (fun () -> call ~here:false f x)
  else call ~here:true f x

(* {1 Callbacks of Memprof} *)

let starts prefix name = String.starts_with ~prefix name

(* [Some true]: code of Dromos, [Some false]: code of the program. [None]: code
   that either may have called. *)
let owner slot =
  match Printexc.Slot.name slot with
  | None -> None
  | Some name ->
      if starts "Dromos_fiber__Gc_guard" name then None
      else if starts "Dromos" name then Some true
      else if
        List.exists
          (fun library -> starts library name)
          [ "Stdlib"; "Camlinternal"; "Thread"; "Unix"; "Psq"; "Hmap"; "Mtime" ]
      then None
      else Some false

let frames = 40

(* Unknown code counts as a part of Dromos: the exception then breaks nothing. *)
let in_program () =
  (not (Mask.on ()))
  && Local.fiber () != Nobody.fiber
  &&
  match Printexc.backtrace_slots (Printexc.get_callstack frames) with
  | None -> false
  | Some slots -> (
      match List.find_map owner (Array.to_list slots) with
      | Some ours -> not ours
      | None -> false)

let callback default f x =
  match f x with
  | v -> v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      if in_program () then Printexc.raise_with_backtrace e bt;
      Interruption.of_collector ~here:true ~what:"a callback of Gc.Memprof" e bt;
      default

let tracker (t : ('minor, 'major) Gc.Memprof.tracker) :
    ('minor, 'major) Gc.Memprof.tracker =
  {
    alloc_minor = callback None t.alloc_minor;
    alloc_major = callback None t.alloc_major;
    promote = callback None t.promote;
    dealloc_minor = callback () t.dealloc_minor;
    dealloc_major = callback () t.dealloc_major;
  }

(* {1 The primitives of Gc} *)

external set :
  (('a -> unit) -> 'a -> unit) ->
  ((unit -> unit) -> unit -> unit) ->
  (('b, 'c) Gc.Memprof.tracker -> ('b, 'c) Gc.Memprof.tracker) ->
  bool = "dromos_gc_guard_set"

let active = set finaliser finaliser tracker
