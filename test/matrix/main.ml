let () = Matrix.Whole.main ()
