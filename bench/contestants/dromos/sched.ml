open Dromos

type config = unit

let variants =
  [
    ("dromos", "Ctx.both with the context passed on, Par.for_, async/await", ());
  ]

let parallel = true

type pool = int

(* All pools share the domains of the process: nothing to make or end here. *)
let create () ~workers = workers
let close _ = ()

type ctx = Ctx.t

let run workers f = run ~workers (fun () -> f (Ctx.get ()))
let both = Ctx.both

let for_ _ ~chunk lo hi body =
  if chunk = 0 then Par.for_ lo hi body else Par.for_ ~grain:chunk lo hi body

type 'a promise = 'a Promise.t

let async _ f = async (fun () -> f (Ctx.get ()))
let await _ p = await p

(* Futures of kernel tasks need no fiber. *)
let map_chain =
  Some
    (fun workers n ->
      Pool.with_ ~workers (fun pool ->
          Pool.run pool (fun ctx ->
              let last = ref (Pool.Future.async ctx (fun _ -> 0)) in
              for _ = 1 to n do
                last := Pool.Future.map ctx !last (fun _ x -> x + 1)
              done;
              Pool.Future.wait ctx !last)))
