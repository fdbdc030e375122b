open Dromos

type config = unit

let variants = [ ("dromos-implicit", "both, Par.for_, async/await", ()) ]
let parallel = true

type pool = int

let create () ~workers = workers
let close _ = ()

type ctx = unit

let run workers f = run ~workers f
let both () f g = both f g

let for_ () ~chunk lo hi body =
  if chunk = 0 then Par.for_ lo hi body else Par.for_ ~grain:chunk lo hi body

type 'a promise = 'a Promise.t

let async () f = async f
let await () p = await p
let map_chain = None
