open Dromos_fiber

type t = {
  whose : Fiber.t;
      (** the fiber that owns the cell. A racing reader may find the maker's
          cell, or a cell that the fiber has replaced since, as if the reader
          had come earlier. *)
  value : int Atomic.t;
  mutable under : Shared_queue.t option;
      (** the last queue; written by the holder of the fiber's handle *)
}

type key = t Fls.key

let new_key : unit -> key = Fls.new_key
let get t = Atomic.get t.value
let set t v = Atomic.set t.value v
let is_of fiber t = t.whose == fiber

let is_under t queue =
  match t.under with None -> false | Some other -> other == queue

let find key = Option.map get (Fls.find_opt key)
let cell whose under v = { whose; under; value = Atomic.make v }

let here key =
  let fiber = Fiber.current () in
  match Fls.find_opt key with
  | Some t when is_of fiber t -> Some t
  | Some _ | None -> None

let write key v =
  let under = Option.bind (here key) (fun t -> t.under) in
  Fls.set key (cell (Fiber.current ()) under v)

let give key (k : Core.fiber) v = Fls.set_in k key (cell k.of_fiber None v)

let own key (k : Core.fiber) ~under ~default =
  match Fls.find_opt_in k key with
  | Some t when is_of k.of_fiber t ->
      if not (is_under t under) then t.under <- Some under;
      t
  | inherited ->
      let v = Option.fold inherited ~none:default ~some:get in
      let t = cell k.of_fiber (Some under) v in
      Fls.set_in k key t;
      t

let of_fiber ~call key (k : Core.fiber) =
  match Fls.find_opt_in k key with
  | Some t when is_of k.of_fiber t -> t
  | Some _ | None ->
      invalid_arg
        (Printf.sprintf "Sched.%s: %s was given to no such scheduler" call
           (Core.describe k.of_fiber))
