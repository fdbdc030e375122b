external number : Unix.file_descr -> int = "dromos_fd_number" [@@noalloc]

external nonblocking : Unix.file_descr -> set:bool -> bool
  = "dromos_fd_nonblocking"
[@@noalloc]

external file : int -> int = "dromos_fd_file" [@@noalloc]
external poll_one : int -> int -> int = "dromos_poll_one" [@@noalloc]
external poll_many : int array -> int -> unit = "dromos_poll_many"

external epoll_create : unit -> Unix.file_descr = "dromos_epoll_create"
[@@noalloc]

external epoll_arm : Unix.file_descr -> int -> int -> bool -> int
  = "dromos_epoll_arm"
[@@noalloc]

external epoll_wait : Unix.file_descr -> int array -> int -> int
  = "dromos_epoll_wait"

external pidfd_open : int -> Unix.file_descr = "dromos_pidfd_open" [@@noalloc]
external wait_for_exit : int -> bool = "dromos_wait_for_exit"

let readable = 1
let writable = 2
let closed = 4

type backend = Epoll of Unix.file_descr | Poll

let portable () = Sys.getenv_opt "DROMOS_POLLER" = Some "poll"

let backend () =
  if portable () then Poll
  else
    let ep = epoll_create () in
    if number ep < 0 then Poll else Epoll ep

type arming =
  | Known
  | Added
  | Always
  | Not_open
  | Unknown
  | Refused of Unix.error

let arm ep n bits ~add =
  match epoll_arm ep n bits add with
  | 0 -> Known
  | 1 -> Added
  | 2 -> Always
  | 3 -> Not_open
  | 4 -> Unknown
  | 5 -> Refused ENOMEM
  | 6 -> Refused ENOSPC
  | _ -> Refused EINVAL

let pidfd pid =
  if portable () then None
  else
    let fd = pidfd_open pid in
    if number fd < 0 then None else Some fd
