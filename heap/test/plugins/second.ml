(* A plugin that uses the first plugin's functions, in closures that stay alive. *)

let names = Registry.find "names"

let closures =
  List.init 100 (fun i ->
      let text = string_of_int i in
      (i, fun n -> text :: names n))

let () = Registry.add "closures" (fun n -> (List.assoc (n mod 100) closures) n)
