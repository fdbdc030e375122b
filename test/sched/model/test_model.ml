(* Model checking of the queues between schedulers: no fiber is lost or doubled,
   and at rest no instance waits beside a fiber it could take. *)

open Dromos_model
open Queues_shim.Shim

let ensure text ok = if not ok then failwith text

module type Queue = sig
  type t

  val vprocs : int -> Vproc.t list
  val create : ?places:int -> unit -> t
  val add : t -> Core.fiber -> unit

  val take : t -> Core.fiber option
  (** [None] if the caller was cancelled. *)

  val leave : t -> unit
  val room : t -> bool
  val close : t -> unit
  val held : t -> Core.fiber list
end

let fiber ?only_on ?(rank = 0) id = { Core.id; rank; only_on }
let many = max_int

let may_run (v : Vproc.t) (k : Core.fiber) =
  match k.only_on with None -> true | Some id -> id = v.id

module Queues (Q : Queue) = struct
  (* A scenario gives the threads, the fibers they add, and further properties
     at the end. *)
  let checked ?places n make =
    scenario @@ fun () ->
    let q = Q.create ?places () and taken = ref [] in
    (* Takes [n] fibers, and is busy from then on. *)
    let rec work n () =
      if n > 0 then
        match Q.take q with
        | Some k ->
            taken := k :: !taken;
            work (n - 1) ()
        | None -> ()
    in
    let instance ?slot v n = start ?slot v (work n) in
    let threads, added, holds = make q instance (Q.vprocs n) in
    ( threads,
      fun () ->
        let held = Q.held q in
        let ids = List.map (fun (k : Core.fiber) -> k.id) in
        let found = ids (!taken @ !Core.released @ held) in
        ensure "lost or doubled"
          (List.sort compare found = List.sort compare (ids added));
        List.iter
          (fun v ->
            if Q.room q && List.exists (may_run v) held then
              failwith (Printf.sprintf "vproc %d waits beside its fiber" v.id))
          !waiting;
        holds () )

  let scene ?places n make =
    checked ?places n @@ fun q instance vs ->
    let threads, added = make q instance vs in
    (threads, added, ignore)

  let a = fiber 1
  let b = fiber 2
  let first = List.hd

  let add_both q () =
    Q.add q a;
    Q.add q b

  (* Fibers come while an instance begins to wait. *)
  let meets =
    scene 1 @@ fun q instance vs ->
    ([ instance (first vs) many; add_both q ], [ a; b ])

  let meets_two =
    scene 1 @@ fun q instance vs ->
    ( [ instance (first vs) 1; (fun () -> Q.add q a); (fun () -> Q.add q b) ],
      [ a; b ] )

  let two_meet =
    scene 2 @@ fun q instance vs ->
    (add_both q :: List.map (fun v -> instance v 1) vs, [ a; b ])

  let both_wait takes =
    scene 2 @@ fun q instance vs ->
    List.iter (fun v -> thread (instance v takes) ()) vs;
    ([ (fun () -> Q.add q a); (fun () -> Q.add q b) ], [ a; b ])

  let compete takes =
    scene 2 @@ fun q instance vs ->
    Q.add q a;
    ((fun () -> Q.add q b) :: List.map (fun v -> instance v takes) vs, [ a; b ])

  (* Two instances wait, a third is under way; one fiber is for the first
     only. *)
  let pinned takes =
    scene 3 @@ fun q instance vs ->
    let wait n = thread (instance (List.nth vs n) takes) () in
    wait 0;
    wait 1;
    let pinned = fiber ~only_on:0 3 in
    ( [
        instance (List.nth vs 2) takes;
        (fun () ->
          Q.add q a;
          Q.add q pinned);
      ],
      [ a; pinned ] )

  (* An instance woken for a common fiber takes a fiber that no other instance
     can run. *)
  let urgent =
    scene 2 @@ fun q instance vs ->
    List.iter (fun v -> thread (instance v 1) ()) vs;
    let pinned = fiber ~only_on:1 ~rank:(-1) 3 in
    ([ (fun () -> Q.add q a); (fun () -> Q.add q pinned) ], [ a; pinned ])

  (* The only place is taken. *)
  let bounded =
    scene ~places:1 2 @@ fun q instance vs ->
    Q.add q b;
    thread (instance (first vs) 1) ();
    ( [
        instance (List.nth vs 1) many;
        (fun () -> Q.add q a);
        (fun () -> Q.leave q);
      ],
      [ a; b ] )

  (* The last to wait is the first to be woken. *)
  let cancelled =
    scene 2 @@ fun q instance vs ->
    thread (instance (first vs) many) ();
    let slot = slot () in
    thread (instance ~slot (List.nth vs 1) many) ();
    ([ (fun () -> Q.add q a); (fun () -> ignore (cancel slot)) ], [ a ])

  let closing =
    scene 1 @@ fun q _ _ ->
    ( [ (fun () -> Q.add q a); (fun () -> Q.add q b); (fun () -> Q.close q) ],
      [ a; b ] )

  let all =
    [
      Explore.passes "fibers come as one goes to wait" meets;
      Explore.passes "the same, for one of them, from two" meets_two;
      Explore.passes ~random:3000 "two fibers come as two go to wait" two_meet;
      Explore.passes "two wait, for one each" (both_wait 1);
      Explore.passes ~random:1000 "two wait" (both_wait many);
      Explore.passes ~random:1000 "two look for more than there is"
        (compete many);
      Explore.passes "two look for one each" (compete 1);
      Explore.passes "a waiting fiber is cancelled" cancelled;
    ]

  let with_end = [ Explore.passes "closing" closing ]

  let with_pinned =
    [
      Explore.passes ~random:1000 "pinned and free fibers" (pinned many);
      Explore.passes "pinned and free fibers, one each" (pinned 1);
    ]
