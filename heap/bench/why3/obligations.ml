(* obligations.ml FILE.mlw..: the work of Why3 before a call of a prover: parses and types
   the files, makes their goals, splits them, rewrites each goal for Z3 and prints it.
   Files find each other in the folder of the first file. Prints for each file the number
   of tasks and the digest of their text; programs.sh compares the digest and the time. *)

open Why3

let folder = Filename.dirname Sys.argv.(1)
let main = Whyconf.get_main (Whyconf.default_config "")
let env = Env.create_env (folder :: Whyconf.loadpath main)
let z3 = Driver.load_driver_file_and_extras main env ~extra_dir:None "z3_487" []

let goals file =
  let modules, _ = Env.read_file Pmodule.mlw_language env file in
  let in_module _ m goals =
    Task.split_theory m.Pmodule.mod_theory None None @ goals
  in
  Wstdlib.Mstr.fold in_module modules []

let print text task =
  List.iter
    (fun part ->
      Driver.print_task z3 (Format.formatter_of_buffer text) part;
      Buffer.add_char text '\n')
    (Trans.apply_transform "split_vc" env task)

let obligations file =
  let text = Buffer.create 65536 and tasks = goals file in
  List.iter (print text) tasks;
  Format.printf "%s: %d goals, %d bytes, %s@." (Filename.basename file)
    (List.length tasks) (Buffer.length text)
    (Digest.to_hex (Digest.string (Buffer.contents text)))

let () =
  Loc.set_warning_hook (fun ?loc:_ _ -> ());
  for i = 1 to Array.length Sys.argv - 1 do
    obligations Sys.argv.(i)
  done
