let[@inline never] do_task f = Sys.opaque_identity (f ())
let[@inline never] run f = Sys.opaque_identity (do_task f)
