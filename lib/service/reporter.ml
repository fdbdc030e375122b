type level = Error | Warning | Info

type failure = {
  what : string;
  runtime : string option;
  error : exn;
  backtrace : Printexc.raw_backtrace;
}

type about =
  | Failure of failure
  | Deadlock
  | Lost_fiber
  | Interrupted
  | Advice
  | Dump

type report = { level : level; about : about; text : string }

(* Another program may have made stderr non-blocking. *)
let wait_for_room () =
  match Unix.select [] [ Unix.stderr ] [] (-1.) with
  | _ -> ()
  | exception Unix.Unix_error _ -> ()

let rec write text from =
  let left = String.length text - from in
  if left > 0 then
    match Unix.write_substring Unix.stderr text from left with
    | n -> write text (from + n)
    | exception Unix.Unix_error (EINTR, _, _) -> write text from
    | exception Unix.Unix_error ((EAGAIN | EWOULDBLOCK), _, _) ->
        wait_for_room ();
        write text from
    | exception Unix.Unix_error _ -> ()

let to_stderr report = write report.text 0
let reporter = Atomic.make to_stderr
let set f = Atomic.set reporter f
let current () = Atomic.get reporter
