(** Passes the reports of Dromos to the program's {!Reporter}. Internal to
    Dromos.

    Callable from any thread, and from signal handlers. Exceptions of the
    program's function are caught here. *)

val tell : Reporter.level -> Reporter.about -> string -> unit
(** Reports the text. *)

val failure :
  what:string -> ?runtime:string -> exn -> Printexc.raw_backtrace -> unit
(** {!tell}s that [what], a part of the runtime [runtime], raised the exception,
    with the backtrace. *)

val quoted : string -> string
(** [quoted name] is the name as [%S] prints it, except that letters beyond
    ASCII, in UTF-8, stay as they are. *)
