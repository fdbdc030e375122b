open Types

let variable = "DROMOS_PREEMPTED"

let check_most ~call n =
  if n < 0 then invalid_arg (Printf.sprintf "%s: %d, expected 0 or more" call n)

let default_most () =
  match Sys.getenv_opt variable with
  | None | Some "" -> 10_000
  | Some text -> (
      match int_of_string_opt text with
      | Some n when n >= 0 -> n
      | Some _ | None ->
          invalid_arg
            (Printf.sprintf "%s=%s: expected a number of fibers from 0" variable
               text))

let most = Atomic.make None

let get () =
  match Atomic.get most with
  | Some n -> n
  | None ->
      let n = default_most () in
      ignore (Atomic.compare_and_set most None (Some n) : bool);
      n

let set n =
  check_most ~call:"Sched.Preemption.set_most" n;
  Atomic.set most (Some n)

(* The bound of the last message, which is printed once for each bound. *)
let said_at = Atomic.make (-1)

let refused worker why =
  Atomic.incr worker.threads.refused;
  let most = get () in
  if Atomic.exchange said_at most <> most then
    Dromos_service.Host.advise
      (Printf.sprintf
         "dromos: vproc %d has %d fibers that were preempted by force, and %s: \
          until one of them ends or waits, a fiber that computes there is not \
          preempted, and delays all others, timeouts included. The bound is %d \
          (%s, Sched.Preemption.set_most).\n"
         worker.id
         (List.length worker.threads.parked)
         why most variable)
