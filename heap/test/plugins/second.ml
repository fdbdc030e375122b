(* A plugin that uses what the first one left, and keeps closures over it. *)

let names = Registry.find "names"

let closures =
  List.init 100 (fun i ->
      let text = string_of_int i in
      (i, fun n -> text :: names n))

let () = Registry.add "closures" (fun n -> (List.assoc (n mod 100) closures) n)
