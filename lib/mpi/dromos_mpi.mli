(** Dromos programs over several processes and machines, by MPI.

    A program calls {!run} and is started by MPI's own launcher:
    [mpirun -n 4 ./program]. Each process is a {e rank} and has its own workers.
    Waits of this module suspend the calling task alone (a fiber, a task of Lwt
    or Eio through a bridge, or a plain thread); a thread of the service domain
    polls MPI for all waiting tasks.

    {[
      let squares : int list Dromos_mpi.tag = Dromos_mpi.tag 1

      let () =
        Dromos_mpi.run (fun world ->
            if Dromos_mpi.rank world > 0 then
              Dromos_mpi.send world squares ~to_:0
                (Dromos.Par.List.map (fun i -> i * i) [ 1; 2; 3 ])
            else
              for from = 1 to Dromos_mpi.size world - 1 do
                let list = Dromos_mpi.recv world squares ~from in
                Printf.printf "%d from rank %d\n" (List.length list) from
              done)
    ]}

    {b Values} are sent by [Marshal], closures included, without a copy in
    OCaml's heap; bigarrays ({!Data}) without any copy. As with [Marshal], a
    received value is given the type of the tag, unchecked. Exceptions and other
    extensible constructors do not survive a message: patterns no longer match
    them. All ranks must run the same binary: {!run} compares.

    {b Failure.} If a function given to {!run} raises, or the program exits
    inside it, the rank prints one message with its number, its machine and the
    backtrace, and MPI ends all ranks with status 1. If a rank is killed, the
    launcher reports the rank and ends the other ranks.

    {b Threads.} MPI is asked for calls from any thread ([MPI_THREAD_MULTIPLE]).
    If MPI cannot, or with [DROMOS_MPI_THREADS=one] in the environment, one
    thread makes all calls: all functions work, but each operation wakes this
    thread.

    {b Checked}: test/mpi with two to four ranks, with calls from any thread and
    from one thread. Written against the MPI 3.1 standard; run with Open MPI 5
    and MPICH 5. *)

type t = Comm.t
(** A group of ranks that talk to each other: a communicator. *)

exception Error of { call : string; code : int; text : string }
(** MPI has refused a call; MPI made the text. *)

(** {1 The program} *)

val run : ?workers:int -> (t -> 'a) -> 'a
(** [run f] begins MPI, calls [f world] in a {!Dromos.run}, waits until all
    other ranks have come to this point, and ends MPI. [workers] is this rank's
    number of workers; by default the ranks of one machine share its processors
    evenly. A process may call [run] once: a second call raises
    [Invalid_argument]. Raises [Failure] in a program that was built without
    MPI. *)

val with_world : (t -> 'a) -> 'a
(** {!run} without a [Dromos.run] around the function: for programs that call
    [Dromos.run] themselves, or use other schedulers. *)

val rank : t -> int
(** The number of the calling rank, from 0. *)

val size : t -> int
(** The number of ranks. *)

val workers : t -> int
(** The caller's share of the machine's processors, at least 1: ranks of one
    machine share processors evenly. A collective operation. *)

(** {1 Messages} *)

type 'a tag
(** A kind of message, with the type of its values. *)

val tag : int -> 'a tag
(** The tag of a number from 0 to 32767; another number raises
    [Invalid_argument]. A program gives each number one type:
    [let work : (int * string) Dromos_mpi.tag = Dromos_mpi.tag 3]. *)

val send : t -> 'a tag -> to_:int -> 'a -> unit
(** Returns when MPI has taken the message: at once for some kilobytes; for a
    long message, when the other rank receives. A send that has begun is
    completed, also for a cancelled task. Messages from one rank to another with
    one tag arrive in order. *)

val isend : t -> 'a tag -> to_:int -> 'a -> unit Dromos_sync.Promise.t
(** {!send} without the wait. [v] may be changed at once. As an event:
    [Promise.await_event]. *)

val recv : ?timeout:float -> t -> 'a tag -> from:int -> 'a
(** Waits for the next message of rank [from]. The task first looks for the
    message itself, for half a millisecond at most (not at all if such waits
    were long lately), and is then suspended. Suspended tasks with equal waits
    are served in order. A cancelled task, or a late task ([Event.Timeout]),
    takes no message. *)

val recv_any : ?timeout:float -> t -> 'a tag -> int * 'a
(** Waits for the next message of any rank, and returns the rank too. *)

val recv_event : ?from:int -> t -> 'a tag -> (int * 'a) Dromos_sync.Event.t
(** {!recv_any} as an event, of rank [from] if given. The message stays if
    another event is chosen. *)

val probe : ?from:int -> t -> 'a tag -> (int * int) option
(** The sender and the length in bytes of the message that {!recv} would receive
    now, if one has arrived. Does not wait. *)

exception Too_long of { room : int; length : int; from : int }
(** See {!Data.recv}. *)

module Data = Data
(** Bigarrays, without a copy. *)

(** {1 Collective operations}

    All ranks of a group call the same operations in the same order. A group
    runs one operation at a time: tasks of one rank take turns, and the program
    ensures the order; independent tasks use a group each ({!duplicate}). An
    operation that has begun is completed: a task meets cancellation before or
    after the operation. For an operation as an event, use the promise of a
    task: [Promise.await_event (Dromos.async (fun () -> barrier world))]. *)

exception Failed of { rank : int; error : string; backtrace : string }
(** The function given to {!broadcast}, {!scatter}, {!reduce} or {!all_reduce}
    has raised on rank [rank]. This rank raises its own exception, and all ranks
    that would have had the result raise [Failed]. The group stays usable. *)

val barrier : t -> unit
(** Waits until all ranks have called [barrier]. *)

val broadcast : t -> root:int -> (unit -> 'a) -> 'a
(** Calls the function at the root alone, and returns the value on all ranks. *)

val gather : t -> root:int -> 'a -> 'a array option
(** At the root, the values of all ranks, by rank; elsewhere [None]. *)

val all_gather : t -> 'a -> 'a array

val scatter : t -> root:int -> (unit -> 'a array) -> 'a
(** Returns element [i] of the root's array on rank [i]. Only the root calls the
    function. Raises [Invalid_argument] if the array does not have one element
    for each rank. *)

val all_to_all : t -> 'a array -> 'a array
(** Element [j] of rank [i]'s array becomes element [i] of rank [j]'s result. *)

val reduce : t -> root:int -> ('a -> 'a -> 'a) -> 'a -> 'a option
(** The values of all ranks, in order, combined by an associative function; at
    the root. Deterministic for any root. *)

val all_reduce : t -> ('a -> 'a -> 'a) -> 'a -> 'a

module Par = Par
(** Loops over the ranks. *)

(** {1 Groups} *)

val split : t -> ?key:int -> int option -> t option
(** Ranks with the same colour become a group, ordered by key (by default the
    rank); [None] joins no group. A collective operation, as {!duplicate} and
    {!here}. When all ranks have called, MPI blocks the calling thread for a
    moment. *)

val duplicate : t -> t
(** The same ranks, with messages and collective operations apart. *)

val here : t -> t
(** The ranks of the caller's machine. *)

val free : t -> unit
(** Ends a group without pending operations: a collective operation. MPI allows
    some thousand groups at a time. *)
