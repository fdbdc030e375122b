type cancel = unit -> unit

(* [key], a number that grows, decides between equal deadlines. *)
type entry = { at : Mtime.t; key : int; call : call }
and call = Call of (unit -> unit) | Limit of limit Atomic.t

(* States of a time limit: [Here], the queue has the function; [Away],
   {!let_go_of_limits} has the function; [Due], the time has come while the
   function was away, or the function has been called. *)
and limit = Here of { ring : unit -> unit } | Away | Due

module Deadlines =
  Psq.Make
    (Int)
    (struct
      type t = entry

      let compare a b =
        match Mtime.compare a.at b.at with
        | 0 -> Int.compare a.key b.key
        | c -> c
    end)

(* The queue; replaced as a whole, by compare-and-set. *)
let timers = Atomic.make Deadlines.empty
let last_key = Atomic.make 0
let unfinished = Atomic.make 0
let pending () = Atomic.get unfinished
let never = Mtime.max_stamp

let next_deadline () =
  match Deadlines.min (Atomic.get timers) with
  | Some (_, { at; _ }) -> at
  | None -> never

(* {1 When the thread wakes}

   [armed] is the time at which the thread will read the queue by itself. The
   thread writes [armed] and then reads the queue again. A caller that sets a
   timer writes the queue and then reads [armed]. One of the two sees the other:
   either the thread does not sleep past the new deadline, or the caller pokes
   the thread. While the thread is awake, and will read the queue anyway,
   [armed] is the beginning of time. *)

let awake = Mtime.min_stamp
let armed = Atomic.make awake

(* [(wake_out, wake_in)]: a byte written to [wake_in] wakes the thread, which
   waits at [wake_out]. Made with the thread. *)
let sockets = Atomic.make None

let poke () =
  match Atomic.get sockets with
  | None -> ()
  | Some (_, wake_in) -> (
      match Unix.write wake_in (Bytes.make 1 '!') 0 1 with
      | _ -> ()
      (* The socket is full: the thread has been poked often enough. *)
      | exception Unix.Unix_error ((EAGAIN | EWOULDBLOCK | EINTR), _, _) -> ())

let buffer = Bytes.create 64

let drain wake_out =
  match Unix.read wake_out buffer 0 64 with
  | _ -> ()
  | exception Unix.Unix_error ((EAGAIN | EWOULDBLOCK | EINTR), _, _) -> ()

(* [select] is exact to some microseconds, but refuses descriptors from 1024 on;
   a busy server may have used up the lower numbers before its first timer. A
   read with a timeout is exact to a few milliseconds, and takes all
   descriptors. *)
let wait wake_out seconds =
  match Unix.select [ wake_out ] [] [] seconds with
  | [], _, _ -> ()
  | _ -> drain wake_out
  | exception Unix.Unix_error (EINTR, _, _) -> ()
  | exception Unix.Unix_error (EINVAL, _, _) ->
      (* A timeout of zero on a socket means no timeout. *)
      Unix.setsockopt_float wake_out SO_RCVTIMEO (Float.max 0. seconds);
      drain wake_out

(* The wait is never zero, which would spin, and never longer than an hour, to
   stay below any limit of the system. *)
let wait_until wake_out deadline =
  if Mtime.equal deadline never then wait wake_out (-1.)
  else
    let now = Mtime_clock.now () in
    if Mtime.is_later deadline ~than:now then
      let span = Mtime.Span.to_float_ns (Mtime.span now deadline) in
      wait wake_out (Float.min 3600. (Float.max 1e-6 (span *. 1e-9)))

(* {1 The thread} *)

let call f =
  (match f () with
  | () -> ()
  | exception e -> Host.report e (Printexc.get_raw_backtrace ()));
  Atomic.decr unfinished

let function_of = function
  | Call f -> f
  | Limit limit -> (
      match Atomic.exchange limit Due with
      | Here { ring } -> ring
      | Away | Due -> ignore)

let rec call_due () =
  let all = Atomic.get timers in
  match Deadlines.pop all with
  | Some ((_, { at; call = f; _ }), rest)
    when not (Mtime.is_later at ~than:(Mtime_clock.now ())) ->
      if Atomic.compare_and_set timers all rest then call (function_of f);
      call_due ()
  | Some _ | None -> ()

let rec run wake_out =
  Atomic.set armed awake;
  call_due ();
  let deadline = next_deadline () in
  Atomic.set armed deadline;
  if not (Mtime.is_earlier (next_deadline ()) ~than:deadline) then
    wait_until wake_out deadline;
  run wake_out

(* The first caller makes the sockets and asks for the thread. *)
let start () =
  if Option.is_none (Atomic.get sockets) then begin
    Host.start ();
    let wake_out, wake_in =
      Unix.socketpair ~cloexec:true PF_UNIX SOCK_STREAM 0
    in
    Unix.set_nonblock wake_in;
    if Atomic.compare_and_set sockets None (Some (wake_out, wake_in)) then
      Host.thread_for_all ~what:"the timers' thread" (fun () -> run wake_out)
    else begin
      Unix.close wake_out;
      Unix.close wake_in
    end
  end

(* {1 Setting and cancelling} *)

let rec add key entry =
  let all = Atomic.get timers in
  if not (Atomic.compare_and_set timers all (Deadlines.add key entry all)) then
    add key entry

let rec remove key =
  let all = Atomic.get timers in
  if Deadlines.mem key all then
    if Atomic.compare_and_set timers all (Deadlines.remove key all) then
      Atomic.decr unfinished
    else remove key

let set span f =
  start ();
  let at =
    Option.value (Mtime.add_span (Mtime_clock.now ()) span) ~default:never
  in
  let key = Atomic.fetch_and_add last_key 1 in
  Atomic.incr unfinished;
  add key { at; key; call = f };
  if Mtime.is_earlier at ~than:(Atomic.get armed) then poke ();
  fun () -> remove key

let after span f = set span (Call f)
let limit span ring = set span (Limit (Atomic.make (Here { ring })))

let all_limits () =
  let add _ entry found =
    match entry.call with
    | Call _ -> found
    | Limit limit -> (entry.at, limit) :: found
  in
  Deadlines.fold add [] (Atomic.get timers)

let limits () = List.length (all_limits ())

let next_limit () =
  let earlier at (other, _) =
    if Mtime.is_earlier other ~than:at then other else at
  in
  match all_limits () with
  | [] -> None
  | (at, _) :: others ->
      let at = List.fold_left earlier at others and now = Mtime_clock.now () in
      if Mtime.is_later at ~than:now then Some (Mtime.span now at)
      else Some Mtime.Span.zero

let let_go_of_limits ~take ~back =
  let take (_, limit) =
    match Atomic.exchange limit Away with
    | Here _ as here -> Some (limit, take here)
    | (Away | Due) as state ->
        Atomic.set limit state;
        None
  in
  let taken = List.filter_map take (all_limits ()) in
  fun () ->
    List.iter
      (fun (limit, gone) ->
        let here = back gone in
        if not (Atomic.compare_and_set limit Away here) then
          match here with Here { ring } -> ring () | Away | Due -> ())
      taken

let longest = 1e9 (* seconds; spans are 64 bits of nanoseconds *)

let span ~call seconds =
  if not (seconds >= 0.) then
    invalid_arg (Printf.sprintf "%s: %g seconds" call seconds);
  Mtime.Span.of_uint64_ns (Int64.of_float (Float.min seconds longest *. 1e9))
