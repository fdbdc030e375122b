open Dromos_fiber

type deques = Turns.deques = No_deques | Public | Private
type maker = Dromos_hub.Hub.maker
type t = { name : string; maker : maker; deques : deques }

let v ?(deques = No_deques) ~name maker = { name; maker; deques }
let name t = t.name
let maker t = t.maker
let deques t = t.deques
let std = v ~deques:Public ~name:"std" Dromos_hub.Std.maker
let private_ = v ~deques:Private ~name:"private" Dromos_hub.Private_.maker
let fifo = v ~name:"fifo" Dromos_hub.Fifo.maker
let hybrid = v ~deques:Public ~name:"hybrid" Dromos_hub.Hybrid.maker
let dealing = v ~deques:Private ~name:"dealing" Dromos_hub.Dealing.maker
let all = [ std; private_; dealing; fifo; hybrid ]
