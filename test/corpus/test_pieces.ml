(* The pieces of the corpus job: against results computed by hand, and against
   naive code on random texts. *)

open Corpus

let seed =
  match Sys.getenv_opt "DROMOS_SEED" with
  | Some s -> int_of_string s
  | None ->
      Random.self_init ();
      Random.bits ()

let () =
  Printf.printf "seed %d (DROMOS_SEED=%d draws the same again)\n%!" seed seed;
  Random.init seed

let quiet = Progress.create ~enabled:false
let check_int = Alcotest.(check int)
let check_strings = Alcotest.(check (list string))

(* The words of a text, and its lines, by the module under test. *)
let words_of text =
  let vocab = Vocab.create 1 and ids = Ints.empty () in
  let lines =
    Text.words (Bytes.of_string text) 0 (String.length text) vocab ids
  in
  ( List.init (Ints.length ids) (fun i -> Vocab.word vocab (Ints.get ids i)),
    lines )

let test_words () =
  let check text words lines =
    let w, l = words_of text in
    check_strings (String.escaped text) words w;
    check_int "lines" lines l
  in
  check "" [] 0;
  check "one" [ "one" ] 0;
  check "Let x' = a_b in\n(* DON'T *)\n" [ "let"; "x'"; "a_b"; "in"; "don't" ] 2;
  check "12 0x1F 3rd a1 _b 'c'" [ "a1"; "b"; "c'" ] 0;
  check "na\xc3\xafve \xe2\x82\xac" [ "na\xc3\xafve"; "\xe2\x82\xac" ] 0;
  check "\n\n\r\n" [] 3

let test_cut () =
  for _ = 1 to 200 do
    let text =
      String.init (Random.int 300) (fun _ -> "ab \n1'".[Random.int 6])
    in
    let bytes = Bytes.of_string text in
    let cuts =
      Text.cut bytes (Bytes.length bytes) ~target:(1 + Random.int 40)
    in
    let pieces =
      Array.to_list cuts
      |> List.map (fun (from, until) -> String.sub text from (until - from))
    in
    Alcotest.(check string) "cover" text (String.concat "" pieces);
    check_strings "same words"
      (fst (words_of text))
      (List.concat_map (fun p -> fst (words_of p)) pieces)
  done

(* Colliding words: all have an equal hash. *)
let test_vocab () =
  let vocab = Vocab.create 1 in
  let number w = Vocab.intern_string vocab ~hash:7 w in
  let words = List.init 500 string_of_int in
  let numbers = List.map number words in
  Alcotest.(check (list int)) "in order" (List.init 500 Fun.id) numbers;
  Alcotest.(check (list int)) "again" numbers (List.map number words);
  check_strings "back" words (List.map (Vocab.word vocab) numbers)

(* Naive n-grams of files given as lists of words. *)
let naive n top files =
  let counts = Hashtbl.create 16 in
  let total = ref 0 in
  let rec windows = function
    | [] -> ()
    | _ :: rest as words ->
        if List.length words >= n then begin
          let gram =
            String.concat " " (List.filteri (fun i _ -> i < n) words)
          in
          incr total;
          Hashtbl.replace counts gram
            (1 + Option.value ~default:0 (Hashtbl.find_opt counts gram));
          windows rest
        end
  in
  List.iter windows files;
  let all = List.of_seq (Hashtbl.to_seq counts) in
  let before (a, m) (b, n) = if m <> n then compare n m else compare a b in
  ( !total,
    Hashtbl.length counts,
    List.filteri (fun i _ -> i < top) (List.sort before all) )

let random_files () =
  List.init (Random.int 12) (fun _ ->
      List.init (Random.int 60) (fun _ ->
          String.make 1 (Char.chr (97 + Random.int 4))))

let with_files files f =
  Tree.fresh @@ fun dir ->
  List.iteri
    (fun i words ->
      Tree.write dir
        (Printf.sprintf "d%d/%03d" (i mod 3) i)
        (String.concat " " words))
    files;
  f dir

let hubs = Array.of_list Dromos.Hub.all

(* The job on some worker count and hub drawn at random. *)
let parallel options dir =
  let workers = 1 + Random.int 4 in
  let hub = hubs.(Random.int (Array.length hubs)) in
  Dromos.run ~workers ~hub (fun () ->
      Job.parallel Loops.dromos quiet options [ dir ])

