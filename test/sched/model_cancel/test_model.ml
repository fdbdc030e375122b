(* Model checking of Cancelable: when cancel returns, no fiber runs under the
   cancelable, then or later; cancel does return; and nothing is left in the
   parent. *)

open Dromos_model
open Cancel_shim
open Cancel_shim.Shim

module type Cancelable = sig
  type t

  val make : unit -> t
  val wrap : t -> (unit -> unit) -> unit -> unit
  val cancel : t -> unit
  val is_cancelled : t -> bool
end

(* [history] counts two things in one atomic, so that the model checker tries
   all orders of their changes: the fibers that run under the cancelled
   cancelable and its descendants, and, in units of [one_cancel], the calls of
   cancel that have returned. There are fewer fibers than [one_cancel]. *)
type seen = {
  history : int Traced.Atomic.t;
  mutable cancels : int;  (** the number of cancels begun *)
}

let one_cancel = 1000
let running n = n mod one_cancel
let returned n = n / one_cancel
let note seen n = Traced.Atomic.fetch_and_add seen.history n
let wrong = ref []
let complain text = wrong := text :: !wrong

module Cancelables (C : Cancelable) = struct
  (* {1 The work of fibers} *)

  let work seen f () =
    if returned (note seen 1) > 0 then
      complain "begins after cancel has returned";
    Fun.protect f ~finally:(fun () -> ignore (note seen (-1) : int))

  let compute seen =
    work seen (fun () ->
        check ();
        check ())

  let sleep seen = work seen sleep

  let under ?below c f =
    fiber ?below (fun () -> try C.wrap c f () with Cancel.Cancelled -> ())

  let cancelling seen cancel =
    seen.cancels <- seen.cancels + 1;
    fiber (fun () ->
        cancel ();
        if running (note seen one_cancel) > 0 then
          complain "runs when cancel has returned")

  let cancel seen c = cancelling seen (fun () -> C.cancel c)

  let make ?below () =
    let made = ref None in
    fiber ?below (fun () -> made := Some (C.make ())) ();
    Option.get !made

  let make_below p =
    let made = ref None in
    fiber (C.wrap p (fun () -> made := Some (C.make ()))) ();
    Option.get !made

  let before f = thread f ()

  (* {1 Scenarios} *)

  (* [over]: cancelables that must come to rest. The nodes must be empty at the
     end. *)
  let scene make () =
    wrong := [];
    let seen = { history = Traced.Atomic.make 0; cancels = 0 } in
    let threads, cancelables, nodes = make seen in
    let at_the_end () =
      let calls = seen.cancels in
      let returned () = returned (Traced.Atomic.get seen.history) in
      if returned () < calls then complain "cancel does not return";
      if running (Traced.Atomic.get seen.history) > 0 then
        complain "not stopped";
      let live node = Once.live (Traced.Atomic.get node) in
      if List.exists (fun node -> live node <> []) nodes then
        complain "left behind in what is above";
      let rest c = before (cancel seen c) in
      List.iter rest cancelables;
      if returned () < calls + List.length cancelables then
        complain "does not come to rest";
      if List.exists (fun c -> not (C.is_cancelled c)) cancelables then
        complain "not cancelled";
      List.iter failwith !wrong
    in
    let told f () =
      try thread f () with e -> complain (Printexc.to_string e)
    in
    (List.map told threads, at_the_end)

  let starts body =
    scene @@ fun seen ->
    let above = Cancel.root () in
    let c = make ~below:above () in
    ([ under c (body seen); cancel seen c ], [ c ], [ above ])

  let joins =
    scene @@ fun seen ->
    let c = make () in
    before (under c (sleep seen));
    ([ under c (compute seen); cancel seen c ], [ c ], [])

  let ends_beside_another =
    scene @@ fun seen ->
    let c = make () in
    ( [ under c (compute seen); under c (compute seen); cancel seen c ],
      [ c ],
      [] )

  let twice =
    scene @@ fun seen ->
    let c = make () in
    before (under c (sleep seen));
    ([ cancel seen c; cancel seen c ], [ c ], [])

  let twice_as_one_starts =
    scene @@ fun seen ->
    let c = make () in
    ([ under c (compute seen); cancel seen c; cancel seen c ], [ c ], [])

  (* A child is made while its parent is cancelled. *)
  let makes =
    scene @@ fun seen ->
    let p = make () in
    let grow () =
      let c = C.make () in
      C.wrap c (compute seen) ()
    in
    ([ under p grow; cancel seen p ], [ p ], [])

  (* The fiber that made the child is over. *)
  let child body =
    scene @@ fun seen ->
    let above = Cancel.root () in
    let p = make ~below:above () in
    let c = make_below p in
    ([ under c (body seen); cancel seen p ], [ c; p ], [ above ])

  let busy_child =
    scene @@ fun seen ->
    let p = make () in
    let c = make_below p in
    before (under c (sleep seen));
    ([ under c (compute seen); cancel seen p ], [ c; p ], [])

  (* Two fibers use the cancelable first at the same time. *)
  let first_users =
    scene @@ fun seen ->
    let p = make () in
    let c = make_below p in
    ( [ under c (compute seen); under c (compute seen); cancel seen p ],
      [ c; p ],
      [] )

  let child_of_twice =
    scene @@ fun seen ->
    let p = make () in
    let c = make_below p in
    ([ under c (compute seen); cancel seen p; cancel seen p ], [ c; p ], [])

  let child_and_parent =
    scene @@ fun seen ->
    let p = make () in
    let c = make_below p in
    before (under c (sleep seen));
    ([ cancel seen c; cancel seen p ], [ c; p ], [])

  (* The scope of the cancelable's maker is cancelled, by a cancellation that
     does not wait. *)
  let maker =
    scene @@ fun seen ->
    let scope = Cancel.root () in
    let c = make ~below:scope () in
    ([ under c (sleep seen); fiber (fun () -> Cancel.cancel scope) ], [ c ], [])

  let all =
    [
      Explore.passes "one starts" (starts compute);
      Explore.passes "one starts, and waits" (starts sleep);
      Explore.passes "one starts beside another" joins;
      Explore.passes ~random:3000 "two start" ends_beside_another;
      Explore.passes "cancelled twice" twice;
      Explore.passes "twice, as one starts" twice_as_one_starts;
      Explore.passes "a child is made" makes;
      Explore.passes "a child that outlives its maker" (child compute);
      Explore.passes "the same, and it waits" (child sleep);
      Explore.passes "a child in use" busy_child;
      Explore.passes ~random:3000 "first users of a child" first_users;
      Explore.passes "the parent is cancelled twice" child_of_twice;
      Explore.passes "child and parent are cancelled" child_and_parent;
      Explore.passes "its maker is cancelled" maker;
    ]
