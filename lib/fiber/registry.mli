(** A bag that does not keep what is in it: each worker's fibers that have ever
    suspended, for whoever wants to know what waits ({!Deadlock}).

    Weak, so that a fiber which nobody can resume any more is collected with all
    it holds, as it would be without the bag, and its absence can be seen: by a
    major collection, in every version of OCaml; minor ones keep the entries.
    The note that came with the entry is kept until the entry's slot is used
    again: it tells what the fiber was ({!Dropped}).

    One thread at a time adds, the worker; anybody may read at any time, and
    sees at least what was added before it was told to look. Nothing is shared
    between workers. {!add} is O(1) amortised, some tens of ns; the room taken
    is at most a small array of 32 for each entry that is left, or two where
    entries have notes, plus twice that. *)

type ('a, 'note) t

val create :
  ?mark:'a -> none:'note -> gone:('note -> unit) -> unit -> ('a, 'note) t
(** Allocates next to nothing until something is added. [mark] is the first
    element of every weak array of the bag, and no entry: it tells these arrays
    from the program's ({!Unreachable}). [gone] is told the note of an entry
    that has been collected, at least once, by {!add} or {!look}; [none] is no
    note. *)

val add : ('a, 'note) t -> 'a -> 'note -> unit

val added : ('a, 'note) t -> int
(** How often {!add} was called. *)

val fold : ('b -> 'a -> 'b) -> 'b -> ('a, 'note) t -> 'b
(** Over what has not been collected, in any order. *)

val look : ('a, 'note) t -> unit
(** Tells [gone] of some of the entries that have been collected: goes over a
    thousand slots, and over the next ones at its next call. By one thread at a
    time, which need not be the worker. [gone] may be told of a note that is
    just being added. *)
