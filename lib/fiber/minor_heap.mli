(** The size of the minor heaps of the domains that serve a run. Internal;
    programs ask by [?minor_heap_words] ([Dromos.run], [Runtime.create],
    [Pool.create]).

    In OCaml 5 each domain has a minor heap of its own, whose size [Gc.set]
    changes for the calling domain alone; a new domain begins with the size that
    [OCAMLRUNPARAM=s=..] says. The first domain whose minor heap is full stops
    all domains, so the smallest heap among domains that allocate sets the pace.

    A domain serves a run on one thread, but several of its threads may call a
    run each. Then the largest of their sizes is in force. *)

val least : int
(** 4096 words. *)

val most : int
(** 2{^ 27} words, one gibibyte. OCaml reserves the addresses of 128 heaps of
    that size (not the memory). *)

val check : call:string -> int -> unit
(** Raises [Invalid_argument] in the name of [call] unless the number is in
    [least .. most]. *)

val size : unit -> int
(** Words, of the calling domain. *)

val or_callers : int option -> int
(** The number, or {!size}: what is meant by an optional argument. *)

val with_size : int -> (unit -> 'a) -> 'a
(** [with_size words f] calls [f] while the calling domain's minor heap has that
    many words, rounded up to whole pages; with several calls on one domain at a
    time, as many as the largest says. The end of the last call, by an exception
    too, gives back the size from before the first, unless the program has
    called [Gc.set] meanwhile: then the program's size stays. Each change is a
    minor collection, which stops all domains, and replaces the heap's memory.
    Takes a lock of the process; allocates some hundred words. *)
