(* What is printed, read again by the levels of Coq's notations, is what was
   translated. *)

open Dromos_translate
open Dromos_interpreter

let folders =
  [
    ("dromos_base", "base"); ("dromos_deque", "deque"); ("dromos_hub", "hub");
    ("dromos_kernel", "pool");
  ]
[@@ocamlformat "disable"]

let trees = List.tl (Array.to_list Sys.argv)

let check_definition read (d : Heaplang.definition) =
  match
    List.find_opt (fun (r : Heaplang.definition) -> r.name = d.name) read
  with
  | Some r -> Alcotest.(check bool) d.name true (r.body = d.body)
  | None -> Alcotest.failf "%s is not in the file" d.name

let check_file (unit_, path, file) =
  let check () =
    let printed =
      Printf.sprintf "../../../%s/%s.v" unit_.Names.folder (Names.file unit_)
    in
    let read = Parser.file printed in
    List.iter (check_definition read) (Toplevel.definitions file)
  in
  Alcotest.test_case path `Quick check

let cases =
  match Program.translate folders trees with
  | Error message -> failwith message
  | Ok files -> List.map check_file files

let () = Alcotest.run ~argv:[| "roundtrip" |] "roundtrip" [ ("kernel", cases) ]
