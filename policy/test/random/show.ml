(* Prints the policies of some seeds. *)

let () =
  Array.iteri
    (fun i text ->
      if i > 0 then (
        let seed = int_of_string text in
        let name = Printf.sprintf "random_%d" seed in
        let text = Random_policy.text (Random.State.make [| seed |]) ~name in
        print_string text;
        ignore (Random_policy.policy text : _)))
    Sys.argv
