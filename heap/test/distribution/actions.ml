type runtime = {
  name : string;
  flags : string list;
  settings : (string * string) list;
  limit_s : int;
}

type state = {
  variables : Variables.t;
  runtime : runtime;
  source : string; (* the folder of the test *)
  file : string; (* the test's name in [source] *)
  prefix : string; (* the folder of the branch's build folders *)
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

(* The environment of a test program holds all variables, and a few of them under a second
   name that programs read. *)
let execute t ?(stdin = "") ~stdout ~stderr argv =
  let settings =
    Variables.all t.variables
    @ [
        ("OCAMLRUNPARAM", get t "ocamlrunparam");
        ("LD_LIBRARY_PATH", get t "ld_library_path");
        ("TERM", "dumb");
        ("TEST_PASS", "0");
        ("TEST_FAIL", "1");
        ("TEST_SKIP", "125");
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

let fill t =
  command "rm -rf %s && mkdir -p %s" (q t.build) (q t.build);
  List.iter (link t t.source) (list t "all_modules" @ list t "readonly_files");
  List.iter
    (fun d -> command "cp -R %s %s" (q (t.source / d)) (q (t.build / d)))
    (list t "subdirectories")

let set_up suffix t =
  let files = list t "plugins" @ list t "modules" @ [ t.file ] in
  let modules = List.concat_map (with_interface t) files in
  let t = default "all_modules" (String.concat " " modules) t in
  let build = t.prefix / (suffix ^ get t "compiler_directory_suffix") in
  let t = set "test_build_directory" build { t with build } in
  fill t;
  Sys.chdir build;
  let program = build / (Filename.remove_extension t.file ^ ".opt") in
  let t = default "program" program t in
  default "output" (get t "program" ^ ".output") t

(* Generated files replace their source in the list. *)
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

(* The compiler's own modules are installed only as libraries. *)
let compile t =
  let archive l = if Filename.extension l = "" then l ^ ".cmxa" else l in
  let flags =
    List.concat_map (fun d -> [ "-I"; d ]) (list t "directories")
    @ list t "flags"
    @ List.map archive (list t "libraries")
    @ list t "ocamlopt_flags"
  in
  let of_compiler = List.mem "ocamlcommon" (list t "libraries") in
  let in_library f = of_compiler && Filename.check_suffix f ".cmx" in
  let flags = List.filter (fun f -> not (in_library f)) flags in
  match (list t "commandline", get t "module") with
  | (_ :: _ as line), _ -> ocamlopt t line
  | [], "" ->
      let modules = List.concat_map (generated t) (list t "all_modules") in
      let binary =
        if of_compiler then []
        else List.map (fun m -> m ^ ".cmx") (list t "binary_modules")
      in
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
  if ended <> expected t "exit_status" then fail "%s" (Process.describe ended);
  { t with ran = true }

(* Without a reference file the program must print nothing. *)
let compare t =
  let wanted = contents (get t "reference") in
  let got = contents (get t "output") in
  match hook t "check-program-output" with
  | Some script ->
      if execute t ~stdout:"" ~stderr:"" [ "sh"; script ] <> WEXITED 0 then
        fail "its script says so"
  | None -> if got <> wanted then fail "prints something else"

let script t =
  let output = get t "output" in
  let t = set "ocamltest_response" "/dev/null" t in
  match execute t ~stdout:output ~stderr:output (list t "script") with
  | WEXITED 0 -> ()
  | ended -> skip "script: %s" (Process.describe ended)

(* The toplevel runs an OCaml program, and its output is kept. *)
let ocaml t =
  command "ocaml %s %s >%s"
    (q (get t "test_file"))
    (get t "arguments")
    (q (get t "compiler_output"))

let ocamlmklib t =
  command "ocamlmklib %s -o %s %s" (get t "flags")
    (q (get t "program"))
    (get t "modules")

let copy t =
  let to_ = get t "dst" in
  List.iter (fun file -> command "cp -R %s %s" (q file) (q to_)) (list t "src")

let library ~source to_ =
  command
    "mkdir -p %s && cp %s/testsuite/lib/* %s && cd %s && ocamlfind ocamlopt \
     lib.mli lib.ml testing.mli testing.ml -a -linkall -o testing.cmxa"
    (q to_) (q source) (q to_) (q to_)
