(** Pipelines: items go through stages, several items at a time, and leave in
    the order of the source.

    {[
      # let total lines =
          let numbered = ref 0 in
          Dromos.Pipeline.(
            from lines
            |> parallel String.length
            |> serial (fun length -> incr numbered; (!numbered, length))
            |> parallel (fun (i, length) -> i * length)
            |> fold ~tokens:8 ( + ) 0)
        in
        Dromos.run (fun () ->
            total (List.to_seq [ "one"; "three"; "five" ]))
      - : int = 25
    ]}

    {b Tokens.} A pipeline has [tokens] (default: 4 times the number of
    workers), and an item holds a token from the source to the end of the sink.
    So memory is bounded, and a slow stage holds the source back. A token is a
    fiber: the fiber makes the next item at the source and takes the item
    through all stages, on the same worker unless the fiber waits. Stages may
    wait: the other items go on meanwhile. With [tokens] of 1 nothing overlaps.
    More than 65536 tokens count as 65536.

    {b Order.} The source makes items one at a time. Each {!serial} stage, and
    the sink, gets the items in the order of the source, one at a time: the
    function of a serial stage may have state, and needs no lock. A serial stage
    waits for the oldest item, so a slow item stops the pipeline once the other
    items have used up the tokens.

    {b Exceptions} are the exceptions of the sequential loop. When an item
    fails, at the source, in a stage or in the sink, the source makes no further
    item; all older items go through to the end; younger items begin no further
    stage. Then the call cancels the functions that run for younger items, waits
    for them, and raises the exception, with its backtrace. If an older item
    fails meanwhile, the call raises the older item's exception. Tasks that
    stages make by [async] belong to the call, and the call waits for these
    tasks.

    {b Cancellation}: when the call is cancelled, or a {!Dromos.timeout} around
    the call is up, all items are cancelled, and the call returns when all are
    over. A function that neither waits nor forks runs to its end first.

    {b Storage and effects}: the functions begin with the caller's {!Fls}, and
    with a stream of random numbers for each item. Handlers around the call
    never handle effects of the functions.

    {b Cost}, in ns for an item, with [tokens] 16 and functions that do nothing
    (on two cores that other programs used as well, so the figures are upper
    bounds). 1 worker: 190, and for each stage 5 if parallel, 50 if serial;
    stages allocate nothing. 2 workers: 1000 to 1500, since the carriers then
    wait for each other at the source and the sink all the time. So on several
    workers an item should be at least 10 us of work, for instance a chunk of
    the input.

    {b How many tokens.} Carriers take turns, so all carriers that have begun
    stay in use: each goes through the processor's caches once for [tokens]
    items. Some 4 for each worker keep the workers busy if stages only compute;
    more help only if stages wait, and then as many as are to wait at a time.
    Tokens beyond that make each item slower, on one worker from some thousands
    on: .5 us an item with 16 to 1024 tokens, 2.6 with 4096, 6.8 with 65536; on
    two workers 2.6 us with 16, 14 with 1024, 51 with 65536 (a parallel stage, a
    serial stage and a sink that do nothing; a busy machine).

    Every function that runs a pipeline raises [Invalid_argument] if [tokens] is
    not positive. Outside a run the caller takes the items one after the other.

    Sources: oneTBB's [parallel_pipeline] (tokens, kinds of stages) and
    Taskflow's pipelines (a line for each token), as published ideas.

    {b Checked}: test/par/pipelines, on each hub with 1, 2 and 4 workers; random
    pipelines against the sequential loop. *)

type 'a t
(** A description of a source and stages. A pipeline does nothing until a
    function below runs the pipeline. The pipeline can be run again if its
    source is persistent. *)

(** {1 Sources} *)

val from : 'a Seq.t -> 'a t
(** The elements of a sequence, each forced when a token is free. Forcing may
    wait. *)

val of_stream : 'a Dromos_sync.Stream.t -> 'a t
(** Takes items from the stream, each when a token is free, until the stream is
    closed and empty. Items that a failed pipeline has taken are lost. *)

val of_function : (unit -> 'a option) -> 'a t
(** Calls the function for each item, until the function returns [None]. *)

(** {1 Stages} *)

val parallel : ('a -> 'b) -> 'a t -> 'b t
(** Takes any number of items at a time, in no order. *)

val filter_map : ('a -> 'b option) -> 'a t -> 'b t
(** As {!parallel}; if the function returns [None], the item is dropped. *)

val serial : ('a -> 'b) -> 'a t -> 'b t
(** Takes one item at a time, in the order of the source. *)

val exclusive : ('a -> 'b) -> 'a t -> 'b t
(** Takes one item at a time, in the order of arrival at the stage. While the
    function waits, no other item enters. *)

(** {1 Running} *)

val iter : ?tokens:int -> ('a -> unit) -> 'a t -> unit
(** Calls the function as a {!serial} stage would. *)

val fold : ?tokens:int -> ('acc -> 'a -> 'acc) -> 'acc -> 'a t -> 'acc
val to_list : ?tokens:int -> 'a t -> 'a list

val to_stream : ?tokens:int -> 'a Dromos_sync.Stream.t -> 'a t -> unit
(** Adds each item to the stream, and waits while the stream is full. The stream
    stays open at the end. Raises [Stream.Closed] if the stream is closed. *)

val consume : ?tokens:int -> ('a Seq.t -> 'b) -> 'a t -> 'b
(** [consume f pipeline] is [f] of the items, as a sequence. The caller runs
    [f], and the sequence may be used once, within the call. If [f] returns
    before the end of the sequence, the source makes no further item, and
    running items are cancelled. [consume] stands on {!Par.Seq}: each item has a
    task, a failure is raised where the function asks for the failed item, and
    an item holds its token until the function asks for the next item. An item
    costs one or two microseconds.

    {[
      # Dromos.run (fun () ->
            Dromos.Pipeline.(
              from (Seq.ints 1)
              |> parallel (fun n -> n * n)
              |> consume (fun squares -> List.of_seq (Seq.take 4 squares))))
      - : int list = [1; 4; 9; 16]
    ]} *)
