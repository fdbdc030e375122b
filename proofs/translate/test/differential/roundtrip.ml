(* Reads the printed definitions by the levels of Coq's notations, and compares
   them with the translated definitions. *)

open Dromos_translate
open Dromos_interpreter

let folders =
  [
    ("dromos_base", "base"); ("dromos_deque", "deque"); ("dromos_hub", "hub");
    ("dromos_kernel", "pool");
  ]
[@@ocamlformat "disable"]

let trees = List.tl (Array.to_list Sys.argv)

(* An injected literal has two forms, [Inj_l (Lit l)] and [Constant_l l]. The
   function replaces the first by the second. *)
let rec injected (e : Heaplang.expr) : Heaplang.expr =
  match e with
  | Inj_l (Lit l) -> Constant_l l
  | e -> Heaplang.map_parts injected e

let check_definition read (d : Heaplang.definition) =
  match
    List.find_opt (fun (r : Heaplang.definition) -> r.name = d.name) read
  with
  | Some r ->
      Alcotest.(check bool) d.name true (injected r.body = injected d.body)
  | None -> Alcotest.failf "%s is not in the file" d.name

let check_file printed path file =
  let check () =
    let read = Parser.file printed in
    List.iter (check_definition read) (Toplevel.definitions file)
  in
  Alcotest.test_case path `Quick check

let kernel =
  match Program.translate folders trees with
  | Error message -> failwith message
  | Ok files ->
      let printed (unit_ : Names.unit_) =
        Printf.sprintf "../../../%s/%s.v" unit_.folder (Names.file unit_)
      in
      List.map (fun (u, path, file) -> check_file (printed u) path file) files

let golden =
  let sources =
    List.filter
      (fun file -> Filename.check_suffix file ".ml")
      (List.sort compare (Array.to_list (Sys.readdir "../golden")))
  in
  let case source =
    let path = Filename.concat "../golden" source in
    match Program.translate [ ("example", "example") ] [ path ] with
    | Ok [ (_, _, file) ] ->
        check_file (Filename.remove_extension path ^ ".expected") source file
    | Ok _ -> failwith source
    | Error message -> failwith message
  in
  List.map case sources

let () =
  Alcotest.run ~argv:[| "roundtrip" |] "roundtrip"
    [ ("kernel", kernel); ("golden", golden) ]
