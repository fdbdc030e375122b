(* Plugins: code loaded at run time has frame tables, static data and global roots like
   the program itself. *)

open Check

let load name = Dynlink.loadfile (name ^ ".cmxs")

(* Compares the results of the plugins' functions with the expected ones. *)
let ask n =
  let text = string_of_int n in
  must "names" (Registry.find "names" n = [ text; "<" ^ text ^ ">" ]);
  must "its own exception"
    (Registry.find "own" (n + 1) = [ string_of_int (n + 1) ]);
  match Registry.find "refuse" n with
  | _ -> must "refused" false
  | exception Registry.Refused s -> must "an exception of ours" (s = text)

let ask_second n =
  let text = string_of_int n and i = string_of_int (n mod 100) in
  must "closures" (Registry.find "closures" n = [ i; text; "<" ^ text ^ ">" ])

let some f =
  for n = 0 to 998 do
    if n mod 50 = 0 then garbage 1000;
    f n
  done

let one_domain () =
  load "first";
  some ask;
  Gc.minor ();
  some ask;
  must "large" (Registry.find "large" 99_999 = [ "99999" ]);
  Gc.full_major ();
  some ask;
  must "large, kept" (Registry.find "large" 99_998 = [ "99998" ])

(* The second plugin is loaded while other domains run code of the first. *)
let while_others_run () =
  in_all 3 (fun i () ->
      some ask;
      if i = 0 then load "second";
      some ask;
      Gc.full_major ();
      some (fun n -> if i = 0 then ask_second n else ask n));
  some ask_second

(* The domain that loads the plugin ends before the plugin is used. *)
let by_another () =
  Domain.join (Domain.spawn (fun () -> load "third"));
  garbage 10_000;
  Gc.full_major ();
  must "third" (Registry.find "third" 7 = [ "7"; "seven" ])

let refused () =
  match load "none" with
  | () -> must "there is none" false
  | exception Dynlink.Error (Cannot_open_dynamic_library _) -> ()

let () =
  case "a plugin" one_domain;
  case "a plugin, loaded beside others" while_others_run;
  case "a plugin, loaded by another domain" by_another;
  case "no plugin" refused
