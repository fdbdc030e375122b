module Timer = Dromos_service.Timer

type t = Ranked.t

(* {1 Times} in nanoseconds of the monotonic clock *)

let now () = Int64.to_int (Mtime.to_uint64_ns (Mtime_clock.now ()))
let seconds ns = float ns *. 1e-9

let nanoseconds call s =
  if s >= 0. then int_of_float (Float.min s 1e9 *. 1e9)
  else invalid_arg (Printf.sprintf "Sched.Deadline.%s: %g seconds" call s)

(* The deadline of a fiber, or [never]. *)
let key = Level.new_key ()
let never = max_int

let lateness () =
  match Level.find key with
  | Some at when at < never -> Some (seconds (now () - at))
  | Some _ | None -> None

let after call s = now () + nanoseconds call s
let set_deadline s = Level.write key (after "set_deadline" s)

(* {1 The scheduler} *)

let run ?vprocs ?under f =
  let rank ~arrival:_ at = at in
  let queue = Shared_queue.create () in
  let t = Ranked.create ~name:"deadline" ~key ~default:never ~rank queue in
  Ranked.run t ?vprocs ?under (fun () -> f t)

let set_deadline_of t k s =
  let at = after "set_deadline_of" s in
  let level = Level.of_fiber ~call:"Deadline.set_deadline_of" key k in
  Level.set level at;
  Ranked.settle t k level

let give t ?deadline k =
  let number = Option.map (after "give") deadline in
  Ranked.give t ~call:"Deadline.give" ?number k

let spawn t ?name ?deadline f =
  let number = Option.map (after "spawn") deadline in
  Ranked.spawn t ~call:"Deadline.spawn" ?name ?number f

(* {1 Periodic fibers} *)

type job = { number : int; waited : float; lateness : float }

(* [at] may be past already. *)
let sleep_until at =
  Timer.start ();
  let cancel = ref ignore in
  let block resume =
    let left = Int.max 0 (at - now ()) in
    let span = Mtime.Span.of_uint64_ns (Int64.of_int left) in
    cancel := Timer.after span (fun () -> ignore (resume (Ok ()) : bool));
    None
  in
  try Dromos_suspend.suspend ~reason:"its next period" block
  with e ->
    let bt = Printexc.get_raw_backtrace () in
    !cancel ();
    Printexc.raise_with_backtrace e bt

(* A late job yields, and so goes into the queue with its new deadline. *)
let await_release at = if at > now () then sleep_until at else Core.yield ()

let every t ?name ?deadline ?(jobs = max_int) ?(report = ignore) ~period f =
  let relative = nanoseconds "every" (Option.value deadline ~default:period) in
  let period = nanoseconds "every" period in
  if period = 0 then invalid_arg "Sched.Deadline.every: the period is 0";
  let first = now () in
  let job number =
    let release = first + (number * period) in
    let deadline = release + relative in
    Level.write key deadline;
    if number > 0 then await_release release;
    let waited = now () - release in
    f ();
    report
      {
        number;
        waited = seconds waited;
        lateness = seconds (now () - deadline);
      }
  in
  Ranked.spawn t ~call:"Deadline.every" ?name ~number:(first + relative)
    (fun () ->
      for number = 0 to jobs - 1 do
        job number
      done)