let test_ngrams () =
  for _ = 1 to 25 do
    let files = random_files () in
    let n = 1 + Random.int 6 and top = 1 + Random.int 20 in
    with_files files @@ fun dir ->
    let check name (f : Job.figures) =
      let total, distinct, best = naive n top files in
      check_int (name ^ ": total") total f.ngrams.total;
      check_int (name ^ ": distinct") distinct f.ngrams.distinct;
      Alcotest.(check (list (pair string int)))
        (name ^ ": top") best f.ngrams.top
    in
    check "parallel" (parallel { n; top } dir);
    check "sequential" (Job.sequential quiet { n; top } [ dir ])
  done

(* Large enough for several batches, pieces, blocks and partitions; phrases span
   the cuts. *)
let test_large () =
  Tree.fresh @@ fun dir ->
  let word () =
    String.make (1 + Random.int 3) (Char.chr (97 + Random.int 26))
  in
  let text n = String.concat " " (List.init n (fun _ -> word ())) in
  Tree.write dir "large" (text 300_000);
  for i = 1 to 60 do
    Tree.write dir (Printf.sprintf "many/%d" i) (text 2_000)
  done;
  Tree.write dir "copy/of/large"
    (In_channel.with_open_bin
       (Filename.concat dir "large")
       In_channel.input_all);
  let options = { Job.n = 2; top = 25 } in
  let a = parallel options dir in
  let b = Job.sequential quiet options [ dir ] in
  check_strings "no difference" [] (Job.differences a b);
  check_int "words" 720_000 a.words;
  check_int "files" 62 a.files;
  check_int "distinct words" 78 a.distinct_words;
  check_int "phrases" (720_000 - 62) a.ngrams.total;
  check_int "top" 25 (List.length a.ngrams.top);
  check_int "one duplicate" 1 (List.length a.duplicates)

let test_duplicates () =
  Tree.fresh @@ fun dir ->
  let write = Tree.write dir in
  write "a/one" "the same text";
  write "b/two" "the same text";
  write "c/d/three" "the same text";
  write "same size" "THE SAME TEXT";
  write "empty1" "";
  write "empty2" "";
  write "x" "xy";
  write "y" "xy";
  let path = Filename.concat dir in
  Unix.link (path "x") (path "z");
  let check (f : Job.figures) =
    Alcotest.(check (list (pair int (list string))))
      "groups, most to spare first"
      [
        (26, List.map path [ "a/one"; "b/two"; "c/d/three" ]);
        (2, List.map path [ "x"; "y"; "z" ]);
      ]
      (List.map (fun (g : Dupes.group) -> (g.spare, g.paths)) f.duplicates);
    check_int "files" 9 f.files
  in
  let options = { Job.n = 1; top = 1 } in
  check (parallel options dir);
  check (Job.sequential quiet options [ dir ])

