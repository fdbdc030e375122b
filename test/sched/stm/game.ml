(* Homes become idle again and again, each on a domain, and a feeder delivers to
   the homes, by thieves or directly. Only the feeder visits, so the feeder
   knows the state of a resting home: the home's thief waits, and delivers if
   there is a fiber. *)

type home = {
  state : Thieves.home;
  lock : Mutex.t;
  news : Condition.t;
  mutable arrivals : int list;
  mutable rests : bool;
      (** the home has reported itself idle, and has no fiber *)
  mutable over : bool;
  mutable eaten : int list;
}

type move = Feed | Raid | Raid_in_vain

let show_move = function
  | Feed -> "Feed"
  | Raid -> "Raid"
  | Raid_in_vain -> "Raid_in_vain"

let home () =
  {
    state = Thieves.home ();
    lock = Mutex.create ();
    news = Condition.create ();
    arrivals = [];
    rests = false;
    over = false;
    eaten = [];
  }

let ensure text ok = if not ok then failwith text
let with_home h f = Mutex.protect h.lock f
let rests h = with_home h (fun () -> h.rests)
let over h = with_home h (fun () -> h.over)

let put h x =
  with_home h (fun () ->
      h.arrivals <- x :: h.arrivals;
      h.rests <- false;
      Condition.signal h.news)

let take_all h =
  with_home h (fun () ->
      while h.arrivals = [] do
        h.rests <- true;
        Condition.wait h.news h.lock
      done;
      let all = h.arrivals in
      h.arrivals <- [];
      h.eaten <- all @ h.eaten)

(* The life of a home's domain: idle [times] times. *)
let live lair h times =
  for _ = 1 to times do
    Thieves.starves lair h.state (fun () -> h);
    take_all h;
    Thieves.eats h.state
  done;
  with_home h (fun () -> h.over <- true)

(* {1 The feeder} *)

type feeder = {
  lair : home Thieves.t;
  homes : home list;
  mutable given : int list;
}

let give t h =
  let x = List.length t.given in
  t.given <- x :: t.given;
  put h x

let raid t ~loot =
  let somebody_rests = List.exists rests t.homes in
  match Thieves.let_in t.lair with
  | None -> ensure "a home rests, and has sent no thief" (not somebody_rests)
  | Some h ->
      let rested = rests h and sated = over h in
      let asked = ref false and delivered = ref false in
      let take () =
        asked := true;
        if loot then Some () else None
      and deliver () =
        delivered := true;
        give t h
      in
      Thieves.visit t.lair h.state ~take ~deliver (fun () -> h);
      ensure "a home rests, and its thief does not ask" ((not rested) || !asked);
      ensure "taken, and not delivered" (!delivered = (!asked && loot));
      ensure "a home is over, and is given" (not (sated && !delivered))

let hungry t = List.filter (fun h -> not (over h)) t.homes

let move t = function
  | Feed -> List.iter (give t) (hungry t)
  | Raid -> raid t ~loot:true
  | Raid_in_vain -> raid t ~loot:false

let rec feed_all t by =
  if hungry t <> [] then begin
    by ();
    Thread.yield ();
    feed_all t by
  end

(* At most one thief for each home; a finished home has no thief with a
   delivery. *)
let who_is_left t =
  let left = Thieves.clear t.lair in
  List.iter
    (fun h ->
      let of_home = List.filter (fun other -> other == h) left in
      ensure "two thieves of one home" (List.length of_home <= 1))
    t.homes

let play (meals, moves) =
  let homes = List.map (fun _ -> home ()) meals in
  let t = { lair = Thieves.create (); homes; given = [] } in
  let live h n = Domain.spawn (fun () -> live t.lair h n) in
  let domains = List.map2 live homes meals in
  Fun.protect
    (fun () ->
      List.iter (move t) moves;
      feed_all t (fun () -> raid t ~loot:true))
    ~finally:(fun () ->
      feed_all t (fun () -> List.iter (give t) (hungry t));
      List.iter Domain.join domains);
  who_is_left t;
  let eaten = List.concat_map (fun h -> h.arrivals @ h.eaten) homes in
  ensure "lost or doubled" (List.sort compare eaten = List.rev t.given);
  true

let test =
  let open QCheck in
  let moves = list_of_size Gen.(int_bound 60) in
  let move = make ~print:show_move (Gen.oneofl [ Feed; Raid; Raid_in_vain ]) in
  let meals = list_of_size Gen.(int_range 1 2) (int_range 1 60) in
  Test.make ~count:100 ~name:"a game on several domains"
    (pair meals (moves move))
    play
