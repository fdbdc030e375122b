open Dromos_fiber

(* Filters: the elements to keep, packed in their order. *)

let get = Array.unsafe_get
let set = Array.unsafe_set
let length = Array.length

(* The predicate runs in a loop over elements, so that no iteration waits behind
   another, and the loop writes a byte for each element. Then the bytes are counted
   and the elements copied in pieces, which is cheap and calls no user function.
   Several domains may write bytes of one string at once. *)
let flags ?grain p a =
  let n = length a in
  let flags = Bytes.make n '\000' in
  Par_range.for_by ?grain 0 n (Dromos_inner.flags p a flags);
  flags

(* [pack n ~count ~write] counts the pieces of [0 .. n - 1], makes room for the
   total, and writes each piece at its place. *)
let pack n ~count ~write =
  let size = Par_range.piece_size (Fiber.current ()) n in
  let pieces = Par_range.pieces n size in
  let at = Array.make (pieces + 1) 0 in
  Par_range.for_pieces 0 n size (fun l h -> at.((l / size) + 1) <- count l h);
  for k = 1 to pieces do
    at.(k) <- at.(k) + at.(k - 1)
  done;
  write at.(pieces) (fun fill ->
      Par_range.for_pieces 0 n size (fun l h -> fill at.(l / size) l h))

let count_flags flags l h =
  let count = ref 0 in
  for i = l to h - 1 do
    count := !count + Char.code (Bytes.unsafe_get flags i)
  done;
  !count

(* An array of [n] elements, of the same kind as [a]. *)
let room a n = if n = 0 then [||] else Array.make n (get a 0)

let filter ?grain p a =
  let flags = flags ?grain p a in
  let write total each =
    let b = room a total in
    each (fun at l h ->
        let at = ref at in
        for i = l to h - 1 do
          if Bytes.unsafe_get flags i <> '\000' then begin
            set b !at (get a i);
            incr at
          end
        done);
    b
  in
  pack (length a) ~count:(count_flags flags) ~write

let partition ?grain p a =
  let n = length a in
  let flags = flags ?grain p a in
  let write total each =
    let yes = room a total and no = room a (n - total) in
    each (fun at l h ->
        let y = ref at and n = ref (l - at) in
        for i = l to h - 1 do
          let x = get a i in
          if Bytes.unsafe_get flags i <> '\000' then begin
            set yes !y x;
            incr y
          end
          else begin
            set no !n x;
            incr n
          end
        done);
    (yes, no)
  in
  pack n ~count:(count_flags flags) ~write

let count_some a l h =
  let count = ref 0 in
  for i = l to h - 1 do
    match get a i with None -> () | Some _ -> incr count
  done;
  !count

let filter_map ?grain f a =
  let n = length a in
  let found = Array.make n None in
  Par_range.for_by ?grain 0 n (Dromos_inner.options f a found);
  let write total each =
    match Par_search.find_map 0 n (get found) with
    | None -> [||]
    | Some first ->
        let b = Array.make total first in
        each (fun at l h ->
            let at = ref at in
            for i = l to h - 1 do
              match get found i with
              | None -> ()
              | Some v ->
                  set b !at v;
                  incr at
            done);
        b
  in
  pack n ~count:(count_some found) ~write