(* Files that agree in size and, in the test's claim, in their digest. *)
let test_false_digest () =
  Tree.fresh @@ fun dir ->
  List.iter
    (fun (name, content) -> Tree.write dir name content)
    [
      ("a", "aaaa"); ("b", "bbbb"); ("c", "aaaa"); ("d", "bbbb"); ("e", "cccc");
    ];
  let walk = Walk.sequential [ dir ] in
  let lie =
    Array.map
      (fun _ -> Scan.Text { bytes = 4; lines = 0; words = 1; digest = "same" })
      walk.files
  in
  let groups = (Dupes.sequential quiet walk.files lie).groups in
  Alcotest.(check (list (list string)))
    "by content"
    [ [ "a"; "c" ]; [ "b"; "d" ] ]
    (List.map
       (fun (g : Dupes.group) -> List.map Filename.basename g.paths)
       groups)

let test_walk () =
  Tree.fresh @@ fun dir ->
  Tree.write dir "a/b/c/deep" "x";
  Tree.write dir "top" "y";
  Unix.symlink ".." (Filename.concat dir "a/loop");
  Unix.symlink "nowhere" (Filename.concat dir "dangling");
  Unix.mkfifo (Filename.concat dir "fifo") 0o600;
  let check (w : Walk.t) =
    check_strings "files"
      (List.map (Filename.concat dir) [ "a/b/c/deep"; "top" ])
      (Array.to_list (Array.map (fun (f : Walk.file) -> f.path) w.files));
    check_int "links" 2 w.links;
    check_int "errors" 0 (List.length w.errors)
  in
  check (Walk.sequential [ dir ]);
  check (Dromos.run ~workers:2 (fun () -> Walk.parallel Loops.dromos [ dir ]));
  let inside = Filename.concat dir "a" in
  Alcotest.(check (result (list string) string))
    "a path inside another counts once" (Ok [ dir ])
    (Walk.roots [ inside; dir; dir ])

(* Loops inside loops, in every order of the domains: a domain has one piece at a
   time, and all pieces are there. *)
let test_recording () =
  let workers = 1 + Random.int 4 in
  let progress = Progress.create ~enabled:false in
  let recording = Recording.create progress in
  let loops = Recording.loops recording Loops.dromos in
  let inner = Atomic.make 0 in
  let work () =
    Atomic.incr inner;
    ignore (Sys.opaque_identity (List.init 2000 Fun.id) : int list)
  in
  let sums =
    Dromos.run ~workers (fun () ->
        Recording.during recording (fun () ->
            Progress.phase progress "first" 0;
            let sums =
              loops.init 20 (fun i ->
                  work ();
                  let sum =
                    loops.reduce 10
                      (fun j ->
                        work ();
                        i + j)
                      ~combine:( + ) 0
                  in
                  work ();
                  sum)
            in
            Progress.phase progress "second" 0;
            loops.init 3 (fun i -> sums.(i))))
  in
  Alcotest.(check (array int)) "results" [| 45; 55; 65 |] sums;
  check_int "work" 240 (Atomic.get inner);
  let spans = Recording.spans recording in
  (* 200 inner pieces, 20 outer ones in two parts, three of the second loop, and
     the job around the loops in three parts. *)
  check_int "pieces" 246 (List.length spans);
  let ends = Hashtbl.create 4 in
  List.iter
    (fun (s : Recording.span) ->
      let before =
        Option.value (Hashtbl.find_opt ends s.domain) ~default:neg_infinity
      in
      if s.start < before || s.stop < s.start then Alcotest.fail "overlap";
      Hashtbl.replace ends s.domain s.stop)
    spans;
  let page =
    Recording.page recording ~title:"a <title>" ~workers ~facts:[ ("a", "b") ]
  in
  List.iter
    (fun part ->
      if not (Said.contains page part) then Alcotest.failf "no %S" part)
    [ "<!doctype html>"; "a &lt;title"; "first"; "second"; "workers at work" ];
  (* A piece that raises is recorded too. *)
  match
    Dromos.run (fun () ->
        Recording.during recording (fun () ->
            loops.init 3 (fun i -> if i = 1 then failwith "no luck")))
  with
  | _ -> Alcotest.fail "no exception"
  | exception Failure _ ->
      if List.length (Recording.spans recording) <= 246 then
        Alcotest.fail "nothing recorded"

let test_differences () =
  Tree.fresh @@ fun dir ->
  Tree.write dir "f" "a b c a b";
  let options = { Job.n = 2; top = 3 } in
  let f = Job.sequential quiet options [ dir ] in
  check_strings "none" [] (Job.differences f f);
  check_strings "words" [ "words" ]
    (Job.differences f { f with words = f.words + 1 });
  check_strings "phrases"
    [ "most frequent phrases" ]
    (Job.differences f
       { f with ngrams = { f.ngrams with top = List.rev f.ngrams.top } })

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run ~verbose:false "corpus: pieces"
    [
      ("text", [ case "words and lines" test_words; case "cutting" test_cut ]);
      ("vocabulary", [ case "colliding hashes" test_vocab ]);
      ( "phrases",
        [
          case "against naive code" test_ngrams; case "a large text" test_large;
        ] );
      ( "duplicates",
        [
          case "groups, empty files, hard links" test_duplicates;
          case "digests that collide" test_false_digest;
        ] );
      ("walk", [ case "links, loops, special files" test_walk ]);
      ("recording", [ case "pieces of nested loops" test_recording ]);
      ("check", [ case "differences are seen" test_differences ]);
    ]
