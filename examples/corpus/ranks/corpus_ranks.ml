open Corpus
module Mpi = Dromos_mpi

(* The batches read by this rank, in order: their words follow each other like
   the words of a smaller set of files. *)
type read = { statuses : Scan.status array; pieces : Scan.piece array }

let scan world progress files =
  let twins = Scan.twins files and batches = Scan.batches files in
  let here = Array.make (Array.length batches) None in
  Progress.phase progress "reading and counting" (Array.length batches);
  let statuses =
    Mpi.Par.init world ~progress:(Progress.reached progress)
      (Array.length batches) (fun b ->
        let statuses, pieces =
          Scan.batch Loops.dromos Progress.none files twins batches.(b)
        in
        here.(b) <- Some { statuses; pieces };
        statuses)
  in
  let read = List.filter_map Fun.id (Array.to_list here) in
  ( Array.concat (Array.to_list statuses),
    Array.concat (List.map (fun r -> r.pieces) read),
    Job.words_by_file (Array.concat (List.map (fun r -> r.statuses) read)) )

(* {1 A common numbering of words}

   A word's hash determines its owner, a rank. The owner numbers its words in
   the order of arrival: word [k] of rank [r] is [k * ranks + r]. *)

type numbering = {
  world : Mpi.t;
  owned : Vocab.t;  (** the words owned by this rank *)
  numbers : int array;  (** the number of each word of this rank's lexicon *)
}

let owner world word = Hashtbl.hash word mod Mpi.size world

let numbering world lexicon =
  let n = Mpi.size world in
  let ids = Array.make n [] in
  for id = Lexicon.size lexicon - 1 downto 0 do
    let rank = owner world (Lexicon.word lexicon id) in
    ids.(rank) <- id :: ids.(rank)
  done;
  let ids = Array.map Array.of_list ids in
  let asked =
    Mpi.all_to_all world (Array.map (Array.map (Lexicon.word lexicon)) ids)
  in
  let owned = Vocab.create 65536 in
  let number word =
    let k = Vocab.intern_string owned ~hash:(Text.hash word) word in
    (k * n) + Mpi.rank world
  in
  let answers = Mpi.all_to_all world (Array.map (Array.map number) asked) in
  let numbers = Array.make (Lexicon.size lexicon) 0 in
  Array.iteri
    (fun rank ids ->
      Array.iteri (fun i id -> numbers.(id) <- answers.(rank).(i)) ids)
    ids;
  { world; owned; numbers }

(* Asks the owners for the words with the given numbers. *)
let words_of { world; owned; _ } numbers =
  let n = Mpi.size world in
  let asked = Array.make n [] in
  List.iter (fun i -> asked.(i mod n) <- i :: asked.(i mod n)) numbers;
  let asked = Array.map Array.of_list asked in
  let word i = Vocab.word owned (i / n) in
  let answers =
    Mpi.all_to_all world
      (Array.map (Array.map word) (Mpi.all_to_all world asked))
  in
  let words = Hashtbl.create 1024 in
  Array.iteri
    (fun rank numbers ->
      Array.iteri
        (fun k i -> Hashtbl.replace words i answers.(rank).(k))
        numbers)
    asked;
  Hashtbl.find words

(* {1 Phrases} *)

let rec nth_or_last n = function
  | [] -> 1
  | [ x ] -> x
  | x :: rest -> if n = 1 then x else nth_or_last (n - 1) rest

let phrases progress numbering text ~n ~top =
  let { world; numbers; _ } = numbering in
  let merged =
    Ngrams.counts Loops.dromos progress text ~n ~parts:(Mpi.size world)
      ~number:(fun id -> numbers.(id))
    |> Mpi.all_to_all world |> Array.to_list |> Array.concat |> Ngrams.merge ~n
  in
  (* The least count of the most frequent phrases of all ranks. *)
  let least =
    Mpi.all_gather world (Ngrams.greatest ~top merged)
    |> Array.to_list |> List.concat
    |> List.sort (fun a b -> Int.compare b a)
    |> nth_or_last top |> Int.max 1
  in
  let candidates =
    if top = 0 then [] else Ngrams.at_least ~count:least merged
  in
  let word =
    words_of numbering
      (List.sort_uniq Int.compare
         (List.concat_map (fun (gram, _) -> Array.to_list gram) candidates))
  in
  let show (gram, count) =
    (String.concat " " (Array.to_list (Array.map word gram)), count)
  in
  Ngrams.of_merged ~top merged (List.map show candidates)
  |> Mpi.all_reduce world (Ngrams.join ~top)

let job world progress { Job.n; top } paths =
  Progress.phase progress "listing files" 0;
  let walk =
    Mpi.broadcast world ~root:0 (fun () -> Walk.parallel Loops.dromos paths)
  in
  let statuses, pieces, files = scan world progress walk.files in
  Progress.phase progress "numbering words" 0;
  let lexicon, text = Lexicon.parallel Loops.dromos pieces ~files in
  let numbering = numbering world lexicon in
  let distinct_words =
    Mpi.all_reduce world ( + ) (Vocab.size numbering.owned)
  in
  (* The progress counts this rank's text: all ranks have about equal
     amounts. *)
  Progress.phase progress "counting phrases" (Job.blocks text);
  let ngrams = phrases progress numbering text ~n ~top in
  let loop n map ~combine zero =
    Progress.phase progress "comparing files" n;
    Mpi.Par.map_reduce world
      ~progress:(Progress.reached progress)
      ~map ~combine ~init:zero n
  in
  let dupes = Dupes.by loop Progress.none walk.files statuses in
  Job.figures walk statuses ~distinct_words ngrams dupes
