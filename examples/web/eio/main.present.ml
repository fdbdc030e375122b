let () = Web_eio.main ()
