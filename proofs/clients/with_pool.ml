(* Creates a pool with the FIFO hub, runs one task, and closes the pool. *)

module Pool = Dromos_kernel.Pool
module Fifo = Dromos_hub.Fifo

let run workers task =
  let idle = Atomic.make 0 in
  let pool = Pool.create ~hub:Fifo.maker.make ~idle ~on_idle:ignore ~workers in
  Pool.start pool;
  let result = Pool.run pool task in
  ignore (Pool.close pool);
  match result with None -> assert false | Some value -> value
