(* The base of the poller: an epoll with one descriptor, armed once or not, and
   two files to which the descriptor may belong. *)

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

  (* The interests for which epoll is armed: 0 after an event, -1 if epoll does
     not know the descriptor's file. A call of [arm] or [event] is one step of
     the model checker, which begins with an access to [step]. *)
  let armed = ref (-1)
  let ready = ref 0
  let step = ref (Traced.Atomic.make 0)
  let one_step () = ignore (Traced.Atomic.fetch_and_add !step 1 : int)
  let file _ = 0
  let poll_one _ bits = bits land !ready

  let arm () _ bits ~add =
    one_step ();
    let before = !armed in
    if before < 0 && not add then Unknown
    else begin
      armed := bits;
      if before < 0 then Added else Known
    end

  (* One event, if any: the descriptor is disarmed. *)
  let event () =
    one_step ();
    let is = !armed > 0 && !armed land !ready > 0 in
    if is then armed := 0;
    is

  let reset () =
    armed := -1;
    step := Traced.Atomic.make 0
end
