(** Keeps the runtime's collector from memory that is gone, where a domain ends
    that has made weak arrays. Internal; for {!Run}, whose workers' domains make
    those of {!Registry}, and end before the run or with the run.

    The runtime hands the weak arrays of a domain that ends over to the others.
    Before OCaml 5.5, if the domain ends while the collector empties weak
    pointers, nobody empties those of that domain, and if the domain is half
    through with them the collection never ends ([Gc.full_major] neither). In
    5.4 an array that is no longer in use may be freed and handed over
    nonetheless. The next collection then follows pointers to freed memory
    (ocaml/ocaml #14349, fixed by #14718 and #14722). So as a domain ends, its
    weak arrays are emptied of what is dead by then, they and what they point to
    count as used for this collection, and the domain as through with them. *)

val settle : unit -> unit
(** In force for all domains and all weak arrays from now on. Does nothing on
    OCaml 5.5 and on the heap variant. *)