end

module type Ranked = sig
  include Queue

  val set_rank : t -> Core.fiber -> rank:int -> bool
  val rank : t -> Core.fiber -> int option
  val reranked : t -> int
end

(* Ranks change while threads add, take and close. *)
module Ranks (Q : Ranked) = struct
  include Queues (Q)

  let low = fiber ~rank:5 4

  (* The queue keeps no data about a fiber that has left. *)
  let scene ?places n make =
    checked ?places n @@ fun q instance vs ->
    let threads, added, holds = make q instance vs in
    ( threads,
      added,
      fun () ->
        holds ();
        ensure "a rank of a fiber that has left"
          (Q.reranked q <= List.length (Q.held q)) )

  let both_in q =
    Q.add q a;
    Q.add q low

  (* The rank of a fiber changes while an instance takes fibers: if the fiber
     stays in the queue, it has the new rank. *)
  let taking takes =
    scene 1 @@ fun q instance vs ->
    both_in q;
    let told = ref false in
    ( [
        instance (first vs) takes;
        (fun () -> told := Q.set_rank q low ~rank:(-1));
      ],
      [ a; low ],
      fun () ->
        match Q.rank q low with
        | Some rank -> ensure "its rank" (!told && rank = -1)
        | None -> () )

  let taking_two =
    scene 2 @@ fun q instance vs ->
    both_in q;
    ( (fun () -> ignore (Q.set_rank q low ~rank:(-1)))
      :: List.map (fun v -> instance v 1) vs,
      [ a; low ],
      ignore )

  let adding =
    scene 1 @@ fun q _ _ ->
    let told = ref false in
    ( [
        (fun () -> Q.add q low);
        (fun () -> told := Q.set_rank q low ~rank:1);
        (fun () -> Q.add q a);
      ],
      [ a; low ],
      fun () -> ensure "its rank" (Q.rank q low = Some (if !told then 1 else 5))
    )

  (* Two changes in turn both count. *)
  let twice =
    scene 1 @@ fun q _ _ ->
    both_in q;
    let told = ref 0 in
    let change rank () = if Q.set_rank q low ~rank then incr told in
    ( [ change 1; change 2; (fun () -> Q.add q b) ],
      [ a; low; b ],
      fun () ->
        ensure "told" (!told = 2);
        ensure "its rank" (List.mem (Q.rank q low) [ Some 1; Some 2 ]) )

  (* The fiber is taken and comes again. *)
  let returning =
    scene 1 @@ fun q _ vs ->
    Q.add q low;
    let again () = Option.iter (Q.add q) (Q.take q) in
    let told = ref false in
    ( [ start (first vs) again; (fun () -> told := Q.set_rank q low ~rank:1) ],
      [ low ],
      fun () ->
        match Q.rank q low with
        | Some 1 -> ensure "told" !told
        | Some 5 -> ()
        | _ -> failwith "its rank" )

  let closing_ranks =
    scene 1 @@ fun q _ _ ->
    both_in q;
    ( [
        (fun () -> ignore (Q.set_rank q low ~rank:(-1)));
        (fun () -> Q.close q);
        (fun () -> ignore (Q.set_rank q low ~rank:1));
      ],
      [ a; low ],
      fun () -> ensure "empty" (Q.held q = []) )

  (* A fiber that only the second instance may run is moved before the fiber for
     which the first was woken. *)
  let waking =
    scene 2 @@ fun q instance vs ->
    List.iter (fun v -> thread (instance v 1) ()) vs;
    let pinned = fiber ~only_on:1 ~rank:7 5 in
    ( [
        (fun () ->
          Q.add q a;
          Q.add q pinned);
        (fun () -> ignore (Q.set_rank q pinned ~rank:(-1)));
      ],
      [ a; pinned ],
      ignore )

  let ranks =
    [
      Explore.passes "a rank changes as one takes" (taking 1);
      Explore.passes "the same, in a loop" (taking many);
      Explore.passes "as two take" taking_two;
      Explore.passes "as it comes" adding;
      Explore.passes "two change it" twice;
      Explore.passes "as it comes again" returning;
      Explore.passes "as the queue closes" closing_ranks;
      Explore.passes "a rank of a pinned fiber, as two are woken" waking;
    ]
