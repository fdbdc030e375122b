type id = ..
type lock = { id : id; is : id -> bool; owner : unit -> Owner.t }

type watcher = {
  waits : Owner.t -> lock -> unit;
  stands : Owner.t -> lock -> unit;
  leaves : Owner.t -> lock -> unit;
  frees : Owner.t -> lock -> unit;
  taken : lock -> unit;
}

type watchers = watcher list ref

(* [missed] has the events that the watchers have not been told while [Away],
   newest first. *)
type state =
  | Here of watcher list
  | Away of {
      missed : (watcher -> unit) list;
      change : watcher list -> watcher list;
    }

let state = Atomic.make (Here [])

let rec change f =
  let seen = Atomic.get state in
  let next =
    match seen with
    | Here watchers -> Here (f watchers)
    | Away away -> Away { away with change = (fun w -> f (away.change w)) }
  in
  if not (Atomic.compare_and_set state seen next) then change f

let watch w =
  change (List.cons w);
  fun () -> change (List.filter (fun other -> other != w))

(* Events that come while [missed] is told are told in the next round. [told] is
   the list of the events already told. *)
let rec put_back watchers told =
  let seen = Atomic.get state in
  match seen with
  | Here _ -> ()
  | Away { missed; change } ->
      let rec tell = function
        | rest when rest == told -> ()
        | event :: rest ->
            tell rest;
            List.iter event watchers
        | [] -> ()
      in
      tell missed;
      if not (Atomic.compare_and_set state seen (Here (change watchers))) then
        put_back watchers missed

let let_go ~take ~back =
  let seen = Atomic.get state in
  let away = Away { missed = []; change = Fun.id } in
  match seen with
  | Here (_ :: _ as watchers) when Atomic.compare_and_set state seen away ->
      let gone = take (ref watchers) in
      fun () -> put_back !(back gone) []
  | Here _ | Away _ -> ignore

let told watchers self lock wait =
  List.iter (fun w -> w.waits self lock) watchers;
  match wait () with
  | v ->
      List.iter (fun w -> w.leaves self lock) watchers;
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      List.iter (fun w -> w.leaves self lock) watchers;
      Printexc.raise_with_backtrace e bt

let waiting self lock_of t wait =
  match Atomic.get state with
  | Here [] | Away _ -> wait ()
  | Here _ when self = Owner.nobody -> wait ()
  | Here watchers -> told watchers self (lock_of t) wait

let rec tell event lock_of t =
  match Atomic.get state with
  | Here [] -> ()
  | Here watchers ->
      let lock = lock_of t in
      List.iter (fun w -> event w lock) watchers
  | Away away as seen ->
      let lock = lock_of t in
      let missed = (fun w -> event w lock) :: away.missed in
      if not (Atomic.compare_and_set state seen (Away { away with missed }))
      then tell event lock_of t

let frees self lock_of t = tell (fun w lock -> w.frees self lock) lock_of t
let taken lock_of t = tell (fun w lock -> w.taken lock) lock_of t

let standing id lock_of t (source : _ Waiter.source) =
  match Atomic.get state with
  | Here [] | Away _ -> source
  | Here watchers ->
      let lock = lock_of t in
      let tell () = List.iter (fun w -> w.stands id lock) watchers in
      let attempt ~self cell =
        let result = source.attempt ~self cell in
        (match result with
        | Waiter.Enlisted -> tell ()
        | Done _ | Nothing -> ());
        result
      and enlist cell =
        let leave = source.enlist cell in
        tell ();
        leave
      in
      { source with attempt; enlist }
