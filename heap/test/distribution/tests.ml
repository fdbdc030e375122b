open Actions

let ( / ) = Filename.concat
let q = Filename.quote

type outcome = Passed | Failed of string | Other of string

let rec use name t =
  let directory d = append "directories" (" " ^ d ^ " ") in
  let library d l t = directory d (append "libraries" (" " ^ l ^ " ") t) in
  match name with
  | "systhreads" -> t |> use "unix" |> library "+threads" "threads"
  | "unix" | "str" | "dynlink" | "runtime_events" -> library ("+" ^ name) name t
  | "testing" -> library t.library name t
  | "tool-ocaml-lib" -> directory t.library (append "binary_modules" " lib " t)
  | "config" -> library "+compiler-libs" "ocamlcommon" t
  | "ocamlcommon" | "ocamlbytecomp" | "ocamlmiddleend" | "ocamloptcomp" ->
      library "+compiler-libs" name t
  | _ -> skip "include %s" name

let configured =
  let lines =
    lazy
      (let c = Unix.open_process_in "ocamlfind ocamlopt -config" in
       let lines = In_channel.input_all c in
       ignore (Unix.close_process_in c : Unix.process_status);
       String.split_on_char '\n' lines)
  in
  fun key value -> List.mem (key ^ ": " ^ value) (Lazy.force lines)

(* Properties of the machine, a Linux system, that a test may need. *)
let there_is = function
  | "hassysthreads" | "hasunix" | "hasstr" | "libunix" | "native-compiler"
  | "not-windows" | "not-bsd" | "not-msvc" | "has_symlink" | "linux" | "pass"
  | "arch64" | "not_macos_amd64_tsan" ->
      Some true
  | "shared-libraries" -> Some (configured "supports_shared_libraries" "true")
  | "native-dynlink" -> Some (configured "native_dynlink" "true")
  | "function_sections" -> Some (configured "function_sections" "true")
  | "flat-float-array" -> Some (configured "flat_float_array" "true")
  | "no-flat-float-array" -> Some (configured "flat_float_array" "false")
  | "flambda" -> Some (configured "flambda" "true")
  | "no-flambda" -> Some (configured "flambda" "false")
  | "frame_pointers" -> Some (configured "with_frame_pointers" "true")
  | "tsan" -> Some (configured "tsan" "true")
  | "no-tsan" -> Some (configured "tsan" "false")
  | "arch_amd64" -> Some (configured "architecture" "amd64")
  | _ -> None

let rec action t = function
  | "native" ->
      List.fold_left action t
        [
          "setup-ocamlopt.byte-build-env";
          "ocamlopt.byte";
          "run";
          "check-program-output";
        ]
  | "setup-ocamlopt.byte-build-env" -> set_up "ocamlopt.byte" t
  | "setup-ocamlopt.opt-build-env" -> set_up "ocamlopt.opt" t
  | "ocamlopt.byte" | "ocamlopt.opt" ->
      compile t;
      t
  | "check-ocamlopt.byte-output" | "check-ocamlopt.opt-output" -> t
  | "run" -> Actions.run t
  | "check-program-output" ->
      compare t;
      t
  | "script" ->
      script t;
      t
  | "ocaml" ->
      ocaml t;
      t
  | "ocamlmklib" ->
      ocamlmklib t;
      t
  | "copy" ->
      copy t;
      t
  | "cd" ->
      Sys.chdir (get t "cwd");
      t
  | name -> (
      match there_is name with
      | Some true -> t
      | Some false -> skip "%s" name
      | None -> skip "%s" name)

let statement t : Tsl.statement -> state = function
  | Set (name, value) -> set name value t
  | Append (name, value) -> append name value t
  | Unset name -> unset name t
  | Include name -> use name t
  | Action (name, modifiers) ->
      action (List.fold_left (Fun.flip use) t modifiers) name

let rec ends (tree : Tsl.tree) =
  if tree.branches = [] then 1
  else List.fold_left (fun n b -> n + ends b) 0 tree.branches

(* Each branch begins in the folder where the branch before has ended. *)
let rec outcomes t (tree : Tsl.tree) =
  match List.fold_left statement t tree.statements with
  | exception (Fail why | Sys_error why) ->
      List.init (ends tree) (fun _ -> Failed why)
  | exception Skip why -> List.init (ends tree) (fun _ -> Other why)
  | t when tree.branches = [] ->
      [ (if t.ran then Passed else Other "runs nothing") ]
  | t ->
      let branch i = outcomes { t with prefix = t.prefix / string_of_int i } in
      List.concat (List.mapi branch tree.branches)

let asks f (t : Tsl.tree) =
  let asked = function Tsl.Action (name, _) -> f name | _ -> false in
  List.exists asked t.statements

let rec asks_anywhere f (t : Tsl.tree) =
  asks f t || List.exists (asks_anywhere f) t.branches

let is_native name =
  name = "native"
  || List.exists
       (fun part -> String.starts_with ~prefix:part name)
       [ "ocamlopt"; "setup-ocamlopt" ]

(* Makes a tree run natively: tests without an action, and tests for bytecode alone, get
   the action [native]. *)
let natively tree =
  let native = asks_anywhere is_native tree in
  let change : Tsl.statement -> Tsl.statement = function
    | Action ("bytecode", modifiers) when not native ->
        Action ("native", modifiers)
    | s -> s
  in
  let rec go asked (t : Tsl.tree) : Tsl.tree =
    let asked = asked || asks (fun name -> there_is name = None) t in
    let statements = List.map change t.statements in
    if asked || t.branches <> [] then
      { statements; branches = List.map (go asked) t.branches }
    else { t with statements = statements @ [ Action ("native", []) ] }
  in
  go false tree

let run ~library ~work runtime file tree =
  let source = Filename.dirname file and name = Filename.basename file in
  let variables =
    [
      ("test_file", name);
      ("test_source_directory", source);
      ("test_build_directory_prefix", work);
      ("reference", Filename.remove_extension file ^ ".reference");
      ("ocamlrunparam", "v=0");
      ("objext", "o");
      ("libext", "a");
      ("asmext", "s");
      ("sharedobjext", "so");
      ("shared_library_cflags", "-fPIC");
      ("cppflags", "");
      ("native_c_libraries", "-lm");
    ]
  in
  command "mkdir -p %s" (q work);
  Sys.chdir work;
  outcomes
    {
      variables = Variables.of_list variables;
      runtime;
      source;
      library;
      file = name;
      build = work;
      prefix = work;
      ran = false;
    }
    (natively tree)