end

open Queues_traced
module Good_ready = Queues (Ready)
module Good_shared = Ranks (Shared)
module Good_gang = Queues (Gang)
module Good_beside = Queues (Beside)

(* {1 Seeded faults} *)

module R_blind = Queues (Ready_blind)
module R_greedy = Queues (Ready_greedy)
module R_lonely = Queues (Ready_lonely)
module R_two_steps = Queues (Ready_two_steps)
module S_blind = Queues (Shared_blind)
module S_doubled = Queues (Shared_doubled)
module S_elsewhere = Queues (Shared_elsewhere)
module S_trusting = Queues (Shared_trusting)
module S_mute = Queues (Shared_mute)
module S_selfish = Queues (Shared_selfish)
module S_late = Queues (Shared_late)
module S_hasty = Ranks (Shared_hasty)
module S_stale = Ranks (Shared_stale)
module S_forgetful = Ranks (Shared_forgetful)
module S_any = Ranks (Shared_any)
module S_two_steps = Queues (Shared_two_steps)
module G_blind = Queues (Gang_blind)
module G_doubled = Queues (Gang_doubled)
module G_elsewhere = Queues (Gang_elsewhere)
module G_trusting = Queues (Gang_trusting)
module G_later = Queues (Gang_later)
module G_two_steps = Queues (Gang_two_steps)
module B_blind = Queues (Beside_blind)
module B_early = Queues (Beside_early)
module B_staying = Queues (Beside_staying)
module B_overwriting = Queues (Beside_overwriting)
module B_doubled = Queues (Beside_doubled)
module B_trusting = Queues (Beside_trusting)

let bugs =
  [
    Explore.catches "waits blindly, ready" R_blind.meets;
    Explore.catches "fetches blindly, ready" R_greedy.meets;
    Explore.catches "one is woken, ready" (R_lonely.both_wait 1);
    Explore.catches "a cancelled waiter, ready" R_lonely.cancelled;
    Explore.catches "closing in two steps, ready" R_two_steps.closing;
    Explore.catches "waits blindly, shared" S_blind.meets;
    Explore.catches "taken twice, shared" (S_doubled.compete many);
    Explore.catches "another waiter is woken, shared" (S_elsewhere.pinned 1);
    Explore.catches "the same, in a loop, shared" (S_elsewhere.pinned many);
    Explore.catches "a cancelled waiter, shared" S_trusting.cancelled;
    Explore.catches "a place, shared" S_mute.bounded;
    Explore.catches "an urgent fiber, shared" S_selfish.urgent;
    Explore.catches "closed meanwhile, shared" S_late.closing;
    Explore.catches "closing in two steps, shared" S_two_steps.closing;
    Explore.catches "a rank in two steps, shared" (S_hasty.taking 1);
    Explore.catches "the same, as it closes, shared" S_hasty.closing_ranks;
    Explore.catches "the rank it came with, shared" S_stale.twice;
    Explore.catches "a rank is kept, shared" (S_forgetful.taking many);
    Explore.catches "the place it had, shared" S_any.returning;
    Explore.catches "waits blindly, gang" G_blind.meets;
    Explore.catches "taken twice, gang" (G_doubled.compete many);
    Explore.catches "another waiter is woken, gang" (G_elsewhere.pinned many);
    Explore.catches "a cancelled waiter, gang" G_trusting.cancelled;
    Explore.catches "a pinned item, gang" G_later.urgent;
    Explore.catches "closing in two steps, gang" G_two_steps.closing;
    Explore.catches "waits blindly, beside" B_blind.meets;
    Explore.catches "looks too early, beside" B_early.meets;
    Explore.catches "stays in sight, beside" B_staying.two_meet;
    Explore.catches "overlooked, beside" B_overwriting.two_meet;
    Explore.catches "woken twice, beside" (B_doubled.both_wait 1);
    Explore.catches "a cancelled waiter, beside" B_trusting.cancelled;
  ]

let () =
  Alcotest.run "queues between schedulers: model"
    [
      ("ready", Good_ready.all @ Good_ready.with_end);
      ( "shared",
        Good_shared.all @ Good_shared.with_end @ Good_shared.with_pinned
        @ Good_shared.ranks
        @ [
            Explore.passes "a place" Good_shared.bounded;
            Explore.passes "an urgent fiber comes first" Good_shared.urgent;
          ] );
      ( "gang",
        Good_gang.all @ Good_gang.with_end @ Good_gang.with_pinned
        @ [ Explore.passes "one that is pinned comes first" Good_gang.urgent ]
      );
      ("beside other queues", Good_beside.all);
      ("seeded bugs", bugs);
    ]
