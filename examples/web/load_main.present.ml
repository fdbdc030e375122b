let () = exit (Web_load.Load_command.main ())
