open Dromos

type config = Hub.t

(* A fork is a published task that the program awaits. The hub is thus measured;
   with latent frames, most forks would never reach the hub. *)
let variants =
  List.map
    (fun hub ->
      ("dromos-" ^ Hub.name hub, "async/await for forks, Par.for_", hub))
    Hubs.all

let parallel = true

type pool = { hub : Hub.t; workers : int }

let create hub ~workers = { hub; workers }
let close _ = ()

type ctx = unit

let run { hub; workers } f = run ~workers ~hub f

type 'a promise = 'a Promise.t

let async () f = async f
let await () p = await p

let both () f g =
  let second = async () g in
  let a = f () in
  (a, await () second)

let for_ () ~chunk lo hi body =
  if chunk = 0 then Par.for_ lo hi body else Par.for_ ~grain:chunk lo hi body

let map_chain = None
