open Dromos_fiber
module Event = Dromos_sync.Author.Event
module Ivar = Dromos_sync.Ivar
module Waiter = Dromos_sync.Author.Waiter
module Poller = Dromos_service.Poller
module Polling = Dromos_service.Polling
module Threads = Dromos_service.Threads
module Timer = Dromos_service.Timer

let no_backtrace = Printexc.get_callstack 0
let failed e call = Error (Unix.Unix_error (e, call, ""), no_backtrace)

let result ~call : Poller.outcome -> _ = function
  | Ready -> Ok ()
  | Closed -> failed EBADF call
  | Failed e -> failed e call

let reason call fd = Printf.sprintf "%s fd %d" call (Poller.number fd)

(* A cancellation point also for an operation that need not wait. *)
let point () =
  let fiber = Fiber.current () in
  if fiber != Fiber.nobody && Fork.wanted fiber then Fork.poll fiber

(* {1 Time} *)

type limit = Never | At of Mtime.t

let limit ~call = function
  | None -> Never
  | Some seconds ->
      let span = Timer.span ~call seconds in
      At
        (Option.value
           (Mtime.add_span (Mtime_clock.now ()) span)
           ~default:Mtime.max_stamp)

let left at =
  let now = Mtime_clock.now () in
  if Mtime.is_later at ~than:now then Some (Mtime.span now at) else None

let late = Error (Event.Timeout, no_backtrace)

(* {1 Readiness} *)

let suspend ~call ?(reason = reason call) interest fd span =
  Poller.start ();
  if Option.is_some span then Timer.start ();
  let watch = Poller.watch () and stop = ref ignore in
  let block resume =
    let ring () = ignore (resume late : bool) in
    Option.iter (fun span -> stop := Timer.limit span ring) span;
    Poller.set watch fd interest (fun outcome ->
        ignore (resume (result ~call outcome) : bool);
        Over);
    None
  in
  match Dromos_suspend.suspend ~reason:(reason fd) block with
  | () -> !stop ()
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      !stop ();
      Poller.leave watch;
      Printexc.raise_with_backtrace e bt

let await ~call ?reason interest fd limit =
  match limit with
  | Never -> suspend ~call ?reason interest fd None
  | At at -> (
      match left at with
      | Some _ as span -> suspend ~call ?reason interest fd span
      | None -> (
          match Poller.now fd interest with
          | Some outcome -> Waiter.deliver (result ~call outcome)
          | None -> raise Event.Timeout))

let await_readable ?timeout fd =
  let call = "Io.await_readable" in
  point ();
  await ~call Read fd (limit ~call timeout)

let await_writable ?timeout fd =
  let call = "Io.await_writable" in
  point ();
  await ~call Write fd (limit ~call timeout)

(* [Busy]: the select was still registering and did not take the offer. When the
   select looks again, the descriptor may not be ready any more, so the watch goes on. *)
let source ~call interest fd =
  let attempt ~self:_ _ =
    match Poller.now fd interest with
    | Some outcome -> Waiter.Done (result ~call outcome)
    | None -> Waiter.Nothing
  in
  let enlist waiter =
    let watch = Poller.watch () in
    let tell outcome : Poller.answer =
      let offer = Waiter.offer ~self:Waiter.nobody waiter in
      match (offer (result ~call outcome), outcome) with
      | Busy, Ready -> Again
      | (Busy | Taken | Gone), _ -> Over
    in
    Poller.set watch fd interest tell;
    fun () -> Poller.leave watch
  in
  { Waiter.attempt; enlist; reason = reason call fd }

let event ~call interest fd =
  Event.guard (fun () ->
      Poller.start ();
      Event.of_source (source ~call interest fd))

let readable_event = event ~call:"Io.await_readable" Read
let writable_event = event ~call:"Io.await_writable" Write

(* {1 Operations} *)

let shared_with_parent fd = Poller.number fd <= 2

let rec retry ~call interest fd limit operation =
  match operation () with
  | v -> v
  | exception Unix.Unix_error (EINTR, _, _) ->
      retry ~call interest fd limit operation
  | exception Unix.Unix_error ((EAGAIN | EWOULDBLOCK), _, _) ->
      await ~call interest fd limit;
      retry ~call interest fd limit operation

(* A descriptor that stays in blocking mode has to be ready before the operation is
   tried. *)
let within ~call interest fd limit operation =
  point ();
  if shared_with_parent fd && not (Polling.nonblocking fd ~set:false) then
    await ~call interest fd limit
  else ignore (Polling.nonblocking fd ~set:true : bool);
  retry ~call interest fd limit operation

let operate ~call ?timeout interest fd operation =
  within ~call interest fd (limit ~call timeout) operation

let check_range ~call buffer pos len =
  if pos < 0 || len < 0 || pos > Bytes.length buffer - len then
    invalid_arg
      (Printf.sprintf "Dromos.%s: %d bytes from %d of %d" call len pos
         (Bytes.length buffer))

let read ?timeout fd buffer pos len =
  let call = "Io.read" in
  check_range ~call buffer pos len;
  operate ~call ?timeout Read fd (fun () -> Unix.read fd buffer pos len)

