(* Generated from lib/kernel/deque/slots.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.

Definition deque_slots_power_of_two_from : val :=
  rec: "power_of_two_from" "n" "least" :=
    if: "least" ≤ "n" then "n" else "power_of_two_from" (#2 * "n") "least".

Definition deque_slots_make : val :=
  λ: "least" "dummy",
    let: "length" := deque_slots_power_of_two_from #1 "least" in
    array_make "length" "dummy".

Definition deque_slots_get : val :=
  λ: "slots" "i",
    array_get "slots" (BinOp AndOp "i" (array_length "slots" - #1)).

Definition deque_slots_set : val :=
  λ: "slots" "i" "v",
    array_set "slots" (BinOp AndOp "i" (array_length "slots" - #1)) "v".

Definition deque_slots_clear : val :=
  rec: "clear" "slots" "dummy" "i" "j" :=
    if: "i" < "j" then
      (deque_slots_set "slots" "i" "dummy" ;;
       "clear" "slots" "dummy" ("i" + #1) "j")
    else #().

Definition deque_slots_copy : val :=
  rec: "copy" "source" "target" "i" "j" :=
    if: "i" < "j" then
      (let: "v" := deque_slots_get "source" "i" in
       deque_slots_set "target" "i" "v" ;;
       "copy" "source" "target" ("i" + #1) "j")
    else #().

Definition deque_slots_resize : val :=
  λ: "slots" "dummy" "i" "j" "length",
    let: "resized" := array_make "length" "dummy" in
    deque_slots_copy "slots" "resized" "i" "j" ;;
    "resized".
