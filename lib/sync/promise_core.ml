(* A write-once cell of a result, and two bits that say whether a failure has a
   reader: [awaited], a reader waits; [read], a reader has had the failure. A
   reader that gives up clears [awaited] for all readers; if other readers
   remain, they set [read] in the end. Plain racy fields suffice: a scope reads
   the bits after the end of the tasks that may have set them. *)

module Callback = Dromos_suspend.Callback

type 'a outcome = ('a, exn * Printexc.raw_backtrace) result
type reader = Waits | Gave_up | Has_read

type 'a t = {
  cell : 'a outcome Once.t;
  mutable awaited : bool;
  mutable read : bool;
  mutable start : unit -> unit;
      (* Racy too: a reader with an old value calls a [start] that has nothing
         left to do. *)
  mutable more : more; (* [plain] unless the promise has a name or sources *)
}

and more = {
  reason : string; (* the reason of the wait, for reports *)
  also : reader -> unit;
      (* passes a reader of a derived promise on to the sources whose failure
         the promise may get; [ignore] once the promise has a value *)
}

let operation = "Promise.await"
let plain = { reason = operation; also = ignore }

let[@inline] make ?(start = ignore) ?(more = plain) cell =
  { cell; awaited = false; read = false; start; more }

let reads_also t also = t.more <- { t.more with also }

let create ?name () =
  match name with
  | None -> make (Once.create ())
  | Some _ ->
      let more = { plain with reason = Event_core.reason operation name } in
      make (Once.create ()) ~more

let create_for ~reason () = make (Once.create ()) ~more:{ plain with reason }
let on_demand t start = t.start <- start
let no_demand t = t.start <- ignore
let return v = make (Once.closed (Ok v))
let peek t = Once.peek t.cell
let is_resolved t = Once.is_closed t.cell
let is_awaited t = t.read || t.awaited

let try_resolve t r =
  Dromos_service.Stack_room.ensure 1;
  Once.close t.cell r

let must_resolve what t r =
  if not (try_resolve t r) then
    invalid_arg (what ^ ": the promise is already resolved")

let resolve t v = must_resolve "Promise.resolve" t (Ok v)
let fail t e bt = must_resolve "Promise.fail" t (Error (e, bt))

(* {1 Readers} *)

let note t reader =
  (match reader with
  | Waits -> t.awaited <- true
  | Gave_up -> t.awaited <- false
  | Has_read -> t.read <- true);
  t.more.also reader

let ask t = if not t.awaited then note t Waits

let told t = function
  | Ok _ as r -> r
  | Error _ as r ->
      note t Has_read;
      r

let gave_up t e =
  let bt = Printexc.get_raw_backtrace () in
  note t Gave_up;
  Printexc.raise_with_backtrace e bt

(* {1 Waiting} *)

(* If [start] raises, the reader counts as one that gave up. *)
let begin_ t start = try start () with e -> gave_up t e

let[@inline] block t listener =
 fun resume ->
  listener := Once.listen t.cell (fun _ -> ignore (resume (Ok ())));
  if !listener == Once.nobody then Some () else None

(* [start] of a promise made from others changes when a source gets a value:
   after a change, [result] calls the new [start].

   [wait] suspends until the cell is closed. The waiter's resumer is given [Ok
   ()] whatever the result: a promise's failure must stay distinct from an
   exception that cancels the waiter. *)
let rec result t =
  Dromos_service.Stack_room.ensure 2;
  ask t;
  match peek t with
  | Some r -> told t r
  | None ->
      let { start; _ } = t in
      begin_ t start;
      if is_resolved t || t.start != start then result t else wait t

and wait t =
  let listener = ref Once.nobody in
  match Dromos_suspend.suspend ~reason:t.more.reason (block t listener) with
  | () -> result t
  | exception e ->
      Once.leave !listener;
      gave_up t e

let source t = Event_core.once_source ~reason:t.more.reason t.cell

(* [start] is not called. [start] may run a task on top of this task; the new
   task may need another branch of the select, or take longer than the
   timeout. *)
let result_within seconds t =
  match peek t with
  | Some r -> r
  | None -> Event_core.wait ~timeout:seconds (source t Result.ok)

let result_for seconds t =
  Dromos_service.Stack_room.ensure 3;
  ask t;
  match result_within seconds t with
  | r -> told t r
  | exception e -> gave_up t e

let value = function
  | Ok v -> v
  | Error (e, bt) -> Printexc.raise_with_backtrace e bt

let await t = value (result t)
let await_for seconds t = value (result_for seconds t)

(* A select that takes another branch has not read the result, though the result
   may have been offered to the select. *)
let await_event t =
  Event.guard (fun () ->
      ask t;
      let result = Event_core.of_source (source t Result.ok) in
      let given_up = Event_core.on_nack result (fun () -> note t Gave_up) in
      Event.wrap given_up (fun r -> value (told t r)))

(* {1 Promises from others} *)

let report e =
  let bt = Printexc.get_raw_backtrace () in
  Dromos_service.Message.failure ~what:"a callback of Promise.on_result" e bt

let listen t f =
  let listener = Once.listen t.cell f in
  if listener == Once.nobody then Option.iter f (peek t)

let on_result t f =
  Dromos_service.Stack_room.ensure 2;
  ask t;
  let f =
    Callback.call ~what:(fun () -> "The function of Promise.on_result") f
  in
  listen t (fun r -> try f (told t r) with e -> report e)

(* Resolves [t] with [r], the outcome of the source [from]. *)
let pass t ~from r =
  (match r with Ok _ -> t.more <- plain | Error _ -> reads_also t (note from));
  t.start <- ignore;
  ignore (try_resolve t r : bool)

let map f p =
  Dromos_service.Stack_room.ensure 2;
  let more = { plain with also = note p } in
  let t = make (Once.create ()) ~start:(fun () -> p.start ()) ~more in
  let f = Callback.call ~what:(fun () -> "The function of Promise.map") f in
  let apply v =
    match f v with
    | v -> Ok v
    | exception e -> Error (e, Printexc.get_raw_backtrace ())
  in
  listen p (fun r -> pass t ~from:p (Result.bind r apply));
  t

(* Goes through the promises in turn, like a task that awaits each: one listener
   at a time. Resolved promises are passed in a loop. *)
let rec collect t values = function
  | [] -> pass t ~from:t (Ok (List.rev values))
  | p :: others -> (
      reads_also t (note p);
      t.start <- (fun () -> p.start ());
      if t.awaited then ask p;
      match peek p with
      | Some r -> took t values p others r
      | None -> listen p (took t values p others))

and took t values p others = function
  | Ok v -> collect t (v :: values) others
  | Error (e, bt) -> pass t ~from:p (Error (e, bt))

let all ps =
  Dromos_service.Stack_room.ensure 2;
  let t = make (Once.create ()) in
  collect t [] ps;
  t

let both p q =
  Dromos_service.Stack_room.ensure 2;
  let t = make (Once.create ()) in
  let turn p next =
    reads_also t (note p);
    t.start <- (fun () -> p.start ());
    if t.awaited then ask p;
    listen p (function
      | Ok v -> next v
      | Error (e, bt) -> pass t ~from:p (Error (e, bt)))
  in
  turn p (fun a -> turn q (fun b -> pass t ~from:q (Ok (a, b))));
  t
