(* The traced copies see this module in place of the scheduler and of back-off.
   The thread that wakes or cancels a waiting task continues the task at once,
   so that the task's rest is interleaved with the other threads. *)

open Dromos_model.Traced
module Stand_in = Dromos_model.Stand_in

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

type _ Effect.t +=
  | Suspend : string * ('a Stand_in.resumer -> 'a option) -> 'a Effect.t

(* The tasks that may be cancelled during a wait, by the reason of the wait. *)
let slots : (string, Stand_in.slot) Hashtbl.t = Hashtbl.create 8
let asleep = ref 0

let suspend reason block k =
  Stand_in.suspend
    ?slot:(Hashtbl.find_opt slots reason)
    ~cancelled:Cancelled block k
    ~sleeps:(fun () -> incr asleep)
    ~wakes:(fun () -> decr asleep)

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
                  suspend reason block k)
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
  Stand_in.start ();
  Hashtbl.reset slots;
  List.iter
    (fun reason -> Hashtbl.replace slots reason (Stand_in.slot ()))
    reasons;
  let threads, check = make () in
  (List.map task threads, Stand_in.checked check)

(** Cancels, as another thread does; [false] if the cancellation came too early
    or too late. *)
let cancel reason = Stand_in.cancel (Hashtbl.find slots reason)

(* The graph of waits has a model of its own: test/sync/graph_model. *)
module Wait_graph = struct
  type lock = { reason : string; owner : unit -> int }

  let waiting ?shielded:_ _ (_ : lock) wait = wait ()
end

module Dromos_service = struct
  module Stack_room = struct
    let ensure _ = ()
  end
end
