type sleeper = { vproc : Vproc.t; resume : unit Dromos_suspend.resumer }

(* Chooses the first able sleeper with an idle vproc, and all able sleepers with
   busy vprocs. *)
let choose ~able sleepers =
  let able, unable = List.partition (fun s -> able s.vproc) sleepers in
  match List.partition (fun s -> Vproc.is_idle s.vproc) able with
  | one :: idle, busy -> (one :: busy, idle @ unable)
  | [], busy -> (busy, unable)

let wake chosen =
  let woken = List.map (fun s -> s.resume (Ok ())) chosen in
  match woken with first :: _ -> first | [] -> false

(* {1 Beside queues} *)

type t = sleeper list Atomic.t

let create () = Atomic.make_contended []

let rec enter t me =
  let seen = Atomic.get t in
  if not (Atomic.compare_and_set t seen (me :: seen)) then enter t me

let rec leave t me =
  let seen = Atomic.get t in
  List.memq me seen
  && (Atomic.compare_and_set t seen (List.filter (fun s -> s != me) seen)
     || leave t me)

(* The sleeper enters the list and then looks for work; a thread that adds work
   adds first and then reads the list. A sleeper that finds work leaves the list. If
   another thread has just taken the sleeper off the list to wake it, the sleeper
   waits for the wake-up: leaving then would lose the wake-up. *)
let sleep ?at t ~reason ~unless =
  let vproc = match at with Some vproc -> vproc | None -> Vproc.host () in
  Dromos_suspend.suspend ~reason (fun resume ->
      let me = { vproc; resume } in
      enter t me;
      if unless () && leave t me then Some () else None)

let rec wake_able t ~able =
  let seen = Atomic.get t in
  match choose ~able seen with
  | [], _ -> ()
  | chosen, others ->
      let mine = Atomic.compare_and_set t seen others in
      if not (mine && wake chosen) then wake_able t ~able

let wake_one t = wake_able t ~able:(fun _ -> true)
