module Timer = Dromos_service.Timer

type t = Shared_queue.t

(* {1 Times} in nanoseconds of the monotonic clock *)

let now () = Int64.to_int (Mtime.to_uint64_ns (Mtime_clock.now ()))
let seconds ns = float ns *. 1e-9

let nanoseconds call s =
  if s >= 0. then int_of_float (Float.min s 1e9 *. 1e9)
  else invalid_arg (Printf.sprintf "Sched.Deadline.%s: %g seconds" call s)

(* The deadline of a fiber, or [never]. *)
let key = Level.new_key ()
let never = max_int
let set_deadline s = Level.write key (now () + nanoseconds "set_deadline" s)

let lateness () =
  match Level.find key with
  | Some at when at < never -> Some (seconds (now () - at))
  | Some _ | None -> None

(* {1 The scheduler} *)

let rank ~arrival:_ at = at

let add t k =
  let level = Level.own key k ~under:t ~default:never in
  Level.line_up t k ~read:(fun () -> Level.get level) ~rank

let set_deadline_of t k s =
  let call = "Deadline.set_deadline_of" in
  let at = now () + nanoseconds "set_deadline_of" s in
  let level = Level.of_fiber ~call key k in
  Level.set level at;
  Level.settle t k ~read:(fun () -> Level.get level) ~rank

let rec action t () =
  Core.action ~name:"deadline" ~ready:(add t) (function
    | Stop -> next t
    | Preempt k ->
        add t k;
        Core.atomic_yield ();
        next t)

and next t = Shared_queue.run_next t (action t)

let run ?vprocs ?under f =
  let t = Shared_queue.create () in
  Shared_queue.attach ~name:"deadline" ?vprocs ?under t
    (fun () -> next t)
    (fun () -> f t)

let give t ?deadline k =
  Shared_queue.check_fiber ~call:"Deadline.give" t k;
  let set s = Level.give key k (now () + nanoseconds "give" s) in
  Option.iter set deadline;
  add t k

let spawn t ?name ?deadline f =
  Shared_queue.check ~call:"Deadline.spawn" t;
  let ns = Option.map (nanoseconds "spawn") deadline in
  let k = Core.fiber ?name f in
  Option.iter (fun ns -> Level.give key k (now () + ns)) ns;
  add t k

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
  Shared_queue.check ~call:"Deadline.every" t;
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
  let k =
    Core.fiber ?name (fun () ->
        for number = 0 to jobs - 1 do
          job number
        done)
  in
  Level.give key k (first + relative);
  add t k
