module Event = Dromos_sync.Event
module Ivar = Dromos_sync.Ivar

type thread = { id : int; name : string; over : unit Ivar.t }

let key : thread Fls.key = Fls.new_key ()

let spawn ?(name = "") f =
  let thread =
    { id = Dromos_suspend.fresh_id (); name; over = Ivar.create () }
  in
  let body () =
    Fls.set key thread;
    Fun.protect f ~finally:(fun () ->
        ignore (Ivar.try_fill thread.over () : bool))
  in
  Core.spawn ~name body;
  thread

let self () = Fls.find_opt key
let exit = Core.exit
let id thread = thread.id
let name thread = thread.name
let equal a b = a == b
let join_event thread = Ivar.read_event thread.over
let join thread = Event.sync (join_event thread)
let yield = Core.yield
let select events = Event.sync (Event.choose events)
