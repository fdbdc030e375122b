module Mask = Dromos_service.Mask
module Host = Dromos_service.Host
module Stack_room = Dromos_service.Stack_room
module Message = Dromos_service.Message

(* {1 The interrupted code} *)

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

(* The innermost code on the call stack whose owner the names tell. *)
let innermost () =
  Option.bind
    (Printexc.backtrace_slots (Printexc.get_callstack frames))
    (fun slots -> List.find_map owner (Array.to_list slots))

(* Unknown code counts as a part of Dromos: the exception then breaks nothing. *)
let in_program () =
  (not (Mask.on ()))
  && Local.fiber () != Nobody.fiber
  && innermost () = Some false

(* {1 Threads in no run} *)

(* [later f]: the collector calls [f] after the domain's next minor collection,
   as a finaliser of the program, with its guard. *)
let later f = Gc.finalise_last f (ref ())

(* Minor collections. *)
let patience = 100
let finalisers = "a finaliser"

(* Unknown code counts as the program's, so that a program without debugging
   information gets the exception. *)
let rec give ~tries e bt =
  if not (Mask.on () || innermost () = Some true) then
    Printexc.raise_with_backtrace e bt
  else if tries = 0 then Message.failure ~what:finalisers e bt
  else later (fun () -> deliver ~tries:(tries - 1) e bt)

(* The thread that calls the function now may be in a run. *)
and deliver ~tries e bt =
  Interruption.of_collector ~what:finalisers ~elsewhere:(give ~tries) e bt

(* {1 Finalisers} *)

(* [false]: the calling domain has no domain-local storage yet. A domain that
   begins may inherit finalisers of a domain that has ended, and call them then.
   *)
external domain_began : unit -> bool = "dromos_gc_guard_domain_began"
[@@noalloc]

let without_waiting f =
  Dromos_suspend.Callback.call ~what:(fun () -> "A finaliser") f

let call f x =
  let f = if Host.is_service_thread () then without_waiting f else f in
  match f x with
  | () -> ()
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      deliver ~tries:patience e bt

(* Room for an operation of Dromos, as [Broadcast.unsubscribe]. *)
let room = 4

(* The end of a section is code of Dromos, so [call] raises nothing there. *)
let finaliser f x =
  if not (domain_began () && Stack_room.has room) then later (fun () -> f x)
  else if Mask.on () then Mask.later (fun () -> call f x)
  else call f x

(* {1 Callbacks of Memprof} *)

let callback default f x =
  match f x with
  | v -> v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      if not (domain_began ()) then
        later (fun () -> Printexc.raise_with_backtrace e bt)
      else if in_program () then Printexc.raise_with_backtrace e bt
      else
        Interruption.of_collector ~what:"a callback of Gc.Memprof"
          ~elsewhere:Printexc.raise_with_backtrace e bt;
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
