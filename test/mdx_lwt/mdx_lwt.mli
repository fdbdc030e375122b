(** To be linked where mdx runs examples with Lwt. mdx loads [lwt.unix] when it
    sees that examples may use it, also if it is linked already, and a program
    with two copies has two event loops that know nothing of each other. This
    says, before mdx looks, that it is there. *)
