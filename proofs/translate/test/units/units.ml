(* Translates files of a library that refer to each other, from the typed trees
   of the library's build. *)

open Dromos_translate

let directory = "pieces/.pieces.objs/byte"

let translate modules =
  let tree name = Printf.sprintf "%s/pieces__%s.cmt" directory name in
  Program.translate [ ("pieces", "pieces") ] (List.map tree modules)

let shown = function
  | Error message -> message
  | Ok files ->
      let one (_, path, file) =
        Format.asprintf "%t" (fun ppf -> Output.print ppf path file)
      in
      String.concat "\n" (List.map one files)

let check modules expected () =
  Alcotest.(check string) "the text" expected (shown (translate modules))

let place rest = Filename.concat (Filename.dirname __FILE__) ("pieces/" ^ rest)

(* True if the translation of two files contains the expected lines. *)
let names_in text =
  let has name =
    let re = Str.regexp_string name in
    match Str.search_forward re text 0 with
    | _ -> true
    | exception Not_found -> false
  in
  List.for_all has
    [
      "From dromos.pieces Require Import counter_code."; "pieces_counter_step \"t\"";
      "array_length (array_make #0 #())"; "! (\"t\" +ₗ #0) - !na (\"t\" +ₗ #1)";
      "show is not translated: for people.";
    ]
[@@ocamlformat "disable"]

let together () =
  let first = shown (translate [ "Twice"; "Counter" ]) in
  let second = shown (translate [ "Counter"; "Twice" ]) in
  Alcotest.(check string) "in any order" first second;
  Alcotest.(check bool) first true (names_in first)

let () =
  Alcotest.run "units"
    [
      ( "units",
        [
          Alcotest.test_case "two files" `Quick together;
          Alcotest.test_case "one of them" `Quick
            (check [ "Twice" ]
               (place
                  "twice.ml:5:2: pieces/counter is not among the files that \
                   are being translated"));
          Alcotest.test_case "untranslated code" `Quick
            (check [ "Counter"; "Shown" ]
               (place
                  "shown.ml:1:13: show is not translated (for people): it \
                   cannot be used here"));
          Alcotest.test_case "another library" `Quick
            (check [ "Stranger" ]
               (place
                  "stranger.ml:1:16: Foreign.answer is neither in the kernel \
                   nor in the subset's part of Stdlib"));
          Alcotest.test_case "an interface that says less" `Quick
            (check [ "Ghost" ]
               (place
                  "ghost.ml:1:0: the interface declares this record without \
                   [@@prophecy]: add it there"));
        ] );
    ]
