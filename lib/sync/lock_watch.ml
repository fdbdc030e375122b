type id = ..
type lock = { id : id; is : id -> bool; owner : unit -> Owner.t }

type watcher = {
  waits : Owner.t -> lock -> unit;
  stands : Owner.t -> lock -> unit;
  leaves : Owner.t -> lock -> unit;
  frees : Owner.t -> lock -> unit;
  taken : lock -> unit;
}

let watchers : watcher list Atomic.t = Atomic.make []

let rec change f =
  let seen = Atomic.get watchers in
  if not (Atomic.compare_and_set watchers seen (f seen)) then change f

let watch w =
  change (List.cons w);
  fun () -> change (List.filter (fun other -> other != w))

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
  match Atomic.get watchers with
  | [] -> wait ()
  | _ when self = Owner.nobody -> wait ()
  | watchers -> told watchers self (lock_of t) wait

let tell event lock_of t =
  match Atomic.get watchers with
  | [] -> ()
  | watchers ->
      let lock = lock_of t in
      List.iter (fun w -> event w lock) watchers

let frees self lock_of t = tell (fun w lock -> w.frees self lock) lock_of t
let taken lock_of t = tell (fun w lock -> w.taken lock) lock_of t

let standing id lock_of t (source : _ Waiter.source) =
  match Atomic.get watchers with
  | [] -> source
  | watchers ->
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
