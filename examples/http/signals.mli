(** The end of a server by a signal. *)

val stop_on_signal :
  say:(string -> unit) -> under_way:(unit -> int) -> Serving.t -> unit Lwt.t
(** Resolved by the first [SIGINT] or [SIGTERM]; the caller then calls
    {!Serving.stop}. The second signal stops without grace, the third signal
    ends the process with status 130. [say] gets a line for each signal;
    [under_way] counts requests. *)
