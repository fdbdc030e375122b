(** Keeps the runtime's collector from memory that is gone, where a domain ends
    that has made weak arrays. Internal; for {!Run}, whose workers' domains make
    those of {!Registry} and end with the run.

    The runtime hands the weak arrays of a domain that ends over to the others.
    Before OCaml 5.5, if the domain ends while the collector empties weak
    pointers, nobody empties those of that domain, and in 5.4 an array that is
    no longer in use may be freed and handed over nonetheless: the next
    collection follows pointers to freed memory (ocaml/ocaml #14349, fixed by
    #14718 and #14722). So as a domain ends, the arrays of registries that the
    domain has made lose their pointers, and all of its arrays count as used for
    this collection. *)

val settle : 'a -> unit
(** [settle mark] is in force for all domains from now on; [mark], the same
    value in each call, is the first element of registries' arrays. Does nothing
    on OCaml 5.5 and on the heap variant. *)
