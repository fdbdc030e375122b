(* What the poller stands on: an epoll that knows one descriptor, for which it is
   armed once or not, and two files that it may be of. *)

open Dromos_model

module Host = struct
  let report e _ = raise e
end

module Polling = struct
  let readable = 1
  let writable = 2
  let closed = 4

  type backend = Epoll of unit | Poll

  type arming =
    | Known
    | Added
    | Always
    | Not_open
    | Unknown
    | Refused of Unix.error

  (* -1: the open file is not known. A call is one step, which begins with that of
     [step]. *)
  let armed = ref (-1)
  let ready = ref 0
  let step = ref (Traced.Atomic.make 0)
  let one_step () = ignore (Traced.Atomic.fetch_and_add !step 1 : int)
  let poll_one _ bits = bits land !ready

  let arm () _ bits ~add =
    one_step ();
    let before = !armed in
    if before < 0 && not add then Unknown
    else begin
      armed := bits;
      if before < 0 then Added else Known
    end

  (* One event, if there is one: the descriptor is disarmed. *)
  let event () =
    one_step ();
    let is = !armed > 0 && !armed land !ready > 0 in
    if is then armed := 0;
    is

  let reset () =
    armed := -1;
    step := Traced.Atomic.make 0
end
