(** Reports of Dromos on their way to the program's {!Reporter}. Internal to
    Dromos.

    From any thread, and from handlers of signals. What the function of the
    program raises is caught here. *)

val tell : Reporter.level -> Reporter.about -> string -> unit
(** Hands over the report with this text. *)

val failure :
  what:string -> ?runtime:string -> exn -> Printexc.raw_backtrace -> unit
(** {!tell}s that [what], a part of that runtime, raised the exception, with the
    backtrace. *)

val quoted : string -> string
(** A name in a text: as [%S] prints it, but letters beyond ASCII, in UTF-8, are
    left as they are. *)
