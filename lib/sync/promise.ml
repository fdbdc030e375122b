(* A broadcast cell of a result, and one bit: whether anybody has asked for it.
   The bit is for failures that nobody reads; it is set before the result is
   looked at, and only ever goes up, so a plain racy field is enough: the scope
   that reads it does so after the tasks that may have set it are over. *)

type 'a outcome = ('a, exn * Printexc.raw_backtrace) result

type 'a t = {
  cell : 'a outcome Broadcast.t;
  mutable awaited : bool;
  mutable start : unit -> unit;
      (* Racy too: who reads an old value calls a [start] that has nothing left
         to do. *)
}

let create () = { cell = Broadcast.create (); awaited = false; start = ignore }
let on_demand t start = t.start <- start
let no_demand t = t.start <- ignore

let return v =
  { cell = Broadcast.closed (Ok v); awaited = false; start = ignore }

let peek t = Broadcast.peek t.cell
let is_resolved t = Broadcast.is_closed t.cell
let is_awaited t = t.awaited
let try_fulfil t r = Broadcast.close t.cell r

let must_fulfil what t r =
  if not (try_fulfil t r) then
    invalid_arg (what ^ ": the promise is already resolved")

let resolve t v = must_fulfil "Promise.resolve" t (Ok v)
let fail t e bt = must_fulfil "Promise.fail" t (Error (e, bt))

(* Suspends until the cell is closed. The waiter's resumer is given [Ok ()]
   whatever the result: a promise's failure must stay distinct from an exception
   that cancels the waiter. *)
let wait t =
  let listener = ref Broadcast.nobody in
  let block resume =
    listener := Broadcast.listen t.cell (fun _ -> ignore (resume (Ok ())));
    if !listener == Broadcast.nobody then Some () else None
  in
  match Dromos_suspend.suspend ~reason:"Promise.await" block with
  | () -> ()
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Broadcast.leave !listener;
      Printexc.raise_with_backtrace e bt

let rec result t =
  if not t.awaited then t.awaited <- true;
  match peek t with
  | Some r -> r
  | None ->
      t.start ();
      if not (is_resolved t) then wait t;
      result t

let await t =
  match result t with
  | Ok v -> v
  | Error (e, bt) -> Printexc.raise_with_backtrace e bt

(* [start] is not called: it may run a task on top of this one, which may need
   another branch of the choice, or take longer than the timeout beside it. *)
let await_event t =
  Event.guard (fun () ->
      if not t.awaited then t.awaited <- true;
      Event.of_broadcast ~reason:"Promise.await" t.cell Fun.id)
