(* Model checking of the poller: watches are set, called and left while events
   come, and while the descriptor's number changes its file. *)

open Dromos_model
module Polling = Under_poller.Polling

module type Poller = sig
  type interest = Read | Write
  type outcome = Ready | Closed | Failed of Unix.error
  type answer = Over | Again
  type state = New | Waiting of (outcome -> answer) | Telling | Gone

  type watch = {
    state : state Traced.Atomic.t;
    armed : int Traced.Atomic.t;
    mutable file : int;
  }

  val watch : unit -> watch
  val leave : watch -> unit
  val unfinished : int Atomic.t

  type slot

  val slot_of : int -> slot Traced.Atomic.t

  type poller = { backend : Polling.backend }

  val enter : poller -> int -> slot Traced.Atomic.t -> watch -> interest -> unit
  val look_at : poller -> unit -> int -> slot Traced.Atomic.t -> bool
  val happened : poller -> int -> unit
end

module type Make = functor () -> Poller

type told = { mutable ready : int; mutable closed : int }

(* A scenario on one descriptor. The watches of the list [before] are set first.
   If [reopened], the descriptor then names another file. Then at the same time:
   one event is taken, the watches of [during] are set, the earlier watches leave
   if [leaves], and the poller looks at the descriptor if [looks]. The file is
   ready for the interests of the bits [ready] (1: reading, 2: writing). A watch
   of [during] asks for [again] more events before it is over.

   At the end all events are taken. Each watch whose interest is ready has ended
   once, by readiness; a watch of the earlier file has ended once, by [Closed];
   all other watches still wait, unless they have left. *)
let scenario (module Make : Make) ?(before = []) ?(leaves = false)
    ?(reopened = false) ?(again = 0) ?(ready = 3) ?(looks = false) during () =
  let module P = Make () in
  let p = { P.backend = Epoll () } in
  Polling.reset ();
  Polling.ready := if reopened then 0 else ready;
  let slot = P.slot_of 0 in
  let interest = function `Read -> P.Read | `Write -> P.Write in
  let told = { ready = 0; closed = 0 }
  and told_before = { ready = 0; closed = 0 } in
  let make told again which =
    let left = ref again in
    let watch = P.watch () in
    let tell : P.outcome -> P.answer = function
      | Ready when !left > 0 ->
          decr left;
          Again
      | Ready ->
          told.ready <- told.ready + 1;
          Over
      | Closed ->
          told.closed <- told.closed + 1;
          Over
      | Failed _ -> failwith "failed"
    in
    let set () =
      Atomic.incr P.unfinished;
      if Traced.Atomic.compare_and_set watch.state New (Waiting tell) then begin
        P.enter p 0 slot watch (interest which)
      end
      else Atomic.decr P.unfinished
    in
    (watch, set)
  in
  let early = List.map (make told_before 0) before in
  List.iter (fun (_, set) -> set ()) early;
  if reopened then Polling.armed := -1;
  Polling.ready := ready;
  let take () = if Polling.event () then P.happened p 0 in
  let sets = List.map (fun which -> snd (make told again which)) during in
  let leaving =
    if leaves then [ (fun () -> List.iter (fun (w, _) -> P.leave w) early) ]
    else []
  in
  let looking =
    if looks then [ (fun () -> ignore (P.look_at p () 0 slot : bool)) ] else []
  in
  ( (take :: sets) @ leaving @ looking,
    fun () ->
      while Polling.event () do
        P.happened p 0
      done;
      let equal what expected n =
        if n <> expected then
          failwith (Printf.sprintf "%s: %d, expected %d" what n expected)
      in
      let early = List.length before in
      let is_ready which =
        let bit = match which with `Read -> 1 | `Write -> 2 in
        ready land bit > 0
      in
      let number list = List.length (List.filter is_ready list) in
      let waits list = List.length list - number list in
      equal "told ready" (number during) told.ready;
      equal "told closed" 0 told.closed;
      if reopened then equal "closed before" early told_before.closed
      else if not leaves then
        equal "ready before" (number before) told_before.ready;
      let left = if reopened || leaves then 0 else waits before in
      equal "pending" (waits during + left) (Atomic.get P.unfinished) )

let right = (module Poller_traced.Poller_copy.Make : Make)
let careless = (module Poller_traced.Poller_careless.Make : Make)
let once = (module Poller_traced.Poller_once.Make : Make)
let harsh = (module Poller_traced.Poller_harsh.Make : Make)

(* Two watches that come at once, beside an event, have too many orders: some
   orders are drawn at random. *)
let random = 5_000

let suites =
  let open Explore in
  [
    ( "right",
      [
        passes "a reader" (scenario right [ `Read ]);
        passes ~random "two readers" (scenario right [ `Read; `Read ]);
        passes ~random "both ways" (scenario right [ `Read; `Write ]);
        passes ~random "one of two" (scenario right ~ready:2 [ `Read; `Write ]);
        passes ~random "one of two, with a look"
          (scenario right ~ready:2 ~before:[ `Read ] ~looks:true [ `Write ]);
        passes "one more" (scenario right ~before:[ `Read ] [ `Write ]);
        passes "one that goes on" (scenario right ~again:1 [ `Read ]);
        passes "one leaves"
          (scenario right ~before:[ `Read ] ~leaves:true [ `Read ]);
        passes "another file"
          (scenario right ~before:[ `Read ] ~reopened:true [ `Read ]);
        passes ~random "another file, with a look"
          (scenario right ~before:[ `Read ] ~reopened:true ~looks:true [ `Read ]);
        passes ~random "another file, two"
          (scenario right ~before:[ `Read ] ~reopened:true [ `Read; `Read ]);
      ] );
    ( "seeded bugs",
      [
        catches ~random "no second look"
          (scenario careless ~ready:2 [ `Read; `Write ]);
        catches "not armed again" (scenario once ~again:1 [ `Read ]);
        catches ~random "taken for the other file's"
          (scenario harsh ~before:[ `Read ] ~reopened:true [ `Read; `Read ]);
      ] );
  ]

let () = Alcotest.run "poller model" suites
