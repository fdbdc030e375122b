let run f finish =
  match f () with
  | v ->
      finish ();
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      (try finish () with Invalid_argument _ -> ());
      Printexc.raise_with_backtrace e bt
