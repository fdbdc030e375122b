(* The servers of the lab, and their measurements. main.exe starts this program
   for each measurement; the build starts it for the list of servers. *)

(* Prints the list as OCaml, for the driver. *)
let describe () =
  let server (name, about, parallel) =
    Printf.printf "  (%S, %S, %b);\n" name about parallel
  in
  print_endline "let all = [";
  List.iter server Built.all;
  print_endline "]";
  print_endline "let missing = [";
  List.iter (Printf.printf "  %S;\n") Built.missing;
  print_endline "]"

let () =
  match List.tl (Array.to_list Sys.argv) with
  | [ "--describe" ] -> describe ()
  | arguments when Built.main arguments -> ()
  | _ ->
      prerr_endline "servers: started by the lab only; run main.exe beside it";
      exit 2
