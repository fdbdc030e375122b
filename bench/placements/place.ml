(* place COUNT: writes at_0.ml to at_(COUNT-1).ml, the main modules of the
   programs of measurements. place COUNT DIR/NAME.ml: writes NAME_at_0.ml to
   NAME_at_(COUNT-1).ml, the program NAME at so many places.

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

let write count ~prefix main k =
  Out_channel.with_open_bin (Printf.sprintf "%sat_%d.ml" prefix k) @@ fun oc ->
  for i = 1 to count - 1 do
    Printf.fprintf oc "let filler_%d x = %s\n" i
      (if i <= k then long else short)
  done;
  output_string oc main

let measurement = "let () = Bench_driver.Child.main ()\n"

(* The line directive keeps the program's own places in the compiler's
   messages. *)
let program file =
  let text = In_channel.with_open_bin file In_channel.input_all in
  Printf.sprintf "# 1 %S\n%s" file text

let () =
  let write ?(prefix = "") main count =
    let count = int_of_string count in
    List.iter (write count ~prefix main) (List.init count Fun.id)
  in
  match Sys.argv with
  | [| _; count |] -> write measurement count
  | [| _; count; file |] ->
      let name = Filename.remove_extension (Filename.basename file) in
      write (program file) ~prefix:(name ^ "_") count
  | _ ->
      prerr_endline "place: the number of programs is expected, then a program";
      exit 2
