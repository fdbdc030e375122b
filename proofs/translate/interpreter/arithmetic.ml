open Dromos_translate.Heaplang

exception Stuck of string

let stuck format = Printf.ksprintf (fun reason -> raise (Stuck reason)) format

(* HeapLang's integers are unbounded and OCaml's are not, so a result that needs
   more than 63 bits is stuck. *)
let exact origin n holds =
  if holds then Value.int n else stuck "%s: a number beyond 63 bits" origin

let arithmetic origin operator a b =
  match operator with
  | Plus ->
      let n = a + b in
      exact origin n (a lxor n land (b lxor n) >= 0)
  | Minus ->
      let n = a - b in
      exact origin n (a lxor b land (a lxor n) >= 0)
  | Times ->
      let n = a * b in
      exact origin n (a = 0 || (n / a = b && not (a = -1 && b = min_int)))
  | Shift_left ->
      let n = a lsl b in
      exact origin n (n asr b = a)
  | Quot -> Value.int (if b = 0 then 0 else a / b)
  | Rem -> Value.int (if b = 0 then a else a mod b)
  | And -> Value.int (a land b)
  | Or -> Value.int (a lor b)
  | Xor -> Value.int (a lxor b)
  | Le -> Value.bool (a <= b)
  | Lt -> Value.bool (a < b)
  | Eq | Offset -> assert false

let operate origin operator (a : Value.t) (b : Value.t) =
  match (operator, a, b) with
  | Eq, _, _ ->
      if Value.comparable a b then Value.bool (Value.equal a b)
      else
        stuck "%s: a comparison of %s and %s" origin (Value.to_string a)
          (Value.to_string b)
  | Offset, Loc l, Lit (Int n) -> Value.Loc (l + n)
  | And, Lit (Bool a), Lit (Bool b) -> Value.bool (a && b)
  | Or, Lit (Bool a), Lit (Bool b) -> Value.bool (a || b)
  | Offset, _, _ -> stuck "%s: an offset from %s" origin (Value.to_string a)
  | _, Lit (Int a), Lit (Int b) -> arithmetic origin operator a b
  | _ ->
      stuck "%s: arithmetic on %s and %s" origin (Value.to_string a)
        (Value.to_string b)
