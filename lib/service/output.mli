(** Output that code prints through [Format] on domains started by Dromos.
    Internal to Dromos.

    [Format.printf] and similar functions print to a formatter of the calling
    domain. The formatter holds the text back until it is flushed, at the latest
    when the domain ends. A domain started by Dromos may be anywhere in its work
    when the program ends. The formatters of such domains therefore pass their
    text to this module, which writes whole pieces, each by one channel
    operation, and writes the rest when the program exits.

    Domains without a call of {!install} are left alone. An exception of the
    channel (a closed pipe) is ignored, as at exit. *)

val install : unit -> unit
(** Makes the calling domain's formatters write to this module until the domain
    ends. Call once per domain, while no other thread of the domain prints. *)

val flush : unit -> unit
(** Writes all text in the calling domain's formatters, and closes open boxes.
    Call while no other thread of the domain prints. Some hundred nanoseconds if
    there is no text. Without {!install}, no effect. *)

val pass_on : unit -> unit
(** {!flush}, except that a formatter with an open box is left alone, and only
    the whole lines already laid out are written. Callable from any thread. *)

val during : (unit -> 'a) -> 'a
(** [during f] runs [f] on a domain whose threads all run [during]. When [f] is
    over, its output is {!flush}ed if no other thread runs [during], and
    {!pass_on} is called otherwise. *)

val of_caller : unit -> unit
(** Flushes the calling domain's formatters, for use where other domains print
    before or after. A formatter with an open box keeps the box, and may hold
    some text back. On domains of the program; some hundred nanoseconds. *)
