(* See the interface. The only state is the parker in force. *)

type 'a resumer = ('a, exn * Printexc.raw_backtrace) result -> bool
type _ Effect.t += Suspend : ('a resumer -> 'a option) -> 'a Effect.t
type _ Effect.t += Shielded : ('a resumer -> 'a option) -> 'a Effect.t
type _ Effect.t += Self : int Effect.t
type parker = { park : unit -> unit; unpark : unit -> unit }

let thread_parker () =
  let mutex = Mutex.create () in
  let condition = Condition.create () in
  let unparked = ref false in
  let park () =
    Mutex.lock mutex;
    while not !unparked do
      Condition.wait condition mutex
    done;
    Mutex.unlock mutex
  in
  (* A signal under the mutex would wake the thread into a wait for the mutex. *)
  let unpark () =
    Mutex.lock mutex;
    unparked := true;
    Mutex.unlock mutex;
    Condition.signal condition
  in
  { park; unpark }

let make_parker = Atomic.make thread_parker
let set_parker make = Atomic.set make_parker make
let parker () = Atomic.get make_parker

(* The reason of the domain's last suspension. The scheduler reads the reason in
   its handler. Between the write and the read, the only poll point is the one
   in [perform]; at worst, a dump names the wrong reason. *)
let last_reason = Domain.DLS.new_key (fun () -> "")
let reason () = Domain.DLS.get last_reason

(* {1 Identity} *)

let last_id = Atomic.make 0
let fresh_id () = 1 + Atomic.fetch_and_add last_id 1
let thread_id = Atomic.make (fun () -> (Domain.self () :> int))
let set_thread_id f = Atomic.set thread_id f

(* A scheduler that handles [Suspend] answers at once, because [block] returns
   [Some ()]. *)
let in_some_task () =
  match Effect.perform (Suspend (fun _ -> Some ())) with
  | () -> true
  | exception Effect.Unhandled (Suspend _) -> false

let self () =
  match Effect.perform Self with
  | id -> id
  | exception Effect.Unhandled Self ->
      if in_some_task () then 0 else -1 - (Atomic.get thread_id) ()

(* {1 Cancellation} *)

let cancellations = Atomic.make []

let rec add_cancellation is =
  let known = Atomic.get cancellations in
  if not (Atomic.compare_and_set cancellations known (is :: known)) then
    add_cancellation is

let is_cancellation e = List.exists (fun is -> is e) (Atomic.get cancellations)

(* {1 What tasks carry with them} *)

module Carried = struct
  let savers = Atomic.make []

  let rec add save =
    let known = Atomic.get savers in
    if not (Atomic.compare_and_set savers known (save :: known)) then add save

  let save () =
    match Atomic.get savers with
    | [] -> ignore
    | [ save ] -> save ()
    | several ->
        let backs = List.map (fun save -> save ()) several in
        fun () -> List.iter (fun back -> back ()) backs
end

exception Misplaced of string

let () =
  Printexc.register_printer (function
    | Misplaced text -> Some ("Dromos.Misplaced: " ^ text)
    | _ -> None)

(* Keeps the backtrace. *)
external reraise : exn -> 'a = "%reraise"

module Callback = struct
  open Effect.Deep

  type refusal = { operation : 'a. 'a Effect.t -> string option }

  let refusals = Atomic.make []

  let rec refuse refusal =
    let known = Atomic.get refusals in
    if not (Atomic.compare_and_set refusals known (refusal :: known)) then
      refuse refusal

  let operation eff =
    List.find_map (fun refusal -> refusal.operation eff) (Atomic.get refusals)

  let misplaced ~what reason =
    let reason = if reason = "" then "" else Printf.sprintf " (%s)" reason in
    Misplaced
      (Printf.sprintf
         "%s must not wait%s: it may be called on any thread, and what it \
          waits for might need that thread. Use operations that never wait \
          (try_lock, Promise.resolve), or have a task that waits for them do \
          the rest."
         what reason)

  let refuse_here ~what reason k =
    discontinue k (misplaced ~what:(what ()) reason)

  (* The callback is treated like a task that is cancelled at once: if a resumer
     was faster, its result counts. *)
  let without_waiting ~what block k =
    let reason = reason () in
    let outcome = Atomic.make None in
    let resumer r = Atomic.compare_and_set outcome None (Some r) in
    let refused () =
      Error (misplaced ~what:(what ()) reason, Printexc.get_callstack 0)
    in
    match block resumer with
    | Some v -> continue k v
    | None -> (
        ignore (resumer (refused ()) : bool);
        match Option.get (Atomic.get outcome) with
        | Ok v -> continue k v
        | Error (e, bt) -> discontinue_with_backtrace k e bt)

  let call ~what f x =
    let effc (type b) (eff : b Effect.t) =
      match eff with
      | Suspend block ->
          Some (fun (k : (b, _) continuation) -> without_waiting ~what block k)
      | Self -> Some (fun (k : (b, _) continuation) -> continue k (self ()))
      | eff -> Option.map (refuse_here ~what) (operation eff)
    in
    match_with f x { retc = Fun.id; exnc = (fun e -> reraise e); effc }
end

let deliver = function
  | Ok v -> v
  | Error (e, bt) -> Printexc.raise_with_backtrace e bt

(* No handler: this thread waits itself. One compare-and-set decides the
   outcome, so the first resumer wins. An exception from [park] (an asynchronous
   exception, a cancellation of a foreign scheduler) takes part in the race. If
   the exception loses, the resumer's result is returned, so that a lock that
   was handed over is not lost. *)
let wait_here block =
  let outcome = Atomic.make None in
  let { park; unpark } = (Atomic.get make_parker) () in
  let resumer r =
    let won = Atomic.compare_and_set outcome None (Some r) in
    if won then unpark ();
    won
  in
  match block resumer with
  | Some v -> v
  | None ->
      let rec wait () =
        match Atomic.get outcome with
        | Some r -> deliver r
        | None -> (
            match park () with
            | () -> wait ()
            | exception e ->
                let bt = Printexc.get_raw_backtrace () in
                if Atomic.compare_and_set outcome None (Some (Error (e, bt)))
                then Printexc.raise_with_backtrace e bt
                else wait ())
      in
      wait ()

(* [Effect.Unhandled] must mean that no scheduler handled this [perform]. A task
   may also be resumed with an [Unhandled] of another [perform]. A handler
   applies [block], so [handled] distinguishes the two cases. *)
let[@inline] noting handled block =
 fun resumer ->
  handled := true;
  block resumer

let suspend ?(reason = "") block =
  Domain.DLS.set last_reason reason;
  let handled = ref false in
  match Effect.perform (Suspend (noting handled block)) with
  | v -> v
  | exception Effect.Unhandled (Suspend _) when not !handled -> wait_here block

let suspend_shielded ?(reason = "") block =
  Domain.DLS.set last_reason reason;
  let handled = ref false in
  match Effect.perform (Shielded (noting handled block)) with
  | v -> v
  | exception Effect.Unhandled (Shielded _) when not !handled ->
      suspend ~reason block

(* {1 Wake-ups from outside} *)

module External = struct
  let owed = Atomic.make 0
  let incr () = Atomic.incr owed
  let decr () = Atomic.decr owed
  let pending () = Atomic.get owed
end
