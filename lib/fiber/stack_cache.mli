(** Bounds the memory of unused stacks, for the whole process. Internal; for
    {!Run}.

    The runtime gives each effect handler a stack. A stack whose function has
    ended is kept by the domain that ended the function, for the domain's next
    handler, and the runtime never frees a kept stack. A domain that ends more
    fibers than it begins, since other domains begin them, therefore keeps more
    and more stacks; a domain that ends leaves its stacks behind (OCaml up to
    5.5; oxcaml/oxcaml#5017).

    From the first run on, each domain frees in every eighth minor collection
    the stacks that it keeps beyond a megabyte or so of each size, and all of
    them when the domain ends. *)

val bound : unit -> unit
(** Installs the hooks. Does nothing on the heap variant, which has stacks of
    its own. *)

val kept : unit -> int
(** The number of stacks that the calling domain keeps; linear in it. For tests.
*)
