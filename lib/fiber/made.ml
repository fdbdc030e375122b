type ('about, 'task) t = ('about, 'task) state Atomic.t

and ('about, 'task) state =
  | Fresh : {
      code : unit -> 'a;
      result : 'a Dromos_sync.Promise.t;
      about : 'about;
      mutable task : 'task; [@owner Spawn]
    }
      -> ('about, 'task) state
  | Here of { task : 'task }
  | Gone

type ('about, 'task) own = {
  none : ('about, 'task) t;
  retract : 'task -> bool;
  push : 'task -> unit;
  mutable places : ('about, 'task) t array;
  mutable size : int;
  mutable most : int;
  mutable last : 'about option;
}

let claim made =
  match Atomic.get made with
  | Fresh { task; _ } as fresh
    when Atomic.compare_and_set made fresh (Here { task }) ->
      fresh
  | Fresh _ | Here _ | Gone -> Gone

let take made = Atomic.exchange made Gone

(* The worker counts rarely: pushing tasks again costs at most a tenth of a push
   per task. *)
let least = 10_000
let times = 10

let own ~none ~retract ~push =
  { none; retract; push; places = [||]; size = 0; most = least; last = None }

let remember own about = own.last <- Some about

let forget own =
  own.places <- [||];
  own.size <- 0;
  own.most <- least;
  own.last <- None

let reach = 4096
let same_place own place = Int.abs (own.size - place) < reach / 4
let is_far own place = place < own.size - reach
let[@inline] newest own = own.places.(own.size - 1)

let[@inline] drop own =
  own.size <- own.size - 1;
  own.places.(own.size) <- own.none

(* A claimed task that cannot be retracted was stolen, or has a task of another
   kind above it in the deque. *)
let rec trim own =
  if own.size = 0 then own.most <- least
  else
    let made = newest own in
    match Atomic.get made with
    | Fresh _ -> ()
    | Gone ->
        drop own;
        trim own
    | Here { task } ->
        ignore (own.retract task : bool);
        drop own;
        trim own

let grow own =
  let { places; size; none; _ } = own in
  let wider = Array.make (Int.max 64 (2 * size)) none in
  Array.blit places 0 wider 0 size;
  own.places <- wider

let add own made task =
  if own.size = Array.length own.places then grow own;
  own.places.(own.size) <- made;
  own.size <- own.size + 1;
  own.push task

(* Adds the tasks that have not begun to [live], the oldest in front. Between
   the test of the state and [add] a fiber may claim the task: the claimed task
   is then put back. *)
let rec take_back own live =
  if own.size = 0 then live
  else
    let made = newest own in
    match Atomic.get made with
    | Gone ->
        drop own;
        take_back own live
    | Fresh { task; _ } when own.retract task ->
        drop own;
        take_back own ((made, task) :: live)
    | Here { task } when own.retract task ->
        drop own;
        take_back own live
    | Fresh _ | Here _ -> live

let again own =
  let live = take_back own [] in
  List.iter (fun (made, task) -> add own made task) live;
  own.most <- (times * own.size) + least

let push own made task =
  if own.size > 0 then trim own;
  if own.size >= own.most then again own;
  add own made task
