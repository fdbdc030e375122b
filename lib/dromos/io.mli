(** Waiting for descriptors, and for the end of processes, without a thread
    each.

    A fiber that waits here is suspended; its worker goes on. One thread of the
    service domain asks the system about all descriptors that are waited for
    (epoll on Linux, poll elsewhere), so thousands of connections cost a fiber
    each and no thread. Plain systhreads and domains may call everything here
    too: they block themselves only. All waits can be cancelled, and raise
    {!Dromos_sync.Event.Timeout} ([Dromos.Timeout]) after [?timeout] seconds:
    [0.] means not to wait, negative numbers and nan raise [Invalid_argument].

    {[
      # open Dromos
      # Dromos.run @@ fun () ->
        let ours, theirs = Unix.socketpair ~cloexec:true PF_UNIX SOCK_STREAM 0 in
        let echo () =
          let buffer = Bytes.create 64 in
          let n = Io.read theirs buffer 0 64 in
          Io.write theirs buffer 0 n
        in
        let echoed = Dromos.async echo in
        Io.write_string ours "hello";
        let buffer = Bytes.create 5 in
        Io.really_read ours buffer 0 5;
        Dromos.await echoed;
        List.iter Io.close [ ours; theirs ];
        Bytes.to_string buffer
      - : string = "hello"
    ]}

    {b Modes.} {!read}, {!write} and the other operations need descriptors in
    non-blocking mode, lest they stall a worker, and put them into it when they
    find them otherwise. The mode belongs to the open file, which other
    descriptors and processes may share. Standard input, output and error (0 to
    2) usually are shared with the program's parent, so their mode is left
    alone: the operations first wait until the descriptor is ready, and write in
    pieces that fit. For other files whose mode must not change use
    {!await_readable} with the operations of [Unix].

    {b Closing.} {!close} tells those who wait for the descriptor: they raise
    [Unix.Unix_error (EBADF, _, _)]. After a plain [Unix.close] they do so
    within a second, or some seconds if thousands of descriptors are waited for,
    since the system does not tell. Close a descriptor once all who use it are
    through, as ever: its number may be given to another file at once.

    {b Regular files} are always ready, and reading them blocks:
    [Dromos.blocking] is for them. {b Names} are looked up by
    [Unix.getaddrinfo], which blocks too. {b SIGPIPE} ends a program that writes
    to a connection whose other side is closed, unless it is ignored
    ([Sys.set_signal Sys.sigpipe Signal_ignore]).

    An operation that is possible at once does not wait; it is a cancellation
    point all the same. {b Deadlocks}: a fiber that waits here counts as one
    that may be woken. Raises, beside what is said of each, what the system
    answers ([Unix.Unix_error]), and [Failure] as [Dromos.sleep] does. *)

(** {1 Readiness} *)

val await_readable : ?timeout:float -> Unix.file_descr -> unit
(** Until a read (or [accept]) would not block, since there is something to
    read, the end, or an error. All who wait for the same are told, so one that
    comes later may find nothing more. Others may wait to write meanwhile. *)

val await_writable : ?timeout:float -> Unix.file_descr -> unit
(** Until a write of some bytes would not block, or fails; for a socket that
    connects, until it has or has failed. *)

val readable_event : Unix.file_descr -> unit Dromos_sync.Event.t
(** {!await_readable} as an event, to be chosen among others:
    {[
      # let first_of fd channel =
          Event.select
            [
              Event.wrap (Io.readable_event fd) (fun () -> "readable");
              Channel.recv_event channel;
              Event.wrap (Event.timeout 5.) (fun () -> "late");
            ]
      val first_of : Unix.file_descr -> string Channel.t -> string = <fun>
    ]} *)

val writable_event : Unix.file_descr -> unit Dromos_sync.Event.t

(** {1 Operations} *)

val read : ?timeout:float -> Unix.file_descr -> bytes -> int -> int -> int
(** [read fd buffer pos len] reads what is there, at most [len] bytes, and waits
    only if there is nothing; [0] at the end. Like [Unix.read]. *)

val really_read :
  ?timeout:float -> Unix.file_descr -> bytes -> int -> int -> unit
(** All [len] bytes, within the time. Raises [End_of_file] if there are fewer;
    what was read by then, or by the time of a cancellation, is in the buffer.
*)

val write : ?timeout:float -> Unix.file_descr -> bytes -> int -> int -> unit
(** All [len] bytes. After a timeout or a cancellation some may have been
    written. *)

val write_string : ?timeout:float -> Unix.file_descr -> string -> unit
(** All of it. *)

val single_write :
  ?timeout:float -> Unix.file_descr -> bytes -> int -> int -> int
(** Some bytes, at least one if [len] is; how many. *)

val accept :
  ?timeout:float ->
  ?cloexec:bool ->
  Unix.file_descr ->
  Unix.file_descr * Unix.sockaddr
(** The next connection, in non-blocking mode, and closed in programs that are
    executed ([cloexec] is [true] by default). Raises [EMFILE] where the process
    has no descriptor left: bound the connections that are open, with a
    {!Dromos_sync.Semaphore} say. The page {{!page-"a-server"}A server} has a
    whole one. *)

val connect : ?timeout:float -> Unix.file_descr -> Unix.sockaddr -> unit
(** Connects a socket. After a failure, timeout or cancellation the socket is in
    no known state: close it. *)

val recv :
  ?timeout:float ->
  Unix.file_descr ->
  bytes ->
  int ->
  int ->
  Unix.msg_flag list ->
  int

val send :
  ?timeout:float ->
  Unix.file_descr ->
  bytes ->
  int ->
  int ->
  Unix.msg_flag list ->
  int
(** Some bytes; how many. *)

val recvfrom :
  ?timeout:float ->
  Unix.file_descr ->
  bytes ->
  int ->
  int ->
  Unix.msg_flag list ->
  int * Unix.sockaddr

val sendto :
  ?timeout:float ->
  Unix.file_descr ->
  bytes ->
  int ->
  int ->
  Unix.msg_flag list ->
  Unix.sockaddr ->
  int

val close : Unix.file_descr -> unit
(** [Unix.close], and those who wait for the descriptor raise. *)

(** {1 Processes} *)

val waitpid : ?timeout:float -> int -> int * Unix.process_status
(** Waits until the child of that number has ended; like [Unix.waitpid []],
    which blocks. Where Linux has pidfds (5.3 or later) that takes a descriptor
    while it waits, elsewhere a thread of those for [Dromos.blocking]. A wait
    that is given up leaves the child to be waited for. Raises
    [Invalid_argument] for a number that is not positive.

    {[
      # let status_of command =
          let pid =
            Unix.create_process "/bin/sh" [| "sh"; "-c"; command |]
              Unix.stdin Unix.stdout Unix.stderr
          in
          snd (Dromos.run (fun () -> Io.waitpid pid))
      val status_of : string -> Unix.process_status = <fun>
      # status_of "exit 7"
      - : Unix.process_status = Unix.WEXITED 7
    ]} *)
