type status =
  | Text of { bytes : int; lines : int; words : int; digest : string }
  | Binary
  | Unreadable of string

type piece = { vocab : Vocab.t; ids : Ints.t }
type t = { statuses : status array; pieces : piece array }

let batch_bytes = 128 * 1024
let piece_bytes = 256 * 1024

let twins (files : Walk.file array) =
  let seen = Hashtbl.create (Array.length files) in
  Array.iter
    (fun (f : Walk.file) ->
      let n = Option.value (Hashtbl.find_opt seen f.size) ~default:0 in
      Hashtbl.replace seen f.size (n + 1))
    files;
  Array.map (fun (f : Walk.file) -> Hashtbl.find seen f.size > 1) files

(* A file whose size has changed since the walk is digested too: the sizes no
   longer show whether the file has a twin. *)
let digest_if (file : Walk.file) twin buffer length =
  if twin || length <> file.size then Text.digest buffer length else ""

let new_piece () = { vocab = Vocab.create 256; ids = Ints.empty () }

(* Reads a file. For a text, [count buffer length] returns [(lines, words)]. *)
let read_file progress (file : Walk.file) twin count =
  Interrupt.check ();
  let status : status =
    match Text.read file.path with
    | Error reason -> Unreadable reason
    | Ok Binary -> Binary
    | Ok (Text (buffer, length)) ->
        (* The digest comes before the counting, since the counting lowers the
           case in the buffer. *)
        let digest = digest_if file twin buffer length in
        let lines, words = count buffer length in
        Text { bytes = length; lines; words; digest }
  in
  Progress.step progress 1;
  status

let count_into piece buffer length =
  let before = Ints.length piece.ids in
  let lines = Text.words buffer 0 length piece.vocab piece.ids in
  (lines, Ints.length piece.ids - before)

(* Different fibers write the pieces of one buffer, each in its own part of the
   buffer. *)
let count_large loops pieces buffer length =
  let cuts = Text.cut buffer length ~target:piece_bytes in
  let counted =
    Loops.map loops
      (fun (from, until) ->
        Interrupt.check ();
        let piece = new_piece () in
        let lines = Text.words buffer from until piece.vocab piece.ids in
        (piece, lines))
      cuts
  in
  pieces := Array.map fst counted;
  Array.fold_left
    (fun (l, w) (piece, lines) -> (l + lines, w + Ints.length piece.ids))
    (0, 0) counted

let batch loops progress files twins (from, until) =
  if until - from = 1 then begin
    let pieces = ref [||] in
    let status =
      read_file progress files.(from) twins.(from) (count_large loops pieces)
    in
    ([| status |], !pieces)
  end
  else begin
    let piece = new_piece () in
    let statuses =
      Array.init (until - from) (fun i ->
          read_file progress
            files.(from + i)
            twins.(from + i)
            (count_into piece))
    in
    (statuses, [| piece |])
  end

(* Neighbours form a batch of at most [batch_bytes]; a larger file is a batch of
   its own. *)
let batches (files : Walk.file array) =
  let n = Array.length files in
  let rec go from until bytes acc =
    if until = n then if from = n then acc else (from, n) :: acc
    else
      let size = files.(until).size in
      if until > from && bytes + size > batch_bytes then
        go until until 0 ((from, until) :: acc)
      else go from (until + 1) (bytes + size) acc
  in
  Array.of_list (List.rev (go 0 0 0 []))

let parallel loops progress files =
  let twins = twins files in
  let scanned =
    Loops.map loops (batch loops progress files twins) (batches files)
  in
  let gather f = Array.concat (Array.to_list (Array.map f scanned)) in
  { statuses = gather fst; pieces = gather snd }

let sequential progress files =
  let twins = twins files in
  let piece = { vocab = Vocab.create 65536; ids = Ints.empty () } in
  let statuses =
    Array.map2
      (fun file twin -> read_file progress file twin (count_into piece))
      files twins
  in
  { statuses; pieces = [| piece |] }
