(** Threads with first-class synchronous operations, under any scheduler.

    The threads of Concurrent ML, as the explicit threads of Manticore are: they
    share nothing but channels and talk by {!Dromos_sync.Event}s. Which
    scheduler runs a thread is decided where it is spawned, and the code below
    does not know.
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
(** A thread under the caller's scheduler ({!Dromos_sched.spawn}), with the
    caller's scope: which waits for it, and fails with its exception. *)

val self : unit -> thread option
(** The calling thread; in a fiber that a thread made otherwise ([async], a
    fork's branch), that thread. *)

val exit : unit -> 'a
(** Ends the calling thread. *)

val id : thread -> int
(** Unique in the process, in the order of spawning. *)

val name : thread -> string
val equal : thread -> thread -> bool

val join_event : thread -> unit Dromos_sync.Event.t
(** Possible once the thread is over, by return, {!exit} or an exception. *)

val join : thread -> unit
val yield : unit -> unit

(** {1 Shorthands} *)

val select : 'a Dromos_sync.Event.t list -> 'a
(** [Event.sync (Event.choose events)] *)
