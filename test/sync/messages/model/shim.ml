(* The traced copies see this module in place of the scheduler and of back-off.
   The thread that wakes or cancels a waiting task continues the task at once,
   so that the task's rest is interleaved with the other threads. *)

open Dromos_model.Traced

(* Two registering choices that meet each other retry for ever under an unlucky
   schedule: such executions are dropped. *)
module Backoff = struct
  type t = int

  let default = 0
  let once n = if n >= 1 then raise Would_wait else n + 1
end

(* Branches are tried in their own order, so that executions can be repeated: a
   generator that starts from 0 stays at 0. *)
module Domain = struct
  include Domain

  module DLS = struct
    let new_key _ = ()
    let get () = ref 0
  end
end

exception Cancelled

type 'a resumer = ('a, exn * Printexc.raw_backtrace) result -> bool
type _ Effect.t += Suspend : string * ('a resumer -> 'a option) -> 'a Effect.t
type phase = Blocking | Waiting | Resumed

(* The tasks that may be cancelled during a wait, by the reason of the wait. *)
let slots : (string, (unit -> bool) option Atomic.t) Hashtbl.t =
  Hashtbl.create 8

let asleep = ref 0

(* Exceptions in threads: reported when all threads are over. *)
let wrong = ref []

(* The first resumption wins, for a task with a possible cancellation; a task
   without has only one resumer. *)
let winner slot =
  match slot with
  | Some _ ->
      let open_ = Atomic.make true in
      fun () -> Atomic.compare_and_set open_ true false
  | None ->
      let resumed = ref false in
      fun () ->
        let first = not !resumed in
        resumed := true;
        if not first then wrong := "resumed twice" :: !wrong;
        first

let handle reason block k =
  let slot = Hashtbl.find_opt slots reason in
  let phase = Atomic.make Blocking and outcome = ref None in
  let continue () =
    match !outcome with
    | Some (Ok v) -> Effect.Deep.continue k v
    | Some (Error (e, bt)) -> Effect.Deep.discontinue_with_backtrace k e bt
    | None -> failwith "woken without a result"
  in
  let won = winner slot in
  let resume r =
    won ()
    && begin
         outcome := Some r;
         if Atomic.exchange phase Resumed = Waiting then begin
           decr asleep;
           continue ()
         end;
         true
       end
  in
  let cancel () = resume (Error (Cancelled, Printexc.get_callstack 0)) in
  Option.iter (fun slot -> Atomic.set slot (Some cancel)) slot;
  match block resume with
  | Some v -> Effect.Deep.continue k v
  | None ->
      incr asleep;
      if Atomic.exchange phase Waiting = Resumed then begin
        decr asleep;
        continue ()
      end

let task f () =
  Effect.Deep.match_with f ()
    {
      retc = Fun.id;
      exnc = raise;
      effc =
        (fun (type a) (e : a Effect.t) ->
          match e with
          | Suspend (reason, block) ->
              Some
                (fun (k : (a, unit) Effect.Deep.continuation) ->
                  handle reason block k)
          | _ -> None);
    }

module Dromos_suspend = struct
  let suspend ?(reason = "") block = Effect.perform (Suspend (reason, block))
  let suspend_shielded = suspend
  let self () = 0
  let is_cancellation e = e = Cancelled
end

(** A scenario in which waits with the given reasons may be cancelled. *)
let scenario reasons make () =
  asleep := 0;
  wrong := [];
  Hashtbl.reset slots;
  List.iter
    (fun reason -> Hashtbl.replace slots reason (Atomic.make None))
    reasons;
  let threads, check = make () in
  let check () =
    List.iter failwith !wrong;
    check ()
  in
  (List.map task threads, check)

(** Cancels, as another thread does; [false] if the cancellation came too early
    or too late. *)
let cancel reason =
  match Atomic.get (Hashtbl.find slots reason) with
  | Some cancel -> cancel ()
  | None -> false

(* The graph of waits has a model of its own: test/sync/graph_model. *)
module Wait_graph = struct
  type lock = { reason : string; owner : unit -> int }

  let waiting ?shielded:_ _ (_ : lock) wait = wait ()
end
