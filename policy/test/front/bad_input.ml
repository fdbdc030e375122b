(* Runs the command on texts that are no policies. Each run must end with status
   2 and a short message, never with an exception. *)

let command = Sys.argv.(1)
let fifo = In_channel.with_open_bin Sys.argv.(2) In_channel.input_all
let repeat n text = String.concat "" (List.init n (fun _ -> text))

(* A policy with more declarations, so that only these can be wrong. *)
let with_ more =
  let heading = "scheduler fifo = {" in
  match Str.search_forward (Str.regexp_string heading) fifo 0 with
  | at ->
      let from = at + String.length heading in
      heading ^ more ^ String.sub fifo from (String.length fifo - from)
  | exception Not_found -> failwith "fifo.policy begins otherwise"

let chain n =
  let f i =
    Printf.sprintf "int f%d() { return f%d() + f%d(); }\n" i (i + 1) (i + 1)
  in
  String.concat "" (List.init n f)

let refused =
  [
    ("empty", "");
    ("white", " \n\t\n");
    ("binary", String.init 5000 (fun i -> Char.chr (i * 7919 mod 256)));
    ("utf-16", "s\000c\000h\000e\000d\000");
    ("latin", with_ "int \xe9;");
    ("1 MB", with_ (repeat 1_000_000 " "));
    ("nest", with_ ("const int a = " ^ repeat 100_000 "(" ^ "1;"));
    ("braces", "scheduler x = " ^ repeat 100_000 "{");
    ("ifs", with_ ("void f() { " ^ repeat 28_000 "if(true)" ^ "return; }"));
    ("types", with_ "const int a = true;");
    ("many errors", with_ (repeat 4000 "const int q = z;\n"));
    ("recursion", with_ (chain 1000 ^ "int f1000() { return f0(); }"));
    ("no such function", with_ (chain 1000));
    ("calls that double",
     with_ (chain 40 ^ "int f40() { return 1; }"
            ^ "interface = { void attach(thread t) { int i = f0(); t => ready; } }"));
    ("moves on many paths", with_
      ("void m(thread t) { " ^ repeat 30 "if (t.load > 1) t => ready; " ^ "}"
       ^ "interface = { void attach(thread t) { " ^ repeat 30 "m(t); " ^ "} }"));
  ]
[@@ocamlformat "disable"]

(* Large, but right. *)
let accepted =
  [
    ("nots", with_ ("const bool a = " ^ repeat 50_000 "!" ^ "true;"));
    ("sum", with_ ("const int a = " ^ repeat 50_000 "1 +" ^ "1;"));
    ("calls", with_ (chain 1000 ^ "int f1000() { return 1; }"));
    ( "elses",
      with_ ("void f() { " ^ repeat 3000 "if (true) return; else " ^ "return; }")
    );
  ]

let read file = In_channel.with_open_bin file In_channel.input_all
let failures = ref 0

let has text part =
  try Str.search_forward (Str.regexp_string part) text 0 >= 0
  with Not_found -> false

let run ?(says = "") ?(silent = false) name ~status arguments =
  let started = Unix.gettimeofday () in
  let line =
    Printf.sprintf "%s policy %s > out.txt 2> err.txt" (Filename.quote command)
      arguments
  in
  let got = Sys.command line in
  let said = read "err.txt" and took = Unix.gettimeofday () -. started in
  let wrong =
    if got <> status then Some (Printf.sprintf "status %d" got)
    else if status = 2 && said = "" then Some "nothing is said"
    else if silent && said <> "" then Some "something is said"
    else if String.length said > 20_000 then Some "too much is said"
    else if not (has said says) then Some ("does not say " ^ says)
    else if took > 120. then Some (Printf.sprintf "%.0f s" took)
    else None
  in
  match wrong with
  | None -> Printf.printf "PASS %s\n" name
  | Some why ->
      incr failures;
      Printf.printf "FAIL %s: %s\n%s\n" name why
        (String.sub said 0 (min 1000 (String.length said)))

let with_file text f =
  Out_channel.with_open_bin "it.policy" (fun channel ->
      Out_channel.output_string channel text);
  f "it.policy"

