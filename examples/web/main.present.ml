let () = exit (Web.Command.main ())
