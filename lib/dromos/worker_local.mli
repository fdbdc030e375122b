(** Scratch for tasks: a buffer, a table, a connection, a parser's state, made
    once per worker rather than once per task.

    [Domain.DLS] looks like the place for such things and is not: while a task
    waits others run on its domain, with the same value in their hands, and the
    task may go on on another. Here a task has a value to itself from the
    beginning of {!use} to its end, whatever it does meanwhile.

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

    {b How many values.} Each domain keeps those that were made on it, the one
    given back last on top, so a task finds one that is likely in the cache. One
    is made only when all that the domain has are in use: as many as there are
    workers if [use] does not wait, and else never more, for each domain, than
    were in use at once by tasks that began there. They live as long as the [t].

    Lock-free, no false sharing between domains; some twenty nanoseconds. From
    anywhere: fibers, plain domains and threads.

    Checked: a model of give and take (dscheck), and stress on every hub. *)

type 'a t

val create : (unit -> 'a) -> 'a t
(** The function makes a value where one is wanted; it may wait and raise, and
    {!use} then raises that. *)

val use : 'a t -> ('a -> 'b) -> 'b
(** [use t f] is [f v], for a [v] that nobody else has meanwhile; it is given
    back at the end, also if [f] raises, and as it is: [f] begins by clearing
    what it does not want to find. A [use] inside of [f] is given another value.
    [f] must not keep [v]. There is no [get]: nothing would say when the caller
    is through with it. *)

(** {1 Over all values} *)

val fold : 'a t -> 'acc -> ('acc -> 'a -> 'acc) -> 'acc
(** Over every value that was made, in no fixed order: for reductions when the
    tasks are over. Raises [Invalid_argument] if one is in use. *)

val iter : 'a t -> ('a -> unit) -> unit
(** As {!fold}. *)
