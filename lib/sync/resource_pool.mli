(** Pools of costly resources that one task uses at a time: connections,
    sessions, large buffers. For tasks of every scheduler.

    {!use} lends a resource to a function. The resource that came back last is
    lent first. If no resource is idle, a new one is made, until there are
    [max]; then callers wait, first in, first out.

    {[
      # open Dromos_sync
      # let buffers =
          Resource_pool.create ~name:"buffers" ~max:2
            ~make:(fun () -> Buffer.create 80)
            ~dispose:Buffer.reset ()
        in
        let hello name =
          Resource_pool.use buffers (fun b ->
              Buffer.clear b;
              Buffer.add_string b "hello ";
              Buffer.add_string b name;
              Buffer.contents b)
        in
        let greetings = List.map hello [ "ada"; "bob" ] in
        Resource_pool.close buffers;
        (greetings, (Resource_pool.stats buffers).made)
      - : string list * int = (["hello ada"; "hello bob"], 1)
    ]}

    {b Nothing is lost.} Every resource returned by [make] is passed to
    [dispose] exactly once, whatever is raised or cancelled, provided that
    {!close} is called. At most [max] resources exist, including resources being
    made or disposed of. A caller that is cancelled or times out while it waits
    leaves in O(1).

    {b The functions.} The task that uses the pool calls [make], [check] and
    [dispose], outside any lock, and the functions may wait. [make] may raise:
    the caller gets the exception, and its place goes to the next waiter, which
    calls [make] in turn. [check] is called before a resource is lent again; if
    [check] returns [false] or raises, the resource is disposed of, and the next
    idle resource is tried. [dispose] should not raise: an exception of
    [dispose] is reported ({!Dromos_service.Reporter}). In a task that is being
    cancelled, a [dispose] that waits would be cut short; [Dromos.Resource_pool]
    protects its [dispose].

    {b Exceptions} of the function leave a resource in an unknown state: the
    answer of a cancelled request is still to come. The resource is therefore
    disposed of, unless [reuse] returns [true] for the exception.

    Memory ordering: the actions of one task on a resource happen before the
    actions of the next. {!use} costs two compare-and-sets for the place and two
    for the resource, if it need not wait. No resource is closed for being idle;
    [max_idle] bounds the number of idle resources.

    A function that uses the pool inside {!use} holds two resources: [max] tasks
    that do so at once wait for each other for ever.

    Sources: the behaviour of Eio's [Pool], [Lwt_pool] and HikariCP. Built on
    {!Semaphore}. Tested in test/sync/locks/pools and test/matrix. *)

type 'a t

exception Closed

val create :
  ?name:string ->
  ?max_idle:int ->
  ?check:('a -> bool) ->
  max:int ->
  make:(unit -> 'a) ->
  dispose:('a -> unit) ->
  unit ->
  'a t
(** Creates a pool; no resource is made yet. At most [max_idle] resources
    (default: [max]) are kept idle. [name] appears in reports of deadlocks.
    Raises [Invalid_argument] if [max < 1] or [max_idle < 0]. *)

val use : ?timeout:float -> ?reuse:(exn -> bool) -> 'a t -> ('a -> 'b) -> 'b
(** [use t f] waits for a resource, and calls [f] with the resource. Raises
    {!Closed}, also if the pool is closed while the caller waits;
    {!Event.Timeout} if no place is free within [timeout] seconds (the time of
    [make] does not count); the exceptions of [make] and [f]. *)

val close : ?timeout:float -> 'a t -> unit
(** Closes the pool: waiting callers raise {!Closed}, idle resources are
    disposed of, and lent resources are disposed of when they come back. Returns
    when all resources are disposed of. Raises {!Event.Timeout} after [timeout]
    seconds; the pool is closed nevertheless. Idempotent. Waits for ever inside
    {!use} of the pool. *)

val is_closed : 'a t -> bool

type stats = {
  max : int;
  in_use : int;  (** lent, or being made, checked or disposed of *)
  idle : int;
  waiting : int;  (** tasks that wait for a place *)
  made : int;  (** resources returned by [make] since the creation *)
  disposed : int;
}

val stats : 'a t -> stats
(** A snapshot; the numbers may come from slightly different moments. *)
