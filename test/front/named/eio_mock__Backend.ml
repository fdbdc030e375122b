let[@inline never] run f = Sys.opaque_identity (f ())
