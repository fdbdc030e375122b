(* Two groups of tasks for a pool: one is submitted from outside, the other is
   published by a run. Each task writes the plain field of an item of its own. No
   thread waits for a task: all tasks are done when the pool has been closed. The
   result is the sum of the fields. *)

module Fifo = Dromos_hub.Fifo
module Hub = Dromos_hub.Hub
module Pool = Dromos_kernel.Pool

type item = { mutable value : int }
type items = Nil | Cons of { item : item; rest : items }

let rec make n =
  if n = 0 then Nil
  else
    let rest = make (n - 1) in
    let item = { value = 0 } in
    Cons { item; rest }

(* Publishes a task for each item: the items get the values n, ..., 1. *)
let rec publish ctx items n =
  match items with
  | Nil -> ()
  | Cons c ->
      let item = c.item in
      Pool.async ctx (fun _ -> item.value <- n);
      publish ctx c.rest (n - 1)

let rec sum items total =
  match items with Nil -> total | Cons c -> sum c.rest (total + c.item.value)

let run workers n =
  let idle = Atomic.make 0 in
  let hub = Fifo.maker.make in
  let pool = Pool.create ~hub ~idle ~on_idle:(fun _ -> ()) ~workers in
  Pool.start pool;
  let outside = make n in
  let inside = make n in
  let task = Hub.task (fun ctx -> publish ctx outside n) in
  ignore (Pool.submit pool Hub.New task);
  ignore (Pool.run pool (fun ctx -> publish ctx inside n));
  ignore (Pool.close pool);
  let total = sum outside 0 in
  sum inside total
