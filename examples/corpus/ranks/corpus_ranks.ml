open Corpus
module Mpi = Dromos_mpi

(* The batches that this rank has read, in their order: their words follow each
   other as those of fewer files would. *)
type read = { statuses : Scan.status array; pieces : Scan.piece array }

let scan world progress files =
  let twins = Scan.twins files and batches = Scan.batches files in
  let here = Array.make (Array.length batches) None in
  let statuses =
    Mpi.Par.init world (Array.length batches) (fun b ->
        let statuses, pieces = Scan.batch progress files twins batches.(b) in
        here.(b) <- Some { statuses; pieces };
        statuses)
  in
  let read = List.filter_map Fun.id (Array.to_list here) in
  ( Array.concat (Array.to_list statuses),
    Array.concat (List.map (fun r -> r.pieces) read),
    Job.words_by_file (Array.concat (List.map (fun r -> r.statuses) read)) )

(* To each rank the words of its share. *)
let words_by_rank world lexicon =
  let n = Mpi.size world in
  let shares = Array.make n [] in
  for id = 0 to Lexicon.size lexicon - 1 do
    let word = Lexicon.word lexicon id in
    let rank = Hashtbl.hash word mod n in
    shares.(rank) <- word :: shares.(rank)
  done;
  shares

let distinct lists =
  let seen = Hashtbl.create 65536 in
  Array.iter (List.iter (fun word -> Hashtbl.replace seen word ())) lists;
  Hashtbl.length seen

let job world progress { Job.n; top } paths =
  Progress.phase progress "listing files" 0;
  let walk = Mpi.broadcast world ~root:0 (fun () -> Walk.parallel paths) in
  Progress.phase progress "reading and counting" (Array.length walk.files);
  let statuses, pieces, files = scan world progress walk.files in
  Progress.phase progress "numbering words" 0;
  let lexicon, text = Lexicon.parallel pieces ~files in
  let distinct_words =
    Mpi.all_to_all world (words_by_rank world lexicon)
    |> distinct |> Mpi.all_reduce world ( + )
  in
  Progress.phase progress "counting phrases" 0;
  let parts = Mpi.size world in
  let ngrams =
    Ngrams.counts progress lexicon text ~n ~parts
    |> Mpi.all_to_all world |> Ngrams.of_counts ~top
    |> Mpi.all_reduce world (Ngrams.join ~top)
  in
  Progress.phase progress "comparing files" 0;
  let loop n map ~combine zero =
    Mpi.Par.map_reduce world ~map ~combine zero n
  in
  let dupes = Dupes.by loop progress walk.files statuses in
  Job.figures walk statuses ~distinct_words ngrams dupes
