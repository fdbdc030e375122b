(* Titles, texts and words of every kind: what is kept is UTF-8, passages have the
   words that were found, and failures are told on both sides. *)

open Served
open Documents
open Lwt.Syntax

let check_int = Watch.check Alcotest.int
let check_string = Watch.check Alcotest.string

let post title text =
  Yojson.Safe.to_string
    (`Assoc [ ("title", `String title); ("text", `String text) ])

let added t ?(title = "t") text =
  let* answer = ask t ~meth:"POST" ~body:(post title text) "/documents" in
  check_int answer.body 201 answer.status;
  Lwt.return Yojson.Safe.Util.(json answer |> member "id" |> to_int)

let refused t body what = expect t ~meth:"POST" ~body "/documents" 400 what

(* {1 UTF-8} *)

let wrong =
  [
    ("a lone byte", "\xff");
    ("Latin-1", "caf\xe9");
    ("overlong", "\xc0\xaf");
    ("overlong zero", "\xc0\x80");
    ("a surrogate", "\xed\xa0\x80");
    ("beyond Unicode", "\xf4\x90\x80\x80");
    ("cut off", "\xe2\x82");
  ]

let test_utf_8 () =
  run @@ fun t ->
  let* () =
    Lwt_list.iter_s
      (fun (_, bytes) ->
        let* () = refused t (post "t" bytes) "not UTF-8" in
        let* () = refused t (post bytes "x") "not UTF-8" in
        let* () = refused t ("{" ^ bytes) "not UTF-8" in
        let escaped =
          String.concat ""
            (List.map
               (fun c -> Printf.sprintf "%%%02x" (Char.code c))
               (List.of_seq (String.to_seq bytes)))
        in
        let* () = expect t ("/documents?q=" ^ escaped) 400 "not UTF-8" in
        (* The bytes come back in no answer. *)
        Lwt_list.iter_s
          (fun path ->
            let* answer = ask t path in
            if not (String.is_valid_utf_8 answer.body) then
              Alcotest.failf "%s: %S" path answer.body;
            ignore (json answer : Yojson.Safe.t);
            Lwt.return_unit)
          [
            "/documents/" ^ escaped;
            "/" ^ escaped;
            "/" ^ bytes;
            "/documents/" ^ bytes;
          ])
      wrong
  in
  let text escape = Printf.sprintf {|{"title":"t","text":"a%sb"}|} escape in
  let* () = refused t (text {|\ud800|}) "no JSON" in
  let* () = refused t (text {|\ud800\ud800|}) "no JSON" in
  let* () = refused t (text {|\udc00|}) "text is not UTF-8" in
  let* () = refused t (text {|\u0000|}) "text has a zero byte" in
  let* () = refused t {|{"title":"\udfff","text":""}|} "title is not UTF-8" in
  (* Right ones come back as they were. *)
  Lwt_list.iter_s
    (fun text ->
      let* id = added t ~title:text text in
      let* answer = ask t (Printf.sprintf "/documents/%d" id) in
      let of_ name =
        Yojson.Safe.Util.(json answer |> member name |> to_string)
      in
      check_string "text" text (of_ "text");
      check_string "title" text (of_ "title");
      Lwt.return_unit)
    [
      "";
      "caf\u{e9}";
      "\u{1F600}";
      "\u{FFFF}";
      "\x01\x7f\t\"\\";
      "\u{D7FF}\u{E000}";
    ]

(* A database may have other bytes from before. *)
let test_old_bytes () =
  with_folder @@ fun database ->
  let store = Store.connect database in
  let id = Store.add store ~title:"\xff old" ~text:"a caf\xe9 zebra" in
  Store.close store;
  run ~database @@ fun t ->
  let* () = expect t (Printf.sprintf "/documents/%d" id) 200 "\u{FFFD} old" in
  expect t "/documents?q=zebra" 200 "a caf\u{FFFD} zebra"

(* {1 Passages} *)

let far = String.concat "" (List.init 50 (Printf.sprintf "line %d\n"))

let passages =
  [
    (* the text behind many lines, the words, parts of the passage *)
    ("let fold_left f = f", "fold left", "fold_left");
    ("let fold_left f = f", "fold_left", "fold_left");
    ("let fold_left f = f", "FOLD Left", "fold_left");
    ("List.fold_left", "list fold", "List.fold_left");
    ("the Caf\u{e9}", "cafe", "Caf\u{e9}");
    ("the cafe", "CAF\u{C9}", "the cafe");
    ("x86_64 is", "x86", "x86_64");
    ("9042 and\n9043", "9043 9042", "9042 and\n9043");
    ("left left left\n\n\n\n\nfold left", "fold left", "fold left");
    ("it's", "it's", "it's");
  ]

let test_passages () =
  run @@ fun t ->
  Lwt_list.iter_s
    (fun (text, words, part) ->
      let title = "passage of " ^ words in
      let* id = added t ~title (far ^ text ^ "\n" ^ far) in
      let uri =
        Uri.add_query_param' (Uri.of_string "/documents?limit=100") ("q", words)
      in
      let* answer = ask t (Uri.to_string uri) in
      let open Yojson.Safe.Util in
      let hit d = member "id" d |> to_int = id in
      match
        List.find_opt hit (json answer |> member "documents" |> to_list)
      with
      | None -> Alcotest.failf "%s: not found in %s" words answer.body
      | Some d ->
          let passage = member "passage" d |> to_string in
          if not (Said.contains passage part) then
            Alcotest.failf "%s: %S" words passage;
          Lwt.return_unit)
    passages

(* The README's own search: every passage has one of the words. *)
let test_standard () =
  with_folder @@ fun database ->
  let store = Store.connect database in
  Store.fill store (Folder.texts Folder.standard);
  Store.close store;
  run ~database @@ fun t ->
  let* answer = ask t "/documents?q=fold+left&limit=100" in
  let open Yojson.Safe.Util in
  let hits = json answer |> member "documents" |> to_list in
  if List.length hits < 5 then Alcotest.fail answer.body;
  List.iter
    (fun d ->
      let passage = String.lowercase_ascii (member "passage" d |> to_string) in
      List.iter
        (fun word ->
          if not (Said.contains passage word) then
            Alcotest.failf "%s has no %s: %s"
              (member "title" d |> to_string)
              word passage)
        [ "fold"; "left" ])
    (List.filteri (fun i _ -> i < 5) hits);
  Lwt.return_unit

(* Words that are none of the index's, and its operators. *)
let test_words () =
  run @@ fun t ->
  Lwt_list.iter_s
    (fun (q, hits) ->
      let* answer = ask t ("/documents?q=" ^ q) in
      check_int (q ^ ": " ^ answer.body) 200 answer.status;
      let found =
        Yojson.Safe.Util.(json answer |> member "documents" |> to_list)
      in
      check_int q hits (List.length found);
      Lwt.return_unit)
    [
      ("zebra", 1);
      ("zebra*", 1);
      ("%22zebra", 1);
      ("zebra+NEAR(", 0);
      ("zebra+OR", 0);
      ("title:zebra", 0);
      ("_", 0);
      ("%E2%80%94", 0);
      ("-", 4);
      ("%00", 4);
      ("", 4);
      ("zebra" ^ String.concat "" (List.init 3000 (fun _ -> "+a")), 1);
    ]

(* {1 Failures} *)

let spoil database sql =
  let db = Sql.open_ database in
  Sql.run db sql;
  Sql.close db

let logged lines part =
  match List.filter (fun line -> Said.contains line part) !lines with
  | [ line ] ->
      if String.contains line '\n' then Alcotest.failf "two lines: %S" line
  | found -> Alcotest.failf "%d lines with %S" (List.length found) part

let test_failures () =
  with_folder @@ fun database ->
  let lines = ref [] in
  run ~database ~log:(fun line -> lines := line :: !lines) @@ fun t ->
  let* () = expect t "/documents/1" 200 "first" in
  spoil database "DROP TABLE documents";
  let* () = expect t "/documents/1" 500 "no such table" in
  logged lines {|GET "/documents/1"|};
  let* () =
    expect t ~meth:"POST" ~body:(post "a" "b") "/documents" 500 "no such table"
  in
  logged lines {|POST "/documents"|};
  let* () = expect t ~meth:"POST" "/jobs?wait" 500 "no such table" in
  logged lines "job 1 failed: ";
  check_int "lines" 3 (List.length !lines);
  (* A job that cannot be noted is not accepted. *)
  spoil database "DROP TABLE jobs";
  lines := [];
  let* () = expect t ~meth:"POST" "/jobs" 500 "no such table" in
  logged lines {|POST "/jobs"|};
  check_int "waiting" 0 (Web.Service.jobs t.service).waiting;
  expect t "/metrics" 200 {|status="500"|}

(* A transaction that fails at any point leaves its connection usable. *)
let test_full () =
  with_folder @@ fun database ->
  let store = Store.connect database in
  let db = Sql.open_ database in
  Sql.run db "CREATE TABLE small(text)";
  let pages = Sql.number db "PRAGMA page_count" in
  Sql.run db (Printf.sprintf "PRAGMA max_page_count = %d" (pages + 2));
  let insert n () =
    Sql.change db "INSERT INTO small VALUES (?)"
      [ Sql.text (String.make n 'x') ]
  in
  (match Sql.transaction db (insert 1_000_000) with
  | () -> Alcotest.fail "there was room"
  | exception Failure reason ->
      if not (Said.contains reason "full") then Alcotest.fail reason);
  Sql.transaction db (insert 10);
  check_int "kept" 1 (Sql.number db "SELECT count(*) FROM small");
  Sql.close db;
  Store.close store

let () =
  Watch.suite "web: texts" @@ fun () ->
  let case = Watch.case in
  Alcotest.run "web: texts"
    [
      ( "UTF-8",
        [ case "wrong and right" test_utf_8; case "old bytes" test_old_bytes ]
      );
      ( "search",
        [
          case "passages" test_passages;
          case "the standard library" test_standard;
          case "words" test_words;
        ] );
      ( "failures",
        [ case "told" test_failures; case "a full database" test_full ] );
    ]
