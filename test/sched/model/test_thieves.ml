(* Model checking of load balancing's thieves: an idle home has a waiting thief,
   a busy home is known to be busy, and no moved fiber is lost. *)

open Dromos_model
open Queues_shim.Shim
open Queues_traced

module type Thieves = sig
  type 'thief t
  type home

  val create : unit -> 'thief t
  val home : unit -> home
  val starves : 'thief t -> home -> (unit -> 'thief) -> unit
  val eats : home -> unit
  val let_in : 'thief t -> 'thief option

  val visit :
    'thief t ->
    home ->
    take:(unit -> 'loot option) ->
    deliver:('loot -> unit) ->
    (unit -> 'thief) ->
    unit

  val clear : 'thief t -> 'thief list
end

module Scenes (T : Thieves) = struct
  (* A fiber is a number here. *)
  type thief = { of_home : home; steal : int list ref -> unit }

  and home = {
    vproc : Vproc.t;
    state : T.home;
    arrivals : int Ready_queue.t;
    mutable eaten : int list;
    mutable made : thief list;
  }

  let home id =
    {
      vproc = Vproc.shared id;
      state = T.home ();
      arrivals = Ready_queue.create ();
      eaten = [];
      made = [];
    }

  let take_one from () =
    match !from with
    | [] -> None
    | k :: others ->
        from := others;
        Some k

  let rec thief lair home () =
    let steal from =
      T.visit lair home.state ~take:(take_one from)
        ~deliver:(Ready_queue.add home.arrivals)
        (thief lair home)
    in
    let made = { of_home = home; steal } in
    home.made <- made :: home.made;
    made

  (* Is busy for good after [meals] deliveries. *)
  let instance lair home meals =
    let rec rest meals =
      if meals > 0 then begin
        T.starves lair home.state (thief lair home);
        let k = Ready_queue.take ~reason:"" home.arrivals in
        T.eats home.state;
        home.eaten <- k :: home.eaten;
        rest (meals - 1)
      end
    in
    start home.vproc (fun () -> rest meals)

  let visited lair from times () =
    for _ = 1 to times do
      Option.iter (fun thief -> thief.steal from) (T.let_in lair)
    done

  let give home k () = Ready_queue.add home.arrivals k

  (* {1 At the end} *)

  let ensure text ok = if not ok then failwith text

  let conserved homes vprocs all =
    let held home =
      let on_the_way = Option.to_list (Ready_queue.take_opt home.arrivals) in
      home.eaten @ on_the_way
    in
    let found = List.concat_map held homes @ List.concat_map ( ! ) vprocs in
    ensure "lost or doubled" (List.sort compare found = all)

  (* A visit that starts now moves a fiber if the thief's home waits, and only
     then. *)
  let well_served lurking home =
    let mine = List.filter (fun t -> t.of_home == home) lurking in
    let waits = List.memq home.vproc !waiting in
    ensure "two thieves of one home" (List.length mine <= 1);
    ensure "starves, and sends no thief" ((not waits) || mine <> []);
    let from = ref [ 0 ] in
    List.iter (fun thief -> thread (fun () -> thief.steal from) ()) mine;
    ensure "starves, and is not helped" ((not waits) || !from = []);
    ensure "eats, and is given more" (waits || !from <> [])

  let scene make =
    scenario @@ fun () ->
    let lair = T.create () in
    let threads, homes, vprocs, all = make lair in
    ( threads,
      fun () ->
        conserved homes vprocs all;
        let lurking = T.clear lair in
        List.iter (well_served lurking) homes )

  (* {1 Scenarios} *)

  let visits ?(fibers = [ 1; 2 ]) ~meals times =
    scene @@ fun lair ->
    let h = home 0 and from = ref fibers in
    ([ instance lair h meals; visited lair from times ], [ h ], [ from ], fibers)

  (* A fiber comes from elsewhere. *)
  let besides ~meals times =
    scene @@ fun lair ->
    let h = home 0 and from = ref [ 1 ] in
    thread (instance lair h meals) ();
    ([ give h 2; visited lair from times ], [ h ], [ from ], [ 1; 2 ])

  (* The home had a fiber all the time. *)
  let sated ?(meals = 2) ~fibers times =
    scene @@ fun lair ->
    let h = home 0 and from = ref fibers in
    give h 9 ();
    ( [ instance lair h meals; visited lair from times ],
      [ h ],
      [ from ],
      fibers @ [ 9 ] )

  let two_visited =
    scene @@ fun lair ->
    let h = home 0 and one = ref [ 1 ] and other = ref [ 2 ] in
    thread (instance lair h 3) ();
    ( [ give h 3; visited lair one 1; visited lair other 1 ],
      [ h ],
      [ one; other ],
      [ 1; 2; 3 ] )

  let two_homes =
    scene @@ fun lair ->
    let a = home 0 and b = home 1 and from = ref [ 1; 2 ] in
    ( [ instance lair a 1; instance lair b 1; visited lair from 2 ],
      [ a; b ],
      [ from ],
      [ 1; 2 ] )

  (* Two vprocs admit the thieves of two others. *)
  let crowd =
    scene @@ fun lair ->
    let a = home 0 and b = home 1 and one = ref [ 1 ] and other = ref [ 2 ] in
    List.iter (fun h -> thread (instance lair h 1) ()) [ a; b ];
    ( [ visited lair one 1; visited lair other 1 ],
      [ a; b ],
      [ one; other ],
      [ 1; 2 ] )

  (* Each instance ends once no other instance is on its vproc; the waiting
     thieves are released. *)
  let ends =
    scenario @@ fun () ->
    let lair = T.create () and let_go = ref [] in
    let h = home 0 in
    let visits = Dscheck.TracedAtomic.make 0 in
    let over () =
      let lurking = T.clear lair in
      let_go := lurking @ !let_go
    in
    let host () =
      T.starves lair h.state (thief lair h);
      over ()
    and other () =
      Option.iter
        (fun thief ->
          Dscheck.TracedAtomic.incr visits;
          thief.steal (ref []))
        (T.let_in lair);
      over ()
    in
    ( [ host; other ],
      fun () ->
        ensure "a thief lurks for ever" (T.clear lair = []);
        let gone = Dscheck.TracedAtomic.get visits + List.length !let_go in
        ensure "a thief is lost" (gone = List.length h.made) )

  let all =
    [
      Explore.passes "a visit" (visits ~meals:1 1);
      Explore.passes "two visits" (visits ~meals:2 2);
      Explore.passes "more than it can eat" (visits ~meals:1 2);
      Explore.passes "in vain" (visits ~fibers:[] ~meals:1 2);
      Explore.passes "something comes besides" (besides ~meals:1 1);
      Explore.passes "and it starves again" (besides ~meals:2 2);
      Explore.passes "and again" (besides ~meals:3 2);
      Explore.passes "it had something" (sated ~fibers:[ 1 ] 1);
      Explore.passes "it had something, and in vain" (sated ~fibers:[] 2);
      Explore.passes "the same, and it has no more"
        (sated ~meals:1 ~fibers:[] 1);
      Explore.passes ~random:3000 "two let them in" two_visited;
      Explore.passes ~random:3000 "two homes" two_homes;
      Explore.passes "two of two" crowd;
      Explore.passes "the end" ends;
    ]
end

module Good = Scenes (Thieves)

(* {1 Seeded faults} *)

module Overwriting = Scenes (Thieves_overwriting)
module Doubled = Scenes (Thieves_doubled)
module Hasty = Scenes (Thieves_hasty)
module Shy = Scenes (Thieves_shy)
module Late = Scenes (Thieves_late)
module Presumptuous = Scenes (Thieves_presumptuous)
module Many = Scenes (Thieves_many)
module Two_steps = Scenes (Thieves_two_steps)

let bugs =
  [
    Explore.catches "overlooked" Overwriting.two_homes;
    Explore.catches "let in twice" Doubled.two_visited;
    Explore.catches "looks at its home too early" (Hasty.besides ~meals:3 2);
    Explore.catches "says too late that it starves" (Shy.besides ~meals:3 2);
    Explore.catches "delivers too early" Late.two_visited;
    Explore.catches "speaks for its home"
      (Presumptuous.sated ~meals:1 ~fibers:[] 1);
    Explore.catches "more than one is sent" (Many.besides ~meals:3 1);
    Explore.catches "let go in two steps" Two_steps.ends;
  ]

let () =
  Alcotest.run "thieves: model" [ ("thieves", Good.all); ("seeded bugs", bugs) ]
