(* Makes and checks the pages about the proofs, from the proofs and the
   interfaces. *)

let usage =
  "usage: verification questions\n\
  \       verification page --answers FILE PAGE\n\
  \       verification readme README INTERFACE ..\n\
  \       verification check PAGE README INTERFACE ..\n\
  \       verification count"

let () =
  let all = Theorems.all () in
  match List.tl (Array.to_list Sys.argv) with
  | [ "questions" ] ->
      Theorems.no_gaps ();
      Page.questions all
  | [ "page"; "--answers"; answers; page ] ->
      Page.check_answers (Text.read answers);
      Page.write page all
  | "readme" :: readme :: paths ->
      Checked.write readme (Checked.interfaces all paths)
  | "check" :: page :: readme :: paths ->
      Theorems.no_gaps ();
      Page.check page all;
      Printf.printf "PASS the page lists the %d theorems of the proofs\n"
        (List.length all);
      let interfaces = Checked.interfaces all paths in
      Checked.check readme interfaces;
      Printf.printf
        "PASS what the interfaces call proved is; the README of the kernel \
         says what they say\n"
  | [ "count" ] -> Printf.printf "%d\n" (List.length all)
  | _ ->
      prerr_endline usage;
      exit 2
