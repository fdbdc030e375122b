(** Waits for descriptors and for the end of processes, without a thread for
    each.

    A fiber that waits here is suspended; its worker goes on. One thread of the
    service domain watches all descriptors that fibers wait for (epoll on Linux,
    poll elsewhere), so each of thousands of connections costs a fiber and no
    thread. Plain systhreads and domains may call every function too, and block
    only themselves. All waits can be cancelled, and raise
    {!Dromos_sync.Event.Timeout} ([Dromos.Timeout]) after [?timeout] seconds. A
    timeout of [0.] means not to wait; negative numbers and nan raise
    [Invalid_argument].

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

    {b Modes.} {!read}, {!write} and the other operations put their descriptors
    into non-blocking mode, so that no operation stalls a worker. The mode
    belongs to the open file, which other descriptors and processes may share.
    Standard input, output and error (0 to 2) are usually shared with the
    program's parent, and keep their mode: the operations first wait until the
    descriptor is ready, and write in pieces that fit. For another file whose
    mode must not change, use {!await_readable} with the operations of [Unix].

    {b Closing.} {!close} wakes all tasks that wait for the descriptor: they
    raise [Unix.Unix_error (EBADF, _, _)]. After a plain [Unix.close] they raise
    within a second, or some seconds where tasks wait for thousands of
    descriptors, since the system does not report the close. As ever, close a
    descriptor after its last use: another file may get its number at once.

    {b Regular files} are always ready, and a read of a regular file blocks: use
    [Dromos.blocking]. {b Names} are looked up by [Unix.getaddrinfo], which
    blocks too. {b SIGPIPE} ends a program that writes to a connection whose
    other side is closed, unless the program ignores the signal
    ([Sys.set_signal Sys.sigpipe Signal_ignore]).

    An operation that is possible at once does not wait, but is a cancellation
    point too. {b Deadlocks}: a fiber that waits here is never part of a
    deadlock, since the system may wake the fiber. Each function also raises the
    errors of the system ([Unix.Unix_error]), and [Failure] as [Dromos.sleep]
    does. *)

(** {1 Readiness} *)

val await_readable : ?timeout:float -> Unix.file_descr -> unit
(** Waits until a read (or [accept]) would not block: there are bytes to read,
    or the end, or an error. All tasks that wait to read a descriptor are woken,
    so the last of them may find nothing to read. Other tasks may wait to write
    at the same time. *)

val await_writable : ?timeout:float -> Unix.file_descr -> unit
(** Waits until a write of some bytes would not block, or would fail; for a
    socket that connects, until it is connected or has failed. *)

val readable_event : Unix.file_descr -> unit Dromos_sync.Event.t
(** {!await_readable} as an event, for a select:
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
(** [read fd buffer pos len] reads the bytes that are there, at most [len], and
    waits only if there are none; [0] at the end. Like [Unix.read]. *)

val really_read :
  ?timeout:float -> Unix.file_descr -> bytes -> int -> int -> unit
(** Reads all [len] bytes; the timeout is for all of them. Raises [End_of_file]
    if there are fewer bytes. After an exception the bytes read so far are in
    the buffer. *)

val write : ?timeout:float -> Unix.file_descr -> bytes -> int -> int -> unit
(** Writes all [len] bytes. After a timeout or a cancellation some bytes may
    have been written. *)

val write_string : ?timeout:float -> Unix.file_descr -> string -> unit
(** Writes the whole string, as {!write} does. *)

val single_write :
  ?timeout:float -> Unix.file_descr -> bytes -> int -> int -> int
(** Writes some bytes, at least one if [len] is not 0, and returns their number.
*)

val accept :
  ?timeout:float ->
  ?cloexec:bool ->
  Unix.file_descr ->
  Unix.file_descr * Unix.sockaddr
(** The next connection, in non-blocking mode. Programs that the process
    executes do not inherit the descriptor ([cloexec] is [true] by default).
    Raises [EMFILE] when the process has no descriptor left: bound the number of
    open connections, with a {!Dromos_sync.Semaphore} for example. The page
    {{!page-"a-server"}A server} has a complete server. *)

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
(** Sends some bytes, and returns their number. *)

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
(** [Unix.close]; all tasks that wait for the descriptor raise. *)

(** {1 Processes} *)

val waitpid : ?timeout:float -> int -> int * Unix.process_status
(** Waits until the child of that number has ended; like [Unix.waitpid []],
    which blocks. On Linux with pidfds (5.3 or later) each wait takes a
    descriptor, elsewhere a thread of [Dromos.blocking]. A wait that is given up
    does not reap the child: a later wait can. Raises [Invalid_argument] for a
    number that is not positive.

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
