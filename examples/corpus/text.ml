type content = Text of Bytes.t * int | Binary

let sniffed = 8192

(* Reads from [length] on until the buffer is full or the file ends. *)
let rec fill fd buffer length =
  if length = Bytes.length buffer then length
  else
    match Unix.read fd buffer length (Bytes.length buffer - length) with
    | 0 -> length
    | n -> fill fd buffer (length + n)
    | exception Unix.Unix_error (EINTR, _, _) -> fill fd buffer length

(* Reads until the end of the file, which only a buffer with room left can
   show. *)
let rec read_on fd buffer length =
  let length = fill fd buffer length in
  if length < Bytes.length buffer then Text (buffer, length)
  else begin
    let larger = Bytes.create (2 * Bytes.length buffer) in
    Bytes.blit buffer 0 larger 0 length;
    read_on fd larger length
  end

(* Uses Unix rather than In_channel: no second buffer, and the size is only a
   hint (the size is 0 for files of /proc, and a file may grow meanwhile). *)
let read_open fd =
  let size = (Unix.fstat fd).st_size in
  (* The buffer has an extra byte, so that the reader sees the end without
     growing the buffer. *)
  let buffer = Bytes.create (max (sniffed + 1) (size + 1)) in
  let head = min (Bytes.length buffer) sniffed in
  let rec sniff length =
    match Unix.read fd buffer length (head - length) with
    | 0 -> length
    | n -> if length + n < head then sniff (length + n) else length + n
    | exception Unix.Unix_error (EINTR, _, _) -> sniff length
  in
  let length = sniff 0 in
  let rec has_nul i =
    i < length && (Bytes.get buffer i = '\000' || has_nul (i + 1))
  in
  if has_nul 0 then Binary else read_on fd buffer length

let read path =
  try
    let fd = Unix.openfile path [ O_RDONLY; O_CLOEXEC; O_NONBLOCK ] 0 in
    Fun.protect ~finally:(fun () -> Unix.close fd) (fun () -> Ok (read_open fd))
  with
  | Unix.Unix_error (e, _, _) -> Error (Unix.error_message e)
  | Invalid_argument _ | Out_of_memory -> Error "too large to be held in memory"

let digest buffer length = Digest.BLAKE128.subbytes buffer 0 length
let is_space = function ' ' | '\n' | '\t' | '\r' -> true | _ -> false

let cut buffer length ~target =
  let rec space i =
    if i >= length || is_space (Bytes.get buffer i) then i else space (i + 1)
  in
  let rec go from acc =
    if from >= length then Array.of_list (List.rev acc)
    else
      let until = space (min length (from + target)) in
      go until ((from, until) :: acc)
  in
  go 0 []

(* The value of a byte inside a word or number: '\000' for a separator;
   otherwise the byte in lower case. [starts] has only the bytes that start a
   word or a number. *)
let continues =
  String.init 256 (fun i ->
      match Char.chr i with
      | ('a' .. 'z' | 'A' .. 'Z' | '0' .. '9' | '_' | '\'') as c ->
          Char.lowercase_ascii c
      | '\128' .. '\255' as c -> c
      | _ -> '\000')

let starts = String.map (function '_' | '\'' -> '\000' | c -> c) continues
let is_digit c = '0' <= c && c <= '9'

(* Multiplies and adds byte by byte, then folds the high bits onto the low bits:
   the low bits choose slots and partitions. *)
let step h c = (h * 0x2127599bf4325c37) + Char.code c + 1
let finish h = h lxor (h lsr 29) land max_int
let hash word = finish (String.fold_left step 0 word)

let words buffer from until vocab ids =
  if from < 0 || until > Bytes.length buffer then invalid_arg "Text.words";
  (* Bounds: checked above, and [i] stays in [from .. until - 1]. *)
  let class_of table i =
    String.unsafe_get table (Char.code (Bytes.unsafe_get buffer i))
  in
  let lines = ref 0 in
  let i = ref from in
  while !i < until do
    if class_of starts !i = '\000' then begin
      if Bytes.unsafe_get buffer !i = '\n' then incr lines;
      incr i
    end
    else begin
      let start = !i in
      let h = ref 0 in
      let c = ref (class_of continues !i) in
      while !c <> '\000' do
        Bytes.unsafe_set buffer !i !c;
        h := step !h !c;
        incr i;
        c := if !i < until then class_of continues !i else '\000'
      done;
      if not (is_digit (Bytes.unsafe_get buffer start)) then
        Ints.push ids
          (Vocab.intern vocab ~hash:(finish !h) buffer start (!i - start))
    end
  done;
  !lines
