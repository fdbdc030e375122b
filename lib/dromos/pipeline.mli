(** Pipelines: items that go through stages, several at a time, out at the end
    in the order in which they came.

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

    {b What runs.} Every item has a token, of which there are [tokens] (default:
    4 times the number of workers): so many items are made and not yet through
    the sink. So memory is bounded, and a slow stage holds the source back. A
    token is a fiber, which makes the next item at the source and takes it
    through all stages: an item stays on one worker while nothing is in its way.
    Stages may wait: other items go on meanwhile. With [tokens] of 1 nothing
    overlaps. More than 65536 tokens are taken as so many.

    {b Order.} The source is asked for one item at a time. The sink, and every
    {!serial} stage, is given the items in the order of the source, one at a
    time: such a function may have state, and needs no lock. It waits for the
    oldest item, so one slow item stops the pipeline once the others have used
    up their tokens.

    {b Exceptions} are those of the loop that takes one item after the other:
    when an item fails, at the source, in a stage or in the sink, all items
    before it go through to the end, no further item is made, those behind it
    begin no other stage, and the functions that they are in are cancelled; when
    they are over the exception is raised, with its backtrace. If an earlier
    item fails meanwhile it is that one's. Tasks that functions make by [async]
    belong to the call, which returns when they are over.

    {b Cancellation}: a call that is cancelled, or is in a {!Dromos.timeout}
    that is up, cancels all items, and returns when they are over. A source or
    stage that neither waits nor forks is cancelled between two items.

    {b Cost}, on the machine of README's figures while other programs had most
    of it: with one worker 0.2 us for an item, and for each stage 10 ns if it is
    {!parallel} and 50 ns if it is {!serial}. With two workers that meet at the
    source all the time about 1.2 us for an item, since they suspend each other:
    items should take some 5 us, or be chunks of the input. An item's stages are
    plain calls; nothing is allocated for a stage.

    Each of the functions below that runs a pipeline raises [Invalid_argument]
    if [tokens] is not positive. Outside a run the caller takes one item after
    the other.

    Sources: oneTBB's [parallel_pipeline] (tokens; the three kinds of stages)
    and Taskflow's pipelines (a line of scheduling for each token), as ideas.

    {b Checked}: test/par/pipelines, on each hub with 1, 2 and 4 workers; random
    pipelines against the sequential loop. *)

type 'a t
(** A source, and stages behind it. A description: nothing happens until it is
    run, and it can be run again if its source can be. *)

(** {1 Sources} *)

val from : 'a Seq.t -> 'a t
(** The elements of a sequence, each forced when there is a token for it.
    Forcing may wait. *)

val of_stream : 'a Dromos_sync.Stream.t -> 'a t
(** Takes the stream's items until it is closed and empty. Items are taken when
    there is a token; those taken when the pipeline fails are gone. *)

val of_function : (unit -> 'a option) -> 'a t
(** Until it returns [None]; it is then called no more. *)

(** {1 Stages} *)

val parallel : ('a -> 'b) -> 'a t -> 'b t
(** Any number of items at a time, in no order. *)

val filter_map : ('a -> 'b option) -> 'a t -> 'b t
(** {!parallel}; the items for which the function returns [None] end here. *)

val serial : ('a -> 'b) -> 'a t -> 'b t
(** One item at a time, in the order of the source. *)

val exclusive : ('a -> 'b) -> 'a t -> 'b t
(** One item at a time, in the order in which they come to the stage. An item
    that waits for something holds the others up. *)

(** {1 Running} *)

val iter : ?tokens:int -> ('a -> unit) -> 'a t -> unit
(** Calls the function as a {!serial} stage is called. *)

val fold : ?tokens:int -> ('acc -> 'a -> 'acc) -> 'acc -> 'a t -> 'acc
val to_list : ?tokens:int -> 'a t -> 'a list

val to_stream : ?tokens:int -> 'a Dromos_sync.Stream.t -> 'a t -> unit
(** Adds each item to the stream, and waits while it is full. The stream is left
    open at the end. Raises [Stream.Closed] if somebody closes it. *)

val consume : ?tokens:int -> ('a Seq.t -> 'b) -> 'a t -> 'b
(** The items as a sequence, for the caller to take as many of as it likes: when
    the function returns no further item is made, and those under way are
    cancelled. As {!Par.Seq}, on which it stands: each item has a task, made in
    order, a failure is raised where its item is asked for, and a token is free
    when the one after it is asked for.

    {[
      # Dromos.run (fun () ->
            Dromos.Pipeline.(
              from (Seq.ints 1)
              |> parallel (fun n -> n * n)
              |> consume (fun squares -> List.of_seq (Seq.take 4 squares))))
      - : int list = [1; 4; 9; 16]
    ]} *)
