(** Listening sockets. *)

val listen : host:string -> port:int -> Lwt_unix.file_descr
(** A listening socket; port 0 stands for any free port. Raises [Failure] with a
    line that names the fault and the remedy. *)
