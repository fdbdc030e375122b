(* A plugin loaded by a domain that ends before the plugin is used. *)

let table = Hashtbl.create 16

let () =
  Hashtbl.replace table 7 (String.cat "se" "ven");
  Registry.add "third" (fun n -> [ string_of_int n; Hashtbl.find table n ])
