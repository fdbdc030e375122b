(** The size of the minor heaps of the domains that serve a run. Internal;
    programs set the size by [?minor_heap_words] ([Dromos.run],
    [Runtime.create], [Pool.create]).

    In OCaml 5 each domain has a minor heap of its own, and [Gc.set] changes the
    size for the calling domain alone; a new domain begins with the size in
    [OCAMLRUNPARAM=s=..]. The first domain with a full minor heap stops all
    domains, so the smallest heap among the domains that allocate sets the pace.

    A domain serves a run on a single thread, but several threads of the domain
    may call a run each. The largest of their sizes is in force in this case. *)

val least : int
(** 4096 words. *)

val most : int
(** 2{^ 27} words, one gibibyte. OCaml reserves the addresses of 128 heaps of
    that size (not the memory). *)

val check : call:string -> int -> unit
(** Raises [Invalid_argument] in the name of [call] unless the number is in
    [least .. most]. *)

val size : unit -> int
(** The size of the calling domain's minor heap, in words. *)

val or_callers : int option -> int
(** The number, or {!size} by default; for optional arguments. *)

val with_size : int -> (unit -> 'a) -> 'a
(** [with_size words f] calls [f] while the calling domain's minor heap has that
    many words, rounded up to whole pages. With several calls on a domain at a
    time, the largest number is in force. The end of the last call, also by an
    exception, restores the size from before the first call, unless the program
    has called [Gc.set] meanwhile: then the program's size stays. Each change is
    a minor collection, which stops all domains, and replaces the heap's memory.
    Takes a lock of the process; allocates some hundred words. *)