let really_read ?timeout fd buffer pos len =
  let call = "Io.really_read" in
  check_range ~call buffer pos len;
  let limit = limit ~call timeout in
  let rec go pos len =
    if len > 0 then
      match
        within ~call Read fd limit (fun () -> Unix.read fd buffer pos len)
      with
      | 0 -> raise End_of_file
      | n -> go (pos + n) (len - n)
  in
  go pos len

(* The most bytes that a writable pipe is sure to take (POSIX). *)
let piece fd len = if shared_with_parent fd then Int.min len 512 else len

let write_some ~call limit fd buffer pos len =
  within ~call Write fd limit (fun () ->
      Unix.single_write fd buffer pos (piece fd len))

let single_write ?timeout fd buffer pos len =
  let call = "Io.single_write" in
  check_range ~call buffer pos len;
  write_some ~call (limit ~call timeout) fd buffer pos len

let write ?timeout fd buffer pos len =
  let call = "Io.write" in
  check_range ~call buffer pos len;
  let limit = limit ~call timeout in
  let rec go pos len =
    if len > 0 then
      let n = write_some ~call limit fd buffer pos len in
      go (pos + n) (len - n)
  in
  go pos len

let write_string ?timeout fd text =
  write ?timeout fd (Bytes.unsafe_of_string text) 0 (String.length text)

let rec accept ?timeout ?(cloexec = true) fd =
  match
    operate ~call:"Io.accept" ?timeout Read fd (fun () ->
        Unix.accept ~cloexec fd)
  with
  | (connection, _) as accepted ->
      Unix.set_nonblock connection;
      accepted
  | exception Unix.Unix_error (ECONNABORTED, _, _) ->
      accept ?timeout ~cloexec fd

(* Called when the queue of a listener on a Unix-domain socket is full. The
   system does not say when the queue has room again: wait a millisecond. *)
let rest limit =
  (match limit with
  | At at when Option.is_none (left at) -> raise Event.Timeout
  | At _ | Never -> ());
  Event.sync (Event.timeout 0.001)

let connect ?timeout fd address =
  let call = "Io.connect" in
  let limit = limit ~call timeout in
  point ();
  Unix.set_nonblock fd;
  let rec go () =
    match Unix.connect fd address with
    | () -> ()
    | exception Unix.Unix_error ((EAGAIN | EWOULDBLOCK), _, _) ->
        rest limit;
        go ()
    | exception Unix.Unix_error ((EINPROGRESS | EINTR | EALREADY), _, _) -> (
        await ~call Write fd limit;
        match Unix.getsockopt_error fd with
        | None -> ()
        | Some e -> raise (Unix.Unix_error (e, "connect", "")))
  in
  go ()

let recv ?timeout fd buffer pos len flags =
  operate ~call:"Io.recv" ?timeout Read fd (fun () ->
      Unix.recv fd buffer pos len flags)

let send ?timeout fd buffer pos len flags =
  operate ~call:"Io.send" ?timeout Write fd (fun () ->
      Unix.send fd buffer pos len flags)

let recvfrom ?timeout fd buffer pos len flags =
  operate ~call:"Io.recvfrom" ?timeout Read fd (fun () ->
      Unix.recvfrom fd buffer pos len flags)

let sendto ?timeout fd buffer pos len flags address =
  operate ~call:"Io.sendto" ?timeout Write fd (fun () ->
      Unix.sendto fd buffer pos len flags address)

let close = Poller.close

(* {1 Processes} *)

let rec ended pid =
  match Unix.waitpid [ WNOHANG ] pid with
  | 0, _ -> None
  | ended -> Some ended
  | exception Unix.Unix_error (EINTR, _, _) -> ended pid

(* The thread waits for the child's end without reaping it, so a wait that is given up
   loses nothing. *)
let wait_on_thread pid limit =
  let over = Ivar.create () in
  let job () =
    ignore (Polling.wait_for_exit pid : bool);
    ignore (Ivar.try_fill over () : bool);
    Dromos_suspend.External.decr ()
  in
  Threads.start ();
  Dromos_suspend.External.incr ();
  Threads.submit (Threads.job job);
  let exit = Ivar.read_event over in
  match limit with
  | Never -> Event.sync exit
  | At at -> (
      let seconds span = Mtime.Span.to_float_ns span *. 1e-9 in
      let left = Option.fold ~none:0. ~some:seconds (left at) in
      match Event.sync (Event.within left exit) with
      | Some () -> ()
      | None -> raise Event.Timeout)

let wait_for_exit pid limit =
  Dromos_service.Stack_room.ensure 3;
  match Polling.pidfd pid with
  | None -> wait_on_thread pid limit
  | Some fd ->
      let reason _ = Printf.sprintf "Io.waitpid %d" pid in
      Fun.protect
        (fun () -> await ~call:"Io.waitpid" ~reason Read fd limit)
        ~finally:(fun () -> close fd)

let waitpid ?timeout pid =
  if pid <= 0 then
    invalid_arg (Printf.sprintf "Dromos.Io.waitpid: process %d" pid);
  let limit = limit ~call:"Io.waitpid" timeout in
  point ();
  let rec go () =
    match ended pid with
    | Some ended -> ended
    | None ->
        wait_for_exit pid limit;
        go ()
  in
  go ()
