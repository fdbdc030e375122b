(* A racing reader may find [whose] to be another fiber, or an older cell, which
   its fiber has replaced: as if it had come before that. *)
type t = { whose : Fiber.t; value : int Atomic.t }
type key = t Fls.key

let new_key : unit -> key = Fls.new_key
let get t = Atomic.get t.value
let set t v = Atomic.set t.value v
let find key = Option.map get (Fls.find key)
let cell whose v = { whose; value = Atomic.make v }
let write key v = Fls.set key (cell (Fiber.current ()) v)
let give key (k : Core.fiber) v = Fls.set_in k key (cell k.of_fiber v)

let own key (k : Core.fiber) ~default =
  match Fls.find_in k key with
  | Some t when t.whose == k.of_fiber -> t
  | inherited ->
      let t = cell k.of_fiber (Option.fold inherited ~none:default ~some:get) in
      Fls.set_in k key t;
      t

let of_fiber ~call key (k : Core.fiber) =
  match Fls.find_in k key with
  | Some t when t.whose == k.of_fiber -> t
  | Some _ | None ->
      invalid_arg
        (Format.asprintf "Sched.%s: fiber %a was given to no such scheduler"
           call Core.pp k)

let rec settle queue k ~read ~rank =
  let v = read () in
  let rank_now = rank ~arrival:(Shared_queue.arrival k) v in
  ignore (Shared_queue.set_rank queue k ~rank:rank_now : bool);
  if read () <> v then settle queue k ~read ~rank

let line_up queue k ~read ~rank =
  let v = read () in
  let arrival = Shared_queue.arrivals queue in
  Shared_queue.add queue k ~rank:(rank ~arrival v);
  if read () <> v then settle queue k ~read ~rank
