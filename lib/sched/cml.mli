(** Threads with first-class synchronous operations, under any scheduler.

    Threads in the manner of Concurrent ML and of Manticore's explicit threads:
    they share channels only and talk by {!Dromos_sync.Event}s. The place of the
    [spawn] decides which scheduler runs a thread; the thread's code works under
    any scheduler.
    {[
      # let module Sched = Dromos.Sched in
        let module Channel = Dromos.Channel in
        Dromos.run ~workers:1 (fun () ->
            Sched.Round_robin.run (fun () ->
                let requests = Channel.create () and answers = Channel.create () in
                let server =
                  Sched.Cml.spawn ~name:"server" (fun () ->
                      for _ = 1 to 2 do
                        Channel.send answers (2 * Channel.recv requests)
                      done)
                in
                Channel.send requests 20;
                let a = Channel.recv answers in
                Channel.send requests 1;
                let b = Channel.recv answers in
                Dromos.Event.sync (Sched.Cml.join_event server);
                a + b))
      - : int = 42
    ]}

    Source: Manticore, section 3.3; Reppy, {e Concurrent Programming in ML}. *)

type thread

val spawn : ?name:string -> (unit -> unit) -> thread
(** Starts a thread under the caller's scheduler ({!Dromos_sched.spawn}), in the
    caller's scope: the scope waits for the thread and fails with its exception.
*)

val self : unit -> thread option
(** The calling thread. In a fiber that a thread made otherwise ([async], a
    branch of a fork), the thread that made the fiber. *)

val exit : unit -> 'a
(** Ends the calling thread. *)

val id : thread -> int
(** Unique in the process, in the order of spawning. *)

val name : thread -> string
val equal : thread -> thread -> bool

val join_event : thread -> unit Dromos_sync.Event.t
(** An event that is possible once the thread is over, by return, {!exit} or an
    exception. *)

val join : thread -> unit
val yield : unit -> unit

(** {1 Shorthands} *)

val select : 'a Dromos_sync.Event.t list -> 'a
(** [Event.sync (Event.choose events)] *)
