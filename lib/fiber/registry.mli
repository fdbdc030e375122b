(** A weak bag: the fibers of a worker that have ever suspended, for readers
    such as {!Deadlock} that ask which fibers wait.

    The bag is weak, so that the collector frees a fiber that no thread can
    resume any more, with all values that the fiber holds, as without the bag.
    Readers see that the fiber is gone. In every version of OCaml only a major
    collection removes entries; minor collections keep the entries. An entry's
    note stays until the entry's slot is used again, and tells which fiber is
    gone ({!Dropped}).

    A single thread at a time adds, the worker. Any thread may read at any time,
    and sees at least the entries from before the request to read. Workers share
    no part of a bag. {!add} is O(1) amortised, some tens of ns. The bag takes
    at most a small array of 32 for each remaining entry (two arrays where
    entries have notes), plus twice that. *)

type ('a, 'note) t

val create :
  ?mark:'a -> none:'note -> gone:('note -> unit) -> unit -> ('a, 'note) t
(** Allocates next to nothing before the first entry. [mark] is the first
    element of every weak array of the bag, and no entry: by [mark],
    {!Unreachable} tells these arrays from the program's. {!add} or {!look}
    calls [gone] with the note of a collected entry, at least once. [none] means
    no note. *)

val add : ('a, 'note) t -> 'a -> 'note -> unit

val added : ('a, 'note) t -> int
(** The number of calls of {!add}. *)

val fold : ('b -> 'a -> 'b) -> 'b -> ('a, 'note) t -> 'b
(** Folds over the entries that have not been collected, in any order. *)

val look : ('a, 'note) t -> unit
(** Calls [gone] for some of the collected entries: [look] goes over a thousand
    slots, and over the next slots at the next call. Called by a single thread
    at a time, which need not be the worker. [gone] may get a note that the
    worker is just adding. *)
