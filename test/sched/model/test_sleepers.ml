(* Model checking of sleepers; each sleeper sleeps for a vproc. Which sleeper is
   woken for an item with few able takers, and which is preferred? An item names
   the vproc able to take it; after an item, an instance is busy. *)

open Dromos_model
open Queues_shim.Shim
open Queues_traced
module Atomic = Dscheck.TracedAtomic

module type Sleepers = sig
  type t

  val create : unit -> t
  val sleep : ?at:Vproc.t -> t -> reason:string -> unless:(unit -> bool) -> unit
  val wake_one : t -> unit
  val wake_able : t -> able:(Vproc.t -> bool) -> unit
end

let ensure text ok = if not ok then failwith text

module Scenes (S : Sleepers) = struct
  type place = {
    items : int option list Atomic.t;
    sleepers : S.t;
    mutable woken : int list;
        (** the vproc for which [sleep] returned, each time *)
    mutable asleep : Vproc.t list;  (** the vprocs for which an instance waits *)
  }

  let place () =
    { items = Atomic.make []; sleepers = S.create (); woken = []; asleep = [] }

  let suits (v : Vproc.t) = function None -> true | Some id -> id = v.id

  let rec push p item =
    let seen = Atomic.get p.items in
    if not (Atomic.compare_and_set p.items seen (item :: seen)) then push p item

  let rec pop p v =
    let seen = Atomic.get p.items in
    match List.partition (suits v) seen with
    | [], _ -> None
    | item :: left, others ->
        if Atomic.compare_and_set p.items seen (left @ others) then Some item
        else pop p v

  let add p item () =
    push p item;
    match item with
    | None -> S.wake_one p.sleepers
    | Some id -> S.wake_able p.sleepers ~able:(fun v -> Vproc.id v = id)

  (* Passes a wake-up on, as [wake_able] demands of a woken instance. *)
  let pass_on p = function
    | Some _ -> if List.mem None (Atomic.get p.items) then S.wake_one p.sleepers
    | None -> ()

  (* An instance that works for [v], on the vproc [host] ([v] by default). A woken
     instance whose vproc is busy takes no item, and ends here. *)
  let instance ?slot ?host ?(passes = true) p (v : Vproc.t) =
    let unless () = List.exists (suits v) (Atomic.get p.items) in
    let rec work ~slept =
      match pop p v with
      | Some item -> if slept && passes then pass_on p item
      | None -> (
          p.asleep <- v :: p.asleep;
          match S.sleep ~at:v p.sleepers ~reason:"" ~unless with
          | () ->
              p.asleep <- without v p.asleep;
              p.woken <- v.id :: p.woken;
              if v.idle then work ~slept:true
          | exception Cancel.Cancelled -> p.asleep <- without v p.asleep)
    in
    start ?slot (Option.value host ~default:v) (fun () -> work ~slept:false)

  (* At rest, no instance with an otherwise idle vproc sleeps beside an item it
     may take. *)
  let at_rest p =
    let left = Atomic.get p.items in
    List.iter
      (fun (v : Vproc.t) ->
        if v.idle && List.exists (suits v) left then
          failwith (Printf.sprintf "%d sleeps beside its work" v.id))
      p.asleep

  let scene make =
    scenario @@ fun () ->
    let p = place () in
    let threads, check = make p in
    ( threads,
      fun () ->
        at_rest p;
        check () )

  let times p id = List.length (List.filter (Int.equal id) p.woken)
  let sleeps p vs = List.iter (fun v -> thread (instance p v) ()) vs
  let all_taken p () = ensure "something is left" (Atomic.get p.items = [])
  let three () = (Vproc.make 0, Vproc.make 1, Vproc.make 2)

  (* {1 Items that only some may take} *)

  (* The instances that came later may not take the item. *)
  let only_the_able =
    scene @@ fun p ->
    let a, b, c = three () in
    sleeps p [ a; b ];
    ( [ add p (Some 0); instance p c ],
      fun () ->
        all_taken p ();
        ensure "woken once" (times p 0 = 1);
        ensure "the others sleep on" (times p 1 + times p 2 = 0) )

  let each_its_own =
    scene @@ fun p ->
    let a, b, c = three () in
    sleeps p [ a; b; c ];
    ( [ add p (Some 0); add p (Some 1) ],
      fun () ->
        all_taken p ();
        ensure "woken once" (times p 0 = 1 && times p 1 = 1);
        ensure "the third sleeps on" (times p 2 = 0) )

  (* The item comes while the instance goes to sleep. *)
  let meets =
    scene @@ fun p ->
    let a, b, _ = three () in
    sleeps p [ b ];
    ( [ add p (Some 0); instance p a ],
      fun () ->
        all_taken p ();
        ensure "the other sleeps on" (times p 1 = 0) )

  let both_meet =
    scene @@ fun p ->
    let a, b, _ = three () in
    ([ add p (Some 0); add p (Some 1); instance p a; instance p b ], all_taken p)

  (* Both may take the first item, and only the first instance may take the
     second. *)
  let one_for_all =
    scene @@ fun p ->
    let a, b, _ = three () in
    sleeps p [ a; b ];
    ( [ add p None; add p (Some 0) ],
      fun () ->
        ensure "woken twice" (times p 0 <= 1 && times p 1 <= 1);
        ensure "no sleeper was woken for it" (times p 0 = 1) )

  (* An instance woken for an item for all finds an item that only it may
     take. *)
  let finds_another ~passes =
    scene @@ fun p ->
    let a, b, _ = three () in
    sleeps p [ b ];
    thread (instance ~passes p a) ();
    ( [ add p None; add p (Some 0) ],
      fun () -> ensure "is left" (not (List.mem None (Atomic.get p.items))) )

  let two_for_one =
    scene @@ fun p ->
    let a, b, _ = three () in
    sleeps p [ b; a ];
    ( [ add p (Some 0); add p (Some 0) ],
      fun () -> ensure "once" (times p 0 = 1 && times p 1 = 0) )

  (* The first instance is cancelled; the instance that may not take the item is
     not woken instead. *)
  let cancelled =
    scene @@ fun p ->
    let a, b, _ = three () and slot = slot () in
    thread (instance ~slot p a) ();
    sleeps p [ b ];
    ( [ add p (Some 0); (fun () -> ignore (cancel slot : bool)) ],
      fun () -> ensure "the other sleeps on" (times p 1 = 0) )

  let replaced =
    scene @@ fun p ->
    let a, b, c = three () and slot = slot () in
    let a' = Vproc.make 0 in
    sleeps p [ a ];
    thread (instance ~slot p a') ();
    sleeps p [ b; c ];
    ( [ add p (Some 0); (fun () -> ignore (cancel slot : bool)) ],
      fun () ->
        all_taken p ();
        ensure "the others sleep on" (times p 1 + times p 2 = 0) )

  (* {1 A vproc other than the host} *)

  let away =
    scene @@ fun p ->
    let a, b, _ = three () in
    let crossed v host = thread (instance ~host p v) () in
    crossed a b;
    crossed b a;
    ( [ add p (Some 0) ],
      fun () ->
        all_taken p ();
        ensure "woken once" (times p 0 = 1 && times p 1 = 0) )

  let away_meets =
    scene @@ fun p ->
    let a, b, _ = three () in
    ([ instance ~host:b p a; instance ~host:a p b; add p (Some 0) ], all_taken p)

  (* {1 Preference} *)

  let busy id = Vproc.make ~idle:false id

  (* The busy instance that came last is woken, and so is an idle instance. *)
  let one_idle =
    scene @@ fun p ->
    let a, b, _ = three () and c = busy 2 in
    sleeps p [ a; b; c ];
    ( [ add p None ],
      fun () ->
        all_taken p ();
        ensure "one that is idle" (times p 0 + times p 1 = 1);
        ensure "and the busy one" (times p 2 = 1) )

  let idle_meets =
    scene @@ fun p ->
    let a, b, _ = three () and c = busy 2 in
    sleeps p [ a; c ];
    ( [ add p None; add p None; instance p b ],
      fun () ->
        all_taken p ();
        ensure "the busy one" (times p 2 = 1) )

  (* The preferred instance is cancelled. Another idle instance is woken too. *)
  let another_idle =
    scene @@ fun p ->
    let a, b, _ = three () and c = busy 2 and slot = slot () in
    sleeps p [ a; c ];
    thread (instance ~slot p b) ();
    ( [ add p None; (fun () -> ignore (cancel slot : bool)) ],
      fun () -> ensure "the busy one" (times p 2 = 1) )

  let both_busy =
    scene @@ fun p ->
    sleeps p [ busy 0; busy 1 ];
    ( [ add p None; add p None ],
      fun () -> ensure "each once" (times p 0 = 1 && times p 1 = 1) )

  let all =
    [
      Explore.passes "one may take it" only_the_able;
      Explore.passes "each its own" each_its_own;
      Explore.passes "one may take it, and goes to sleep" meets;
      Explore.passes ~random:3000 "each its own, going to sleep" both_meet;
      Explore.passes "one for all, and one for one" one_for_all;
      Explore.passes "woken for one, and takes another"
        (finds_another ~passes:true);
      Explore.passes "two for the same" two_for_one;
      Explore.passes "the only able sleeper is cancelled" cancelled;
      Explore.passes "one of two able sleepers is cancelled" replaced;
      Explore.passes "for another than the host" away;
      Explore.passes "the same, going to sleep" away_meets;
      Explore.passes "one that is idle" one_idle;
      Explore.passes "idle ones, one going to sleep" idle_meets;
      Explore.passes "one of two that are idle is cancelled" another_idle;
      Explore.passes "only busy ones" both_busy;
    ]
end

module Good = Scenes (Sleepers)

(* {1 Seeded faults} *)

module Blind = Scenes (Sleepers_blind)
module Overwriting = Scenes (Sleepers_overwriting)
module Doubled = Scenes (Sleepers_doubled)
module Trusting = Scenes (Sleepers_trusting)
module Anybody = Scenes (Sleepers_anybody)
module Forgetful = Scenes (Sleepers_forgetful)
module Dropping = Scenes (Sleepers_dropping)
module Resigned = Scenes (Sleepers_resigned)
module Home = Scenes (Sleepers_home)
module Careless = Scenes (Sleepers_careless)
module Content = Scenes (Sleepers_content)
module Crowding = Scenes (Sleepers_crowding)

let bugs =
  [
    Explore.catches "sleeps blindly" Blind.meets;
    Explore.catches "overlooked" Overwriting.away_meets;
    Explore.catches "woken twice" Doubled.two_for_one;
    Explore.catches "a cancelled sleeper" Trusting.replaced;
    Explore.catches "any sleeper is woken" Anybody.only_the_able;
    Explore.catches "any sleeper, at the second attempt" Forgetful.each_its_own;
    Explore.catches "any sleeper, instead of the cancelled" Forgetful.cancelled;
    Explore.catches "an unable sleeper is forgotten" Dropping.each_its_own;
    Explore.catches "only one attempt" Resigned.each_its_own;
    Explore.catches "for the host" Home.away;
    Explore.catches "a wake-up is kept" (Good.finds_another ~passes:false);
    Explore.catches "a busy one is preferred" Careless.one_idle;
    Explore.catches "a busy one is enough" Content.another_idle;
    Explore.catches "all that are idle" Crowding.one_idle;
  ]

let () =
  Alcotest.run "sleepers: model"
    [ ("sleepers", Good.all); ("seeded bugs", bugs) ]
