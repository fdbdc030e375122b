type runtime = {
  name : string;
  flags : string list;
  settings : (string * string) list;
  limit_s : int;
  built : bool;
}

type outcome = Passed | Failed of string | Other of string

type state = {
  variables : Variables.t;
  runtime : runtime;
  source : string; (* the folder that the test is in *)
  file : string; (* its name there *)
  prefix : string; (* of the folders of this branch *)
  build : string;
  library : string;
  ran : bool;
}

exception Fail of string
exception Skip of string

let ( / ) = Filename.concat
let fail fmt = Printf.ksprintf (fun s -> raise (Fail s)) fmt
let skip fmt = Printf.ksprintf (fun s -> raise (Skip s)) fmt
let get t = Variables.get t.variables
let list t = Variables.words t.variables
let change f t = { t with variables = f t.variables }
let set name value = change (Variables.set name value)
let append name value = change (Variables.append name value)
let default name value = change (Variables.default name value)
let unset name = change (Variables.unset name)

let contents file =
  try In_channel.with_open_bin file In_channel.input_all
  with Sys_error _ -> ""

let q = Filename.quote

let command fmt =
  Printf.ksprintf
    (fun s -> if Sys.command s <> 0 then fail "command failed: %s" s)
    fmt

(* All variables are in the environment of what runs, as are the few that programs look
   at by another name. *)
let execute t ?(stdin = "") ~stdout ~stderr argv =
  let settings =
    Variables.all t.variables
    @ [
        ("OCAMLRUNPARAM", get t "ocamlrunparam");
        ("LD_LIBRARY_PATH", get t "ld_library_path");
        ("TERM", "dumb");
      ]
    @ t.runtime.settings
  in
  let limit_s = t.runtime.limit_s in
  Process.run ~limit_s ~settings ~stdin ~stdout ~stderr argv

let expected t variable =
  Unix.WEXITED (Option.value ~default:0 (int_of_string_opt (get t variable)))

(* {1 Building} *)

let link t from file =
  let at = t.build / file in
  command "mkdir -p %s && ln -sfT %s %s"
    (q (Filename.dirname at))
    (q (from / file))
    (q at)

let ocamlopt t arguments =
  let output = t.build / "compiler.output" in
  let argv = ("ocamlfind" :: "ocamlopt" :: t.runtime.flags) @ arguments in
  let ended = execute t ~stdout:output ~stderr:output argv in
  if ended <> expected t "ocamlopt_byte_exit_status" then
    skip "ocamlopt: %s" (Process.describe ended)

let with_interface t file =
  let interface = Filename.remove_extension file ^ ".mli" in
  if Filename.check_suffix file ".ml" && Sys.file_exists (t.source / interface)
  then [ interface; file ]
  else [ file ]

(* What is built, as it was before anything ran there. *)
let again build = build ^ ".again"

let keep t =
  let kept = again t.build in
  if not (Sys.file_exists kept) then command "cp -R %s %s" (q t.build) (q kept)

let fill t =
  command "rm -rf %s %s && mkdir -p %s" (q t.build)
    (q (again t.build))
    (q t.build);
  List.iter (link t t.source) (list t "all_modules" @ list t "readonly_files");
  List.iter
    (fun d -> command "cp -R %s %s" (q (t.source / d)) (q (t.build / d)))
    (list t "subdirectories")

let set_up suffix t =
  let files = list t "plugins" @ list t "modules" @ [ t.file ] in
  let modules = List.concat_map (with_interface t) files in
  let t = default "all_modules" (String.concat " " modules) t in
  let build = t.prefix / (suffix ^ get t "compiler_directory_suffix") in
  let build = if t.runtime.built then again build else build in
  let t = set "test_build_directory" build { t with build } in
  if not t.runtime.built then fill t;
  Sys.chdir build;
  let program = build / (Filename.remove_extension t.file ^ ".opt") in
  let t = default "program" program t in
  default "output" (get t "program" ^ ".output") t

(* What is generated takes the place of what it is generated from. *)
let generated t file =
  let tool name flags =
    command "%s %s %s >/dev/null" name (get t flags) (q file);
    Filename.remove_extension file
  in
  match Filename.extension file with
  | ".mll" -> [ tool "ocamllex -q" "ocamllex_flags" ^ ".ml" ]
  | ".mly" ->
      let base = tool "ocamlyacc" "ocamlyacc_flags" in
      [ base ^ ".mli"; base ^ ".ml" ]
  | _ -> [ file ]

