(** Link this library where mdx runs examples with Lwt. mdx loads [lwt.unix] for
    examples that may use Lwt, even if [lwt.unix] is already linked. A program
    with two copies has two separate event loops. The library registers
    [lwt.unix] as loaded before mdx looks. *)
