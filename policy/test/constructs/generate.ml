(* Writes an OCaml file with the compiled policies of each row: with the
   construct and without. *)

open Dromos_policy_compile

let module_ name changes =
  let policy = Random_policy.policy (Rows.text changes) in
  Printf.printf "module %s = struct\n%s\nend\n\n" name
    (Ocaml.compile ~source:"rows.ml" policy)

let () =
  List.iteri
    (fun i (r : Rows.row) ->
      module_ (Printf.sprintf "With%d" i) r.with_;
      module_ (Printf.sprintf "Without%d" i) r.without)
    Rows.rows;
  print_endline "let all = [";
  List.iteri
    (fun i _ -> Printf.printf "  (With%d.policy, Without%d.policy);\n" i i)
    Rows.rows;
  print_endline "]"
