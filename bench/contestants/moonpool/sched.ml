open Moonpool

type config = workers:int -> Runner.t

let variants =
  [
    ( "moonpool-ws",
      "Ws_pool, Fut.spawn/await, Forkjoin.for_",
      fun ~workers -> Ws_pool.create ~num_threads:workers () );
    ( "moonpool-fifo",
      "Fifo_pool, Fut.spawn/await, Forkjoin.for_",
      fun ~workers -> Fifo_pool.create ~num_threads:workers () );
  ]

let parallel = true

type pool = Runner.t

(* The caller of [run] only waits, so all workers are the pool's. *)
let create config ~workers = config ~workers
let close = Runner.shutdown

type ctx = Runner.t

let run pool f = Runner.run_wait_block pool (fun () -> f pool)

type 'a promise = 'a Fut.t

let async on f = Fut.spawn ~on (fun () -> f on)
let await _ p = Fut.await p

(* Like [Moonpool_forkjoin.both], which costs several times as much. *)
let both ctx f g =
  let second = async ctx g in
  let a = f ctx in
  (a, await ctx second)

let for_ _ ~chunk lo hi body =
  let chunk_size = if chunk = 0 then None else Some chunk in
  Moonpool_forkjoin.for_ ?chunk_size (hi - lo) (fun l h ->
      for i = lo + l to lo + h do
        body i
      done)

let map_chain =
  Some
    (fun pool n ->
      run pool (fun _ ->
          let first, resolve = Fut.make () in
          let last = ref first in
          for _ = 1 to n do
            last := Fut.map ~f:succ !last
          done;
          Fut.fulfill resolve (Ok 0);
          Fut.await !last))