end

open Cancel_traced
module Good = Cancelables (Cancelable)

(* {1 Seeded faults} *)

module Unseen = Cancelables (Cancelable_unseen)
module Apart = Cancelables (Cancelable_apart)
module Early = Cancelables (Cancelable_early)
module Overwriting = Cancelables (Cancelable_overwriting)
module Impatient = Cancelables (Cancelable_impatient)
module Orphaned = Cancelables (Cancelable_orphaned)
module Unrelated = Cancelables (Cancelable_unrelated)
module Linked = Cancelables (Cancelable_linked)
module Careless = Cancelables (Cancelable_careless)
module Staying = Cancelables (Cancelable_staying)

let bugs =
  [
    Explore.catches "does not look again" (Unseen.starts Unseen.compute);
    Explore.catches "the scope is not told" (Apart.starts Apart.sleep);
    Explore.catches "not all have left" Early.joins;
    Explore.catches ~random:3000 "an arrival is overlooked"
      Overwriting.ends_beside_another;
    Explore.catches "cancel looks first" (Impatient.starts Impatient.compute);
    Explore.catches "a child beside its parent" (Orphaned.child Orphaned.sleep);
    Explore.catches "the maker is forgotten" Unrelated.maker;
    Explore.catches "linked too early" Linked.child_of_twice;
    Explore.catches ~random:3000 "the second is counted above"
      Careless.first_users;
    Explore.catches "links stay" (Staying.starts Staying.compute);
  ]

let () =
  Alcotest.run "Cancelable: model"
    [ ("cancel", Good.all); ("seeded bugs", bugs) ]
