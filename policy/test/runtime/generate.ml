(* Writes an OCaml file with compiled policies: NUMBER random ones, and the
   policies of the files. generate.exe SEED NUMBER FILE.. *)

open Dromos_policy_compile

let module_ i (name, text) =
  match Ocaml.compile ~source:name (Random_policy.policy text) with
  | code -> Printf.printf "module P%d = struct\n%s\nend\n\n" i code
  | exception Ocaml.Not_compiled (at, what) ->
      failwith (Printf.sprintf "%s:%d: no room for %s" name at.line what)

let row i (name, text) =
  Printf.printf "  (%S, {policy|%s|policy}, P%d.policy);\n" name text i

let () =
  let seed = int_of_string Sys.argv.(1) and n = int_of_string Sys.argv.(2) in
  let random i =
    let name = Printf.sprintf "random_%d" (seed + i) in
    (name, Random_policy.text (Random.State.make [| seed + i |]) ~name)
  in
  let file name = (name, In_channel.with_open_text name In_channel.input_all) in
  let files =
    Array.to_list (Array.sub Sys.argv 3 (Array.length Sys.argv - 3))
  in
  let all = List.init n random @ List.map file files in
  List.iteri module_ all;
  print_endline "let all = [";
  List.iteri row all;
  print_endline "]"
