type ('code, 'about, 'task) t = {
  state : state Atomic.t;
  mutable code : 'code;
  about : 'about;
  mutable task : 'task;
  mutable place : int;
}

and state = Fresh | Here | Gone

type ('code, 'about, 'task) own = {
  none : ('code, 'about, 'task) t;
  retract : 'task -> bool;
  push : 'task -> unit;
  mutable places : ('code, 'about, 'task) t array;
  mutable size : int;
  mutable most : int;
  mutable last : 'about;
}

let claim made =
  match Atomic.get made.state with
  | Fresh -> Atomic.compare_and_set made.state Fresh Here
  | Here | Gone -> false

let take made =
  match Atomic.exchange made.state Gone with
  | Fresh -> true
  | Here | Gone -> false

(* So seldom that each push pays for a tenth of one that is done again. *)
let least = 10_000
let times = 10

let own ~none ~retract ~push =
  {
    none;
    retract;
    push;
    places = [||];
    size = 0;
    most = least;
    last = none.about;
  }

let forget own =
  own.places <- [||];
  own.size <- 0;
  own.most <- least;
  own.last <- own.none.about

let reach = 4096
let is_far own { place; _ } = place < own.size - reach
let newest own = own.places.(own.size - 1)

let drop own =
  own.size <- own.size - 1;
  own.places.(own.size) <- own.none

(* A claimed task that cannot be taken back has been stolen, or has something of
   another kind on top. *)
let rec trim own =
  if own.size = 0 then own.most <- least
  else
    let made = newest own in
    match Atomic.get made.state with
    | Fresh -> ()
    | Gone ->
        drop own;
        trim own
    | Here ->
        ignore (own.retract made.task : bool);
        drop own;
        trim own

let grow own =
  let { places; size; none; _ } = own in
  let wider = Array.make (Int.max 64 (2 * size)) none in
  Array.blit places 0 wider 0 size;
  own.places <- wider

let add own made =
  if own.size = Array.length own.places then grow own;
  made.place <- own.size;
  own.places.(own.size) <- made;
  own.size <- own.size + 1;
  own.push made.task

(* Adds what has not begun to [live], the oldest in front. Between the look at the
   state and [add] a fiber may claim the task: then it is put back claimed. *)
let rec take_back own live =
  if own.size = 0 then live
  else
    let made = newest own in
    match Atomic.get made.state with
    | Gone ->
        drop own;
        take_back own live
    | Fresh when own.retract made.task ->
        drop own;
        take_back own (made :: live)
    | Here when own.retract made.task ->
        drop own;
        take_back own live
    | Fresh | Here -> live

let again own =
  let live = take_back own [] in
  List.iter (add own) live;
  own.most <- (times * own.size) + least

let push own made =
  if own.size > 0 then trim own;
  if own.size >= own.most then again own;
  add own made
