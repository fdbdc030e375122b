(* The base of the timer. *)

open Dromos_model

(* The body of the timer's thread. *)
module Host = struct
  let body : (unit -> unit) ref = ref ignore
  let start () = ()
  let thread_for_all ~what:_ f = body := f
  let report _ _ = ()
end

module Mtime_clock = struct
  let now () = Mtime.of_uint64_ns 1L
end

(* A socket holds bytes until they are read, so a look and the beginning of a
   sleep are one step. *)
module Unix = struct
  type socket = {
    bytes : int Traced.Atomic.t;
    mutable sleepers : Traced.sleeper list;
  }

  type error = EAGAIN | EWOULDBLOCK | EINTR | EINVAL

  exception Unix_error of error * string * string

  type option = SO_RCVTIMEO

  let setsockopt_float _ SO_RCVTIMEO _ = ()

  type kind = PF_UNIX | SOCK_STREAM

  let socketpair ~cloexec:_ PF_UNIX SOCK_STREAM 0 =
    let s = { bytes = Traced.Atomic.make 0; sleepers = [] } in
    (s, s)

  let set_nonblock _ = ()
  let close _ = ()

  let write s _ _ n =
    Traced.Atomic.set s.bytes n;
    List.iter (fun sleeper -> sleeper.Traced.woken <- true) s.sleepers;
    s.sleepers <- [];
    n

  let read s _ _ _ = Traced.Atomic.exchange s.bytes 0

  (* The length of the thread's sleep; [nan] while the thread is awake. *)
  let timeout = ref nan

  let select sockets _ _ seconds =
    let s = List.hd sockets in
    if Traced.Atomic.get s.bytes > 0 then (sockets, [], [])
    else begin
      let sleeper = { Traced.woken = false } in
      s.sleepers <- sleeper :: s.sleepers;
      timeout := seconds;
      Effect.perform (Traced.Sleep sleeper);
      timeout := nan;
      (sockets, [], [])
    end
end
