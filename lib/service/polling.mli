(** The system calls of {!Poller}: [epoll] where there is one, [poll], and those
    about a child's end. Descriptors are given by number, since that is how
    [epoll] tells of them; sets of interests and of answers are bits. *)

val number : Unix.file_descr -> int

val nonblocking : Unix.file_descr -> set:bool -> bool
(** Whether operations on the descriptor do not block; with [set] it is made so.
    [false] too if it is not open. One system call if it is so already. *)

val readable : int
val writable : int

val closed : int
(** An answer only: there is no open descriptor of that number. *)

val poll_one : int -> int -> int
(** [poll_one n bits]: which of [bits] hold now, or {!closed}. *)

val poll_many : int array -> int -> unit
(** [poll_many pairs ms] waits until one holds, for so many milliseconds (for
    ever if negative). The array has a number, its bits, and so on; the answers
    take the place of the bits. *)

(** {1 epoll} *)

type backend =
  | Epoll of Unix.file_descr
  | Poll  (** this system has no epoll, or [DROMOS_POLLER=poll] asks for it *)

val backend : unit -> backend

type arming =
  | Known  (** it was watched before *)
  | Added  (** it was not *)
  | Always  (** it cannot be watched since it is always ready: a regular file *)
  | Not_open
  | Unknown  (** it is not watched, and was not to be added *)
  | Refused of Unix.error

val arm : Unix.file_descr -> int -> int -> add:bool -> arming
(** [arm ep n bits ~add] has [ep] tell once of number [n]. One system call, two
    if it is added. *)

val epoll_wait : Unix.file_descr -> int array -> int -> int
(** [epoll_wait ep numbers ms] waits like {!poll_many}, puts the numbers that
    were told of into the array (at most 256) and returns how many. *)

(** {1 Children} *)

val pidfd : int -> Unix.file_descr option
(** A descriptor that is readable once the process has ended; [None] where the
    system has none (or [DROMOS_POLLER=poll]), or the process does not exist. *)

val wait_for_exit : int -> bool
(** Blocks until the child has ended, and leaves it to be waited for; [false] if
    there is no such child. *)
