type sleeper = { vproc : Vproc.t; resume : unit Dromos_suspend.resumer }

(* The first of the idle, and all the others. *)
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

(* First in sight, then the look; who adds does it the other way round. One that
   finds something leaves, unless it is being woken: nobody else would be then. *)
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
