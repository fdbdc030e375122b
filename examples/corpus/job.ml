type options = { n : int; top : int }

type figures = {
  files : int;
  binaries : int;
  links : int;
  bytes : int;
  lines : int;
  words : int;
  distinct_words : int;
  ngrams : Ngrams.t;
  duplicates : Dupes.group list;
  errors : (string * string) list;
}

let unreadable (files : Walk.file array) statuses =
  List.concat
    (List.mapi
       (fun i (status : Scan.status) ->
         match status with
         | Unreadable reason -> [ (files.(i).path, reason) ]
         | Text _ | Binary -> [])
       (Array.to_list statuses))

let figures (walk : Walk.t) statuses ~distinct_words ngrams (dupes : Dupes.t) =
  let sum f = Array.fold_left (fun n status -> n + f status) 0 statuses in
  let text f = sum (function Scan.Text _ as t -> f t | _ -> 0) in
  {
    files = text (fun _ -> 1);
    binaries = sum (function Binary -> 1 | _ -> 0);
    links = walk.links;
    bytes = sum (function Text { bytes; _ } -> bytes | _ -> 0);
    lines = sum (function Text { lines; _ } -> lines | _ -> 0);
    words = sum (function Text { words; _ } -> words | _ -> 0);
    distinct_words;
    ngrams;
    duplicates = dupes.groups;
    errors =
      List.sort_uniq compare
        (walk.errors @ unreadable walk.files statuses @ dupes.errors);
  }

let words_by_file statuses =
  Array.of_list
    (List.filter_map
       (function Scan.Text { words; _ } -> Some words | _ -> None)
       (Array.to_list statuses))

let blocks text = (Ints.length text + 65535) / 65536

let parallel loops progress { n; top } paths =
  Progress.phase progress "listing files" 0;
  let walk = Walk.parallel loops paths in
  Progress.phase progress "reading and counting" (Array.length walk.files);
  let scan = Scan.parallel loops progress walk.files in
  Progress.phase progress "numbering words" 0;
  let lexicon, text =
    Lexicon.parallel loops scan.pieces ~files:(words_by_file scan.statuses)
  in
  Progress.phase progress "counting phrases" (blocks text);
  let ngrams = Ngrams.parallel loops progress lexicon text ~n ~top in
  Progress.phase progress "comparing files" 0;
  let dupes = Dupes.parallel loops progress walk.files scan.statuses in
  figures walk scan.statuses ~distinct_words:(Lexicon.size lexicon) ngrams dupes

let sequential progress { n; top } paths =
  Progress.phase progress "check: listing" 0;
  let walk = Walk.sequential paths in
  Progress.phase progress "check: reading" (Array.length walk.files);
  let scan = Scan.sequential progress walk.files in
  let lexicon, text =
    Lexicon.sequential scan.pieces ~files:(words_by_file scan.statuses)
  in
  Progress.phase progress "check: phrases" (blocks text);
  let ngrams = Ngrams.sequential progress lexicon text ~n ~top in
  Progress.phase progress "check: comparing" 0;
  let dupes = Dupes.sequential progress walk.files scan.statuses in
  figures walk scan.statuses ~distinct_words:(Lexicon.size lexicon) ngrams dupes

let differences a b =
  let check name same = if same then [] else [ name ] in
  List.concat
    [
      check "files" (a.files = b.files);
      check "binary files" (a.binaries = b.binaries);
      check "symbolic links" (a.links = b.links);
      check "bytes" (a.bytes = b.bytes);
      check "lines" (a.lines = b.lines);
      check "words" (a.words = b.words);
      check "distinct words" (a.distinct_words = b.distinct_words);
      check "phrases" (a.ngrams.total = b.ngrams.total);
      check "distinct phrases" (a.ngrams.distinct = b.ngrams.distinct);
      check "most frequent phrases" (a.ngrams.top = b.ngrams.top);
      check "duplicates" (a.duplicates = b.duplicates);
      check "unreadable files" (a.errors = b.errors);
    ]

let warm_up progress paths =
  Progress.phase progress "warming the cache" 0;
  let walk = Walk.sequential paths in
  Progress.phase progress "warming the cache" (Array.length walk.files);
  Array.iter
    (fun (file : Walk.file) ->
      Interrupt.check ();
      ignore (Text.read file.path : (Text.content, string) result);
      Progress.step progress 1)
    walk.files
