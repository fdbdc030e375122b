(** What code on domains that Dromos starts prints through [Format]. Internal to
    Dromos.

    [Format.printf] and its kin print to a formatter of the calling domain,
    which holds the text back until it is flushed: at the latest when the domain
    ends. Domains that Dromos starts are in the middle of something when the
    program ends. So theirs pass the text on here, whole pieces to one channel
    operation each, and what is here is written when the program exits.

    Domains in which nobody has called {!install} are left alone. An exception
    of the channel (a closed pipe) is ignored, as at exit. *)

val install : unit -> unit
(** The calling domain's formatters are to write here, until it ends. Once per
    domain, by code that no other thread of the domain prints beside. *)

val flush : unit -> unit
(** All that the calling domain's formatters hold is written; boxes that are
    open are closed. Not while another thread of the domain prints. Some hundred
    nanoseconds when there is nothing. Nothing where {!install} was not called.
*)

val pass_on : unit -> unit
(** As {!flush}, but where a box is open the formatter is left alone, and only
    the whole lines that it has laid out are written. From any thread. *)

val during : (unit -> 'a) -> 'a
(** Runs a function on a domain whose threads all run such: when it is over,
    what it has printed is {!flush}ed if no other of them runs, else {!pass_on}.
*)

val of_caller : unit -> unit
(** The calling domain's formatters are flushed, where others are about to print
    or have printed. One with a box open keeps it, and may hold some of it back.
    On domains of the program; some hundred nanoseconds. *)
