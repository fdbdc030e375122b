(** Pools of things that are costly to make and used by one task at a time:
    connections, sessions, large buffers. For tasks of every scheduler.

    {!use} lends a resource to a function. The one that came back last is lent
    first; if none is idle one is made, until there are [max]; then callers
    wait, first in, first out.

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

    {b Nothing is lost.} Every resource that [make] returned is passed to
    [dispose] exactly once, whatever is raised or cancelled when, provided that
    {!close} is called; and never are there more than [max], those that [make]
    and [dispose] work at among them. A caller that is cancelled while it waits,
    or whose time is up, leaves in O(1).

    {b Who calls what.} [make], [check] and [dispose] are called by the task
    that uses the pool, outside any lock, and may wait. [make] may raise: the
    caller gets the exception, and its place goes to the next in line, who tries
    in its turn. [check] is asked before a resource is lent again; one for which
    it returns [false] or raises is disposed of, and the next one is tried.
    [dispose] should not raise: what it raises is reported
    ({!Dromos_service.Reporter}). In a task that is being cancelled a [dispose]
    that waits would be cut short; that of [Dromos.Resource_pool] is protected.

    {b Exceptions} of the function leave a resource in a state that nobody
    knows: a cancelled request has its answer still to come. So the resource is
    disposed of, unless [reuse] says that this exception does no harm.

    Memory ordering: what one task did with a resource happens before what the
    next one does. {!use} costs two compare-and-set for the place and two for
    the resource, if it need not wait. No resource is closed for being idle;
    [max_idle] bounds how many are kept.

    A function that uses the pool inside of {!use} holds two resources: [max]
    tasks that do so at once wait for each other for ever.

    Sources: the behaviour of Eio's [Pool], [Lwt_pool] and HikariCP. Stands on
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
(** Makes nothing yet. At most [max_idle] resources (default: [max]) stay when
    they are not in use. [name] appears in reports of deadlocks. Raises
    [Invalid_argument] if [max < 1] or [max_idle < 0]. *)

val use : ?timeout:float -> ?reuse:(exn -> bool) -> 'a t -> ('a -> 'b) -> 'b
(** Waits for a resource, and calls the function with it. Raises {!Closed}, also
    if the pool is closed while the caller waits; {!Event.Timeout} if there is
    no place in [timeout] seconds (what [make] takes does not count); what
    [make] or the function raised. *)

val close : ?timeout:float -> 'a t -> unit
(** No more uses: callers that wait get {!Closed}, what is idle is disposed of,
    what is in use will be when it comes back. Returns when that is done; raises
    {!Event.Timeout} after [timeout] seconds, and the pool is closed all the
    same. Idempotent. Waits for ever inside of {!use} of the same pool. *)

val is_closed : 'a t -> bool

type stats = {
  max : int;
  in_use : int;  (** lent, or being made, checked or disposed of *)
  idle : int;
  waiting : int;  (** tasks that wait for a place *)
  made : int;  (** what [make] has returned, ever *)
  disposed : int;
}

val stats : 'a t -> stats
(** A snapshot; its numbers may be of slightly different moments. *)
