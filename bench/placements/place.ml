(* place COUNT: writes at_0.ml to at_(COUNT-1).ml, the main modules of the
   programs of measurements.

   A processor fetches and decodes code in blocks of 16, 32 or 64 bytes. The
   place of a function relative to the blocks can change the function's time by
   a fifth, and moves with any change anywhere before it in the program. The
   programs differ only in that place, so a measurement of all programs depends
   on no place.

   The linker puts the main module before all libraries. On amd64 ocamlopt
   aligns functions to 16 bytes; [short] takes 16 and [long] takes 32. Every
   program has the same number of fillers, since each filler adds to the code
   that initialises the module. Program k has k long fillers, so all further
   code is k times 16 bytes later than in program 0. With eight programs each
   function begins at each of the places in two lines of 64 bytes. *)

let short = "x"
let long = "((x lxor 0x1234567) + 0x1234567) lxor 0x2345678"

let write count k =
  Out_channel.with_open_bin (Printf.sprintf "at_%d.ml" k) @@ fun oc ->
  for i = 1 to count - 1 do
    Printf.fprintf oc "let filler_%d x = %s\n" i
      (if i <= k then long else short)
  done;
  output_string oc "let () = Bench_driver.Child.main ()\n"

let () =
  match Sys.argv with
  | [| _; count |] ->
      let count = int_of_string count in
      List.iter (write count) (List.init count Fun.id)
  | _ ->
      prerr_endline "place: the number of programs is expected";
      exit 2
