(** The figures of the heap runtime ([-runtime-variant _hh]).

    Programs can link the library with OCaml's own runtime too: [stats ()] is
    then [None] and [report ()] is empty.

    {[
      # let show { Dromos_heap.entangled; pinned; _ } =
          Printf.sprintf "%d bytes were published, %d of them are pinned"
            entangled pinned;;
      val show : Dromos_heap.stats -> string = <fun>
      # Option.map show (Dromos_heap.stats ())
      - : string option = None
      # Dromos_heap.report ()
      - : string = ""
    ]}

    Each domain keeps counters of its own, and a reader stops no domain. Figures
    may miss the work of a further domain since its last collection or its last
    request for memory, and two figures may belong to slightly different
    moments. Counters run since the start of the program. Sizes are in bytes,
    times in seconds of the clock. *)

type pauses = {
  count : int;
  seconds : float;  (** The sum of all pauses. *)
  longest : float;  (** The longest pause of one domain. *)
}

type stats = {
  young : pauses;
      (** Young collections: a domain collects its objects allocated since its
          last collection. Only that domain pauses. *)
  full : pauses;
      (** Collections of whole local heaps (leaves). If a young collection finds
          that a full collection is due, both are counted, and the pause of the
          full collection covers both. *)
  global : pauses;
      (** Collections of all heaps, with all domains stopped. The pause is
          measured at the domain that asks, and includes the wait for the other
          domains. *)
  scans : pauses;
      (** A part of the concurrent collection: in each cycle, each domain scans
          its own local heap once for pointers to shared objects. *)
  slices : pauses;
      (** A part of the concurrent collection: each domain marks a little after
          each of its young collections. *)
  lived : float;
      (** The lifetimes of all domains, added up: [leaf_share] is a share of
          this time. *)
  allocated : int;
  promoted : int;  (** Bytes of young objects that survived a collection. *)
  copied : int;  (** Bytes that collections moved, young or old. *)
  held : int;  (** Bytes in the chunks of all heaps. *)
  most_held : int;
  entangled : int;
      (** Bytes pinned, since the start, because a store put a pointer to them
          where other tasks can read: the entanglement factor of the paper (PLDI
          2023), in bytes. *)
  publications : int;  (** Stores that pinned at least one object. *)
  handed : int;
      (** Bytes pinned, since the start, for another reason: a fork or a new
          domain got the object, a global variable led to the object, or a task
          moved to another domain. *)
  pinned : int;  (** Bytes pinned now, in use or not. *)
  most_pinned : int;
      (** The maximum of [pinned], measured at collections and joins: like the
          entanglement ceiling of the paper, but handed-over bytes count too. *)
  heaps : int;  (** Heaps that exist now, the shared heap included. *)
  splits : int;  (** Heaps made for a task. *)
  merges : int;  (** Task heaps merged at a join. *)
  cycles : int;  (** Concurrent collections of the shared heap. *)
}

val stats : unit -> stats option
(** [None] on OCaml's own runtime. *)

val leaf_share : stats -> float
(** The fraction of the domains' time spent in collections of local heaps, from
    0 to 1. *)

val fields : stats -> (string * float) list
(** All figures by name, for tables or JSON: [("young.count", 12.)]. *)

val report : unit -> string
(** The figures as a few lines of text, as [DROMOS_HEAP=v] prints them at exit.
    The text is empty on OCaml's own runtime. *)
