module Fls = Dromos.Fls

let key : Fls.storage Lwt.key = Lwt.new_key ()
let read () = Option.value (Lwt.get key) ~default:Fls.empty
let within storage f = Lwt.with_value key (Some storage) f
let provide () = Fls.provide { read; write = None; within }
