(** What has to be undone if a signal ends the process: folders removed,
    programs killed. *)

val protect : finally:(unit -> unit) -> (unit -> 'a) -> 'a
(** [protect ~finally f] is [Fun.protect ~finally f]. [finally] is also called
    if a signal ends the process meanwhile. *)

val with_child : (unit -> int) -> (int -> 'a) -> ('a, Unix.error) result
(** [with_child start f] is [Ok (f (start ()))]; [start] starts a program and
    returns its process id. [Error e] if [start] raises [Unix_error e]. If a
    signal ends this process before [f] is over, the program is killed and
    waited for. *)

val retry : (unit -> 'a) -> 'a
(** Calls the function again as long as a signal interrupts its system call. *)

val handle_signals : unit -> unit
(** From now on [SIGHUP], [SIGINT] and [SIGTERM] undo the above, the last first,
    and end the process with status 128 and the signal's number. A signal that
    the process ignores stays ignored. *)
