open Dromos_sync

type t = unit Channel.t

let create () : t = Channel.create ~name:"gate" ()
let open_ = Channel.close

let pass t =
  let event = Event.wrap_error (Channel.recv_event t) ignore in
  let direct () =
    match Channel.recv t with () -> () | exception Channel.Closed -> ()
  in
  Step.op ~direct event
