let peers = Of_eio.kinds @ Of_domainslib.kinds @ Of_picos.kinds
let () = Matrix.Whole.main ~peers ()
