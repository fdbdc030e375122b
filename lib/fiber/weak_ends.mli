(** Protects the runtime's collector from freed memory, at the end of a domain
    that has made weak arrays. Internal; for {!Run}, whose workers' domains make
    the weak arrays of {!Registry} and end before or with the run.

    When a domain ends, the runtime hands the domain's weak arrays over to other
    domains. OCaml before 5.5 has three faults there (ocaml/ocaml #14349, fixed
    by #14718 and #14722):

    - If the collector empties weak pointers at that moment, the arrays of the
      ending domain stay full, and later collections follow pointers to freed
      memory.
    - If the domain is half through with its arrays, the collection never ends,
      and [Gc.full_major] never returns.
    - OCaml 5.4 may also free an array that is no longer in use, and hand the
      freed array over.

    {!settle} adds a hook to the end of domains. The hook empties the domain's
    weak arrays of dead values, marks the arrays and their values as used in the
    current collection, and marks the domain as through with its arrays. *)

val settle : unit -> unit
(** Installs the hook for all domains of the process. Does nothing on OCaml 5.5
    and on the heap variant. *)
