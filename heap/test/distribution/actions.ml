(* The variables of a test are expanded when they are looked up. All of them are in the
   environment of what runs, as are the few that stock programs look at by another
   name. *)

module Variables = Map.Make (String)

type runtime = {
  name : string;
  flags : string list;
  settings : (string * string) list;
  limit_s : int;
}

type outcome = Passed | Failed of string | Other of string

type state = {
  variables : string Variables.t;
  runtime : runtime;
  source : string; (* the folder that the test is in *)
  file : string; (* its name there *)
  build : string;
  library : string;
  ran : bool;
}

exception Fail of string
exception Skip of string

let ( / ) = Filename.concat
let fail fmt = Printf.ksprintf (fun s -> raise (Fail s)) fmt
let skip fmt = Printf.ksprintf (fun s -> raise (Skip s)) fmt

(* {1 Variables} *)

let rec expand t value =
  let b = Buffer.create 80 in
  Buffer.add_substitute b (get t) value;
  Buffer.contents b

and get t name =
  match Variables.find_opt name t.variables with
  | None -> ""
  | Some value ->
      expand { t with variables = Variables.remove name t.variables } value

let set name value t =
  { t with variables = Variables.add name value t.variables }

let append name value t =
  let old = Option.value ~default:"" (Variables.find_opt name t.variables) in
  set name (old ^ value) t

let default name value t =
  if Variables.mem name t.variables then t else set name value t

let unset name t = { t with variables = Variables.remove name t.variables }
let quoted = Str.regexp "'[^']*'\\|\"[^\"]*\"\\|[^ '\"\t\n]+"

let words s =
  let bare w = Str.global_replace (Str.regexp {|^['"]\|['"]$|}) "" w in
  List.filter_map
    (function Str.Delim w -> Some (bare w) | Text _ -> None)
    (Str.full_split quoted s)

let list t name = words (get t name)

(* {1 Files and processes} *)

let contents file =
  try In_channel.with_open_bin file In_channel.input_all
  with Sys_error _ -> ""

let command fmt =
  Printf.ksprintf
    (fun s -> if Sys.command s <> 0 then fail "command failed: %s" s)
    fmt

let q = Filename.quote

let environment t =
  let exported =
    List.map (fun (n, _) -> (n, get t n)) (Variables.bindings t.variables)
    @ [
        ("OCAMLRUNPARAM", get t "ocamlrunparam");
        ("LD_LIBRARY_PATH", get t "ld_library_path");
        ("TERM", "dumb");
      ]
    @ t.runtime.settings
  in
  let name binding = List.hd (String.split_on_char '=' binding) in
  let kept =
    List.filter
      (fun b -> not (List.mem_assoc (name b) exported))
      (Array.to_list (Unix.environment ()))
  in
  Array.of_list (kept @ List.map (fun (n, v) -> n ^ "=" ^ v) exported)

let opened file flags =
  Unix.openfile (if file = "" then "/dev/null" else file) flags 0o666

(* Both outputs may go to one file, as they come. *)
let execute t ?(stdin = "") ~stdout ~stderr argv =
  let argv =
    Array.of_list
      ([ "timeout"; "-k"; "5"; string_of_int t.runtime.limit_s ] @ argv)
  in
  let output = [ Unix.O_WRONLY; O_CREAT; O_TRUNC; O_APPEND ] in
  let input = opened stdin [ O_RDONLY ] in
  let out = opened stdout output in
  let err = if stderr = stdout then Unix.dup out else opened stderr output in
  let pid =
    Unix.create_process_env argv.(0) argv (environment t) input out err
  in
  List.iter Unix.close [ input; out; err ];
  snd (Unix.waitpid [] pid)

let describe t = function
  | Unix.WEXITED 124 -> Printf.sprintf "still runs after %d s" t.runtime.limit_s
  | WEXITED n when n > 128 -> Printf.sprintf "signal %d" (n - 128)
  | WEXITED n -> Printf.sprintf "exit status %d" n
  | WSIGNALED s when s = Sys.sigsegv -> "segmentation fault"
  | WSIGNALED s when s = Sys.sigabrt -> "aborted"
  | WSIGNALED s | WSTOPPED s -> Printf.sprintf "signal %d of Sys" s

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
    skip "ocamlopt: %s" (describe t ended)

let with_interface t file =
  let interface = Filename.remove_extension file ^ ".mli" in
  if Filename.check_suffix file ".ml" && Sys.file_exists (t.source / interface)
  then [ interface; file ]
  else [ file ]

let set_up suffix t =
  let files = list t "plugins" @ list t "modules" @ [ t.file ] in
  let modules = List.concat_map (with_interface t) files in
  let t = default "all_modules" (String.concat " " modules) t in
  let build = t.build / (suffix ^ get t "compiler_directory_suffix") in
  let t = set "test_build_directory" build { t with build } in
  command "rm -rf %s && mkdir -p %s" (q build) (q build);
  List.iter (link t t.source) (list t "all_modules" @ list t "readonly_files");
  List.iter
    (fun d -> command "cp -R %s %s" (q (t.source / d)) (q (build / d)))
    (list t "subdirectories");
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
  if ended <> expected t "exit_status" then fail "%s" (describe t ended);
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
  | ended -> skip "script: %s" (describe t ended)

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
      compile t;
      t
  | "check-ocamlopt.byte-output" | "check-ocamlopt.opt-output" -> t
  | "run" -> run t
  | "check-program-output" ->
      compare t;
      t
  | "script" ->
      script t;
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

let rec outcomes t (tree : Tsl.tree) =
  let here = Sys.getcwd () in
  match List.fold_left statement t tree.statements with
  | exception (Fail why | Sys_error why) ->
      List.init (ends tree) (fun _ -> Failed why)
  | exception Skip why -> List.init (ends tree) (fun _ -> Other why)
  | t when tree.branches = [] ->
      [ (if t.ran then Passed else Other "runs nothing") ]
  | t ->
      let there = Sys.getcwd () in
      let all =
        List.concat_map
          (fun b ->
            Sys.chdir there;
            outcomes t b)
          tree.branches
      in
      Sys.chdir here;
      all

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
      ran = false;
    }
    (with_default tree)

let library ~source to_ =
  command
    "mkdir -p %s && cp %s/testsuite/lib/* %s && cd %s && ocamlfind ocamlopt \
     lib.mli lib.ml testing.mli testing.ml -a -o testing.cmxa"
    (q to_) (q source) (q to_) (q to_)