let () =
  List.iter
    (fun (name, text) ->
      with_file text (fun file -> run name ~status:2 ("check --syntax " ^ file)))
    refused;
  List.iter
    (fun (name, text) ->
      with_file text (fun file -> run name ~status:0 ("check --syntax " ^ file)))
    accepted;
  with_file ("\xEF\xBB\xBF" ^ fifo) (fun file ->
      run "a mark of UTF-8" ~status:0 ("check --syntax " ^ file));
  with_file (with_ "int \xC3\xA9;") (fun file ->
      run "a letter of UTF-8" ~status:2 ~says:"`\xC3\xA9` is used"
        ("check --syntax " ^ file));
  with_file fifo (fun file ->
      let simulate = "simulate " ^ file ^ " " in
      run "a negative load" ~status:124 ~says:"-1 is not a positive number"
        (simulate ^ "--load -1");
      run "a large load" ~status:2 ~says:"10000 are the most"
        (simulate ^ "--load 1e9");
      run "a large length" ~status:2 ~says:"times the usual length"
        (simulate ^ "--length 1e9");
      run "a short tick" ~status:124 ~says:"from 1 on" (simulate ^ "--tick 1e-9"));
  with_file
    (with_
       ("core k() { return first(system_cores() order = { "
      ^ repeat 33 "lowest cload, " ^ "lowest cload }); }"))
    (fun file ->
      run "many keys" ~status:2 ~says:"more than 32 keys"
        ("check --syntax " ^ file));
  List.iter
    (fun command ->
      run (command ^ " --help") ~status:0 ~silent:true
        (command ^ " --help=plain"))
    [ "boot"; "certify"; "check"; "compile"; "fmt"; "log"; "simulate" ];
  with_file fifo (fun file ->
      run "several policies" ~status:0 ~silent:true
        (Printf.sprintf "check --syntax %s %s" file file);
      run "several, and one is not there" ~status:2 ~says:"missing.policy"
        (Printf.sprintf "check --syntax missing.policy %s" file);
      run "one file of several" ~status:2 ~says:"--export-why3"
        (Printf.sprintf "check --export-why3 x.mlw %s %s" file file);
      run "several as JSON" ~status:2 ~says:"missing.policy"
        (Printf.sprintf "check --json missing.policy %s" file);
      let json = String.trim (read "out.txt") in
      if
        not
          (String.starts_with ~prefix:"[" json
          && String.ends_with ~suffix:"]" json)
      then begin
        incr failures;
        print_endline "FAIL several policies are a JSON array"
      end);
  (* Needs more than the stack of BPF: the message has the line of the
     handler. *)
  let wide =
    Str.replace_first
      (Str.regexp_string "On tick { }")
      ("On tick {\n"
      ^ String.concat ""
          (List.init 900 (fun i ->
               Printf.sprintf "int x%d = self.cload + %d;\n" i i))
      ^ "if ("
      ^ String.concat " + " (List.init 900 (Printf.sprintf "x%d"))
      ^ " > 0) e.target => ready;\n}")
      fifo
  in
  with_file wide (fun file ->
      run "a wide handler" ~status:2 ~says:"" ("boot --kernel /dev/null " ^ file);
      let said = read "err.txt" in
      if has said "not installed" then
        print_endline "a wide handler: clang or qemu is not here"
      else if not (has said "this one, which has the most") then begin
        incr failures;
        Printf.printf "FAIL a wide handler: %s" said
      end);
  run "a directory" ~status:2 "check --syntax .";
  run "no file" ~status:2 "check --syntax missing.policy";
  run "fmt of a directory" ~status:2 "fmt .";
  with_file "scheduler x={}" (fun file ->
      run "not laid out" ~status:1 ("fmt --check " ^ file);
      run "laid out" ~status:0 ("fmt " ^ file);
      run "laid out now" ~status:0 ("fmt --check " ^ file);
      if read file <> "scheduler x = {\n}\n" then begin
        incr failures;
        Printf.printf "FAIL fmt writes:\n%s" (read file)
      end);
  with_file "scheduler x = {" (fun file ->
      run "fmt of half a policy" ~status:2 ("fmt " ^ file);
      if read file <> "scheduler x = {" then begin
        incr failures;
        print_endline "FAIL fmt changed what it could not read"
      end);
  exit (min 1 !failures)
