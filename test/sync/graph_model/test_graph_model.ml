(* Tasks that hold a lock each and begin to wait for their neighbour's lock, one
   after the other or at once. A wait lasts for ever, or ends at once. *)

open Dromos_model
module Atomic = Dscheck.TracedAtomic

module type Graph = sig
  type lock = { reason : string; owner : unit -> int }

  val waiting : ?shielded:bool -> int -> lock -> (unit -> 'a) -> 'a
  val waits_for : int -> lock option

  type waits

  val let_go : take:(waits -> 'a) -> back:('a -> waits) -> unit -> unit
end

type _ Effect.t += For_ever : unit Effect.t

let ensure text ok = if not ok then failwith text

let reported n =
  let printed = !Under_graph.printed in
  if printed <> n then Printf.ksprintf failwith "%d reports, not %d" printed n

module Scenarios (G : Graph) = struct
  let begin_ () =
    Under_graph.printed := 0;
    List.iter (fun again -> again ()) !Under_graph.reset

  let lock owner = { G.reason = "lock"; owner }
  let of_ id = lock (fun () -> id)
  let wait id lock = G.waiting id lock ignore

  (* The task stays in the wait; the thread ends. *)
  let wait_for_ever id lock () =
    let open Effect.Deep in
    let effc (type a) (eff : a Effect.t) =
      match eff with
      | For_ever -> Some (fun (_ : (a, unit) continuation) -> ())
      | _ -> None
    in
    try_with
      (fun () -> G.waiting id lock (fun () -> Effect.perform For_ever))
      () { effc }

  let waits id = Option.is_some (G.waits_for id)

  (* The last task to begin reports the circle; of several that begin at once,
     one task reports. *)
  let circle n () =
    begin_ ();
    let task i = wait_for_ever (i + 1) (of_ (((i + 1) mod n) + 1)) in
    (List.init n task, fun () -> reported 1)

  (* 1 -> 2 -> 3 stands; 3 -> 1 comes when the lock of 3 is free. *)
  let never_whole () =
    begin_ ();
    let third = Atomic.make 3 in
    wait_for_ever 2 (lock (fun () -> Atomic.get third)) ();
    let release_and_wait () =
      Atomic.set third 0;
      wait_for_ever 3 (of_ 1) ()
    in
    ([ wait_for_ever 1 (of_ 2); release_and_wait ], fun () -> reported 0)

  (* Three tasks whose entries share a word; the wait of task 5 ends. *)
  let meet () =
    begin_ ();
    ( [
        wait_for_ever 1 (of_ 7);
        wait_for_ever 3 (of_ 7);
        (fun () -> wait 5 (of_ 7));
      ],
      fun () ->
        ensure "a wait was lost" (waits 1 && waits 3);
        ensure "a wait that is over stayed" (not (waits 5)) )

  let set_aside () =
    begin_ ();
    let ask () = (G.let_go ~take:Fun.id ~back:Fun.id) () in
    wait_for_ever 1 (of_ 7) ();
    ( [ ask; (fun () -> wait 3 (of_ 7)); wait_for_ever 5 (of_ 7) ],
      fun () ->
        ensure "a wait was lost" (waits 1 && waits 5);
        ensure "a wait that is over came back" (not (waits 3)) )
end

module Right = Scenarios (Graph_traced.Wait_graph)
module Blind = Scenarios (Graph_traced.Graph_blind)
module Early = Scenarios (Graph_traced.Graph_early)
module Hasty = Scenarios (Graph_traced.Graph_hasty)
module Loud = Scenarios (Graph_traced.Graph_loud)
module Stale = Scenarios (Graph_traced.Graph_stale)

let () =
  Alcotest.run "wait_graph"
    [
      ( "every order",
        [
          Explore.passes "two in a circle" (Right.circle 2);
          Explore.passes ~random:6_000 "three in a circle" (Right.circle 3);
          Explore.passes ~random:6_000 "never a circle" Right.never_whole;
          Explore.passes ~random:6_000 "in one word" Right.meet;
          Explore.passes ~random:6_000 "set aside" Right.set_aside;
        ] );
      ( "seeded bugs",
        [
          Explore.catches ~random:6_000 "blind" Blind.meet;
          Explore.catches "early" (Early.circle 2);
          Explore.catches ~random:6_000 "hasty" Hasty.never_whole;
          Explore.catches "loud" (Loud.circle 2);
          Explore.catches ~random:6_000 "stale" Stale.set_aside;
        ] );
    ]
