type set = int

type t = {
  words : int;
  mutable arena : int array;
  mutable used : int;
      (* the arena's words in use, from 1 on; 0 is the empty set *)
  mutable kept : int;
}

let one_word = 62
let words t = t.words

let universe n =
  let words = Int.max 1 ((n + one_word - 1) / one_word) in
  let arena = if words = 1 then [||] else Array.make 4096 0 in
  { words; arena; used = 1; kept = 1 }

let keep t = t.kept <- t.used
let forget t = t.used <- t.kept

(* Allocates one more set. Its words hold the values of an older set. *)
let room t =
  let at = t.used in
  t.used <- at + t.words;
  if t.used > Array.length t.arena then begin
    let larger = Array.make (2 * t.used) 0 in
    Array.blit t.arena 0 larger 0 at;
    t.arena <- larger
  end;
  at

let fresh t =
  let at = room t in
  Array.fill t.arena at t.words 0;
  at

let copy t set =
  if t.words = 1 || set = 0 then set
  else begin
    let at = room t in
    Array.blit t.arena set t.arena at t.words;
    at
  end

let bit i = 1 lsl (i mod one_word)

let add t s at i =
  if t.words = 1 then s.(at) <- s.(at) lor (1 lsl i)
  else begin
    if s.(at) = 0 then s.(at) <- fresh t;
    let word = s.(at) + (i / one_word) in
    t.arena.(word) <- t.arena.(word) lor bit i
  end

let rec is_empty t set k =
  k = t.words || (t.arena.(set + k) = 0 && is_empty t set (k + 1))

let remove t s at i =
  if t.words = 1 then s.(at) <- s.(at) land lnot (1 lsl i)
  else if s.(at) <> 0 then begin
    let word = s.(at) + (i / one_word) in
    t.arena.(word) <- t.arena.(word) land lnot (bit i);
    if t.arena.(word) = 0 && is_empty t s.(at) 0 then s.(at) <- 0
  end

let mem t set i =
  if t.words = 1 then (set lsr i) land 1 = 1
  else
    set <> 0
    && i < t.words * one_word
    && t.arena.(set + (i / one_word)) land bit i <> 0

let rec lowest_bit word i =
  if word land 1 = 1 then i else lowest_bit (word lsr 1) (i + 1)

let rec lowest_from t set k =
  let word = t.arena.(set + k) in
  if word = 0 then lowest_from t set (k + 1) else lowest_bit word (k * one_word)

let lowest t set = if t.words = 1 then lowest_bit set 0 else lowest_from t set 0

let rec of_word word first =
  if word = 0 then []
  else
    let i = lowest_bit word 0 in
    (first + i) :: of_word (word land lnot (1 lsl i)) first

let elements t set =
  if t.words = 1 then of_word set 0
  else if set = 0 then []
  else
    List.concat
      (List.init t.words (fun k -> of_word t.arena.(set + k) (k * one_word)))

let of_list t members =
  let cell = [| 0 |] in
  List.iter (add t cell 0) members;
  cell.(0)
