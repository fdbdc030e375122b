(** The system calls of {!Poller}: [epoll] where the system has it, [poll], and
    calls that wait for the end of a child. Descriptors are numbers, as in the
    events of [epoll]; sets of interests and of answers are bits. *)

val number : Unix.file_descr -> int

val nonblocking : Unix.file_descr -> set:bool -> bool
(** [true] if operations on the descriptor do not block; [set] makes the
    descriptor non-blocking. [false] if the descriptor is not open. One system
    call if the descriptor is non-blocking already. *)

val file : int -> int
(** A number that identifies the descriptor's file, by the device and the inode:
    the number of another file is different, except where the system gives one
    inode to all descriptors of a kind (eventfd, timerfd). [-1] if the
    descriptor is not open. One system call. *)

val readable : int
val writable : int

val closed : int
(** An answer only: no open descriptor has the number. *)

val poll_one : int -> int -> int
(** [poll_one n bits] is the subset of [bits] that holds now, or {!closed}. *)

val poll_many : int array -> int -> unit
(** [poll_many pairs ms] waits until a descriptor has an answer, at most [ms]
    milliseconds (for ever if negative). The array holds a number, its bits, the
    next number, and so on; the answers replace the bits. *)

(** {1 epoll} *)

type backend =
  | Epoll of Unix.file_descr
  | Poll  (** the system has no epoll, or [DROMOS_POLLER=poll] asks for poll *)

val backend : unit -> backend

type arming =
  | Known  (** the number was watched before *)
  | Added  (** the number was not watched before *)
  | Always
      (** the number cannot be watched because it is always ready: a regular
          file *)
  | Not_open
  | Unknown  (** the number is not watched, and [add] is [false] *)
  | Refused of Unix.error

val arm : Unix.file_descr -> int -> int -> add:bool -> arming
(** [arm ep n bits ~add] has [ep] tell one event of number [n]. One system call,
    two if the number is added. *)

val epoll_wait : Unix.file_descr -> int array -> int -> int
(** [epoll_wait ep numbers ms] waits like {!poll_many}, puts the numbers with
    events into the array (at most 256), and returns how many numbers there are.
*)

(** {1 Children} *)

val pidfd : int -> Unix.file_descr option
(** A descriptor that is readable once the process has ended. [None] where the
    system has no such descriptors (or with [DROMOS_POLLER=poll]), or if the
    process does not exist. *)

val wait_for_exit : int -> bool
(** Blocks until the child has ended, and does not reap the child; [false] if
    there is no such child. *)
