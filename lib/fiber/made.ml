type ('a, 'result, 'about, 'task) t = {
  state : ('a, 'result) state Atomic.t;
  about : 'about;
  mutable task : 'task;
}

and ('a, 'result) state =
  | Fresh of { code : unit -> 'a; result : 'result }
  | Here
  | Gone

type ('about, 'task) any =
  | Any : ('a, 'result, 'about, 'task) t -> ('about, 'task) any
[@@unboxed]

type ('about, 'task) own = {
  none : ('about, 'task) any;
  retract : 'task -> bool;
  push : 'task -> unit;
  mutable places : ('about, 'task) any array;
  mutable size : int;
  mutable most : int;
  mutable last : 'about;
}

let claim made =
  match Atomic.get made.state with
  | Fresh _ as fresh when Atomic.compare_and_set made.state fresh Here -> fresh
  | Fresh _ | Here | Gone -> Here

let take made = Atomic.exchange made.state Gone
let task (Any made) = made.task

(* So seldom that each push pays for a tenth of one that is done again. *)
let least = 10_000
let times = 10

let own ~none ~retract ~push =
  let (Any { about; _ }) = none in
  { none; retract; push; places = [||]; size = 0; most = least; last = about }

let forget own =
  let (Any { about; _ }) = own.none in
  own.places <- [||];
  own.size <- 0;
  own.most <- least;
  own.last <- about

let reach = 4096
let same_place own place = Int.abs (own.size - place) < reach / 4
let is_far own place = place < own.size - reach
let newest own = own.places.(own.size - 1)

let drop own =
  own.size <- own.size - 1;
  own.places.(own.size) <- own.none

(* A claimed task that cannot be taken back has been stolen, or has something of
   another kind on top. *)
let rec trim own =
  if own.size = 0 then own.most <- least
  else
    let (Any made) = newest own in
    match Atomic.get made.state with
    | Fresh _ -> ()
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
  own.places.(own.size) <- made;
  own.size <- own.size + 1;
  own.push (task made)

(* Adds what has not begun to [live], the oldest in front. Between the look at the
   state and [add] a fiber may claim the task: then it is put back claimed. *)
let rec take_back own live =
  if own.size = 0 then live
  else
    let (Any made as any) = newest own in
    match Atomic.get made.state with
    | Gone ->
        drop own;
        take_back own live
    | Fresh _ when own.retract made.task ->
        drop own;
        take_back own (any :: live)
    | Here when own.retract made.task ->
        drop own;
        take_back own live
    | Fresh _ | Here -> live

let again own =
  let live = take_back own [] in
  List.iter (add own) live;
  own.most <- (times * own.size) + least

let push own made =
  if own.size > 0 then trim own;
  if own.size >= own.most then again own;
  add own made