let compile t =
  let archive l = if Filename.extension l = "" then l ^ ".cmxa" else l in
  let flags =
    List.concat_map (fun d -> [ "-I"; d ]) (list t "directories")
    @ list t "flags"
    @ List.map archive (list t "libraries")
    @ list t "ocamlopt_flags"
  in
  match (list t "commandline", get t "module") with
  | (_ :: _ as line), _ -> ocamlopt t line
  | [], "" ->
      let modules = List.concat_map (generated t) (list t "all_modules") in
      let binary = List.map (fun m -> m ^ ".cmx") (list t "binary_modules") in
      let output =
        if get t "compile_only" = "true" then [ "-c" ]
        else [ "-o"; get t "program" ]
      in
      ocamlopt t (flags @ output @ binary @ modules @ list t "last_flags")
  | [], file -> ocamlopt t (flags @ [ "-c"; file ])

(* {1 Running} *)

let hook t action =
  let file = t.source / (Filename.remove_extension t.file ^ "." ^ action) in
  if Sys.file_exists file then Some file else None

let run t =
  if not t.runtime.built then keep t;
  let ended =
    match hook t "run" with
    | Some script -> execute t ~stdout:"" ~stderr:"" [ "sh"; script ]
    | None ->
        let t =
          t
          |> default "stdout" (get t "output")
          |> default "stderr" (get t "output")
        in
        execute t ~stdin:(get t "stdin") ~stdout:(get t "stdout")
          ~stderr:(get t "stderr")
          (get t "program" :: list t "arguments")
  in
  if ended = WEXITED 125 && hook t "run" <> None then skip "its script says so";
  if ended <> expected t "exit_status" then fail "%s" (Process.describe ended);
  { t with ran = true }

(* Without a reference nothing must be printed. *)
let compare t =
  let wanted = contents (get t "reference") in
  let got = contents (get t "output") in
  match hook t "check-program-output" with
  | Some script -> command "sh %s" (q script)
  | None -> if got <> wanted then fail "prints something else"

let script t =
  let output = get t "output" in
  let t = set "ocamltest_response" "/dev/null" t in
  match execute t ~stdout:output ~stderr:output (list t "script") with
  | WEXITED 0 -> ()
  | ended -> skip "script: %s" (Process.describe ended)

let copy t =
  let to_ = get t "dst" in
  List.iter (fun file -> command "cp -R %s %s" (q file) (q to_)) (list t "src")

(* {1 Doing what a test says} *)

let rec use name t =
  let directory d = append "directories" (" " ^ d ^ " ") in
  let library d l t = directory d (append "libraries" (" " ^ l ^ " ") t) in
  match name with
  | "systhreads" -> t |> use "unix" |> library "+threads" "threads"
  | "unix" | "str" | "dynlink" | "runtime_events" -> library ("+" ^ name) name t
  | "testing" -> library t.library name t
  | "tool-ocaml-lib" -> directory t.library (append "binary_modules" " lib " t)
  | "config" -> directory "+compiler-libs" t
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

(* What a test needs of the machine, which is Linux. *)
let there_is = function
  | "hassysthreads" | "hasunix" | "hasstr" | "libunix" | "native-compiler"
  | "not-windows" | "not-bsd" | "not-msvc" | "has_symlink" | "linux" | "pass"
  | "arch64" ->
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
      if not t.runtime.built then compile t;
      t
  | "check-ocamlopt.byte-output" | "check-ocamlopt.opt-output" -> t
  | "run" -> run t
  | "check-program-output" ->
      compare t;
      t
  | "script" ->
      if not t.runtime.built then script t;
      t
  | "copy" ->
      if not t.runtime.built then copy t;
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

(* A folder that one branch goes to is where the next one begins. *)
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

(* One that says nothing is run, natively too. *)
let with_default (tree : Tsl.tree) =
  let is_action = function Tsl.Action _ -> true | _ -> false in
  if tree.branches = [] && not (List.exists is_action tree.statements) then
    { tree with statements = tree.statements @ [ Action ("native", []) ] }
  else tree

let test ~library ~work runtime file tree =
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
    (with_default tree)

let library ~source to_ =
  command
    "mkdir -p %s && cp %s/testsuite/lib/* %s && cd %s && ocamlfind ocamlopt \
     lib.mli lib.ml testing.mli testing.ml -a -o testing.cmxa"
    (q to_) (q source) (q to_) (q to_)
