(** For authors of schedulers, of bridges to other libraries, and of structures
    on which tasks wait. Programs need none of these modules.

    {!Event}, {!Mutex} and {!Promise} are the modules for programs with more
    operations, on the same types.

    {[
      # open Dromos_sync
      # module Flag = struct
          type t = unit Author.Once.t

          let create () : t = Author.Once.create ()
          let put_up flag = ignore (Author.Once.close flag () : bool)

          let source flag =
            Author.Event.once_source ~reason:"Flag.wait" flag Result.ok

          let wait ?timeout flag = Author.Event.wait ?timeout (source flag)
          let wait_event flag = Author.Event.of_source (source flag)
        end
      module Flag :
        sig
          type t = unit Author.Once.t
          val create : unit -> t
          val put_up : unit Author.Once.t -> unit
          val source : 'a Author.Once.t -> 'a Author.Waiter.source
          val wait : ?timeout:float -> 'a Author.Once.t -> 'a
          val wait_event : 'a Author.Once.t -> 'a Author.Event.t
        end
      # let flag = Flag.create () in
        let d = Domain.spawn (fun () -> Flag.wait flag) in
        Flag.put_up flag;
        Domain.join d
      - : unit = ()
      # Flag.wait ~timeout:0. (Flag.create ())
      Exception: Dromos.Timeout
    ]} *)

(** {1 Structures} *)

module Once = Once
(** A cell that is closed once and tells its listeners. *)

module Waiter = Waiter
(** Sources of events, and the protocol by which a select is decided. *)

module Event = Event_core
(** Events made from sources; events for callers that cannot suspend. *)

module Line = Line
(** A first-in first-out queue whose elements leave in O(1). *)

module Takers = Takers
(** A queue of waiters. *)

module Exchange = Exchange
(** A message queue with waiting senders and receivers. *)

module Claims = Claims
(** The claims of a semaphore's waiters, each on a number of permits. *)

(** {1 Locks with a holder} *)

module Owner = Owner
(** The identity of a holder, and errors about a holder. *)

module Mutex = Mutex_core
(** Mutexes, with the holder, and with the relock that a condition needs. *)

module Lock_watch = Lock_watch
(** Tells a scheduler which tasks wait for locks. *)

module Wait_graph = Wait_graph
(** Finds deadlocks of tasks and locks. *)

(** {1 Tasks} *)

module Promise = Promise_core
(** Promises, also promises whose task begins when a task waits for the result.
*)
