open Domainslib

type config = unit

let variants = [ ("domainslib", "Task.async/await, parallel_for", ()) ]
let parallel = true

type pool = Task.pool

(* The caller of [run] is a worker too, besides [num_domains] domains. *)
let create () ~workers = Task.setup_pool ~num_domains:(workers - 1) ()
let close = Task.teardown_pool

type ctx = Task.pool

let run pool f = Task.run pool (fun () -> f pool)

let both pool f g =
  let second = Task.async pool (fun () -> g pool) in
  let a = f pool in
  (a, Task.await pool second)

let for_ pool ~chunk lo hi body =
  if chunk = 0 then Task.parallel_for ~start:lo ~finish:(hi - 1) ~body pool
  else Task.parallel_for ~chunk_size:chunk ~start:lo ~finish:(hi - 1) ~body pool

type 'a promise = 'a Task.promise

let async pool f = Task.async pool (fun () -> f pool)
let await = Task.await
let map_chain = None
