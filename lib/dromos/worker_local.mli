(** Scratch for tasks: a buffer, a table, a connection, a parser's state, made
    once per worker rather than once per task.

    [Domain.DLS] does not serve: while a task waits, other tasks run on its
    domain and get the same value, and the task may continue on another domain.
    Here a task has a value to itself from the beginning of {!use} to the end of
    {!use}, also across waits.

    {[
      # let scratch = Dromos.Worker_local.create (fun () -> Hashtbl.create 16)
        let count word =
          Dromos.Worker_local.use scratch (fun seen ->
              let n = Option.value (Hashtbl.find_opt seen word) ~default:0 in
              Hashtbl.replace seen word (n + 1))
        let () =
          Dromos.run (fun () ->
              Dromos.Par.List.iter count [ "a"; "rose"; "is"; "a"; "rose" ])
      val scratch : (string, int) Hashtbl.t Dromos.Worker_local.t = <abstr>
      val count : string -> unit = <fun>
      # Dromos.Worker_local.fold scratch 0 (fun n seen ->
            n + Option.value (Hashtbl.find_opt seen "rose") ~default:0)
      - : int = 2
    ]}

    {b Number of values.} Each domain keeps the values that were made on it. A
    task gets the value that was given back last, which is likely in the cache.
    A value is made only when all values of the domain are in use. If [use] does
    not wait, there are as many values as workers; otherwise each domain has at
    most as many values as tasks that began there used at once. Values live as
    long as the [t].

    Lock-free, without false sharing between domains; some twenty nanoseconds.
    Fibers, plain domains and threads may call every function.

    {b Checked}: a model of give and take (dscheck), and stress on every hub. *)

type 'a t

val create : (unit -> 'a) -> 'a t
(** [create make]: [make ()] makes a value when {!use} needs a new value. [make]
    may wait, and {!use} raises the exceptions of [make]. *)

val use : 'a t -> ('a -> 'b) -> 'b
(** [use t f] is [f v], for a [v] that no other task has meanwhile. [v] is given
    back at the end, also if [f] raises, without a change: [f] should begin by
    clearing [v]. A [use] inside [f] gets another value. [f] must not keep [v].
    (There is no [get]: a [get] could not tell when the caller no longer uses
    the value.) *)

(** {1 Over all values} *)

val fold : 'a t -> 'acc -> ('acc -> 'a -> 'acc) -> 'acc
(** Folds over every value made, in no fixed order: for reductions when the
    tasks are over. Raises [Invalid_argument] if a value is in use. *)

val iter : 'a t -> ('a -> unit) -> unit
(** Calls the function on every value, as {!fold} does. *)
