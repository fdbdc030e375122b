(* Generated from lib/kernel/deque/ring.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.deque Require Import slots_code.

(* t: a block of 0 ends, 1 mutable slots, 2 dummy, 3 least. *)

Definition deque_ring_padded : val := #16.

Definition deque_ring_create : val :=
  λ: "capacity" "dummy",
    let: "ends" := array_make deque_ring_padded #0 in
    let: "slots" := deque_slots_make "capacity" "dummy" in
    let: "least" := array_length "slots" in
    block4 "ends" (na_val "slots") "dummy" "least".

Definition deque_ring_front : val := λ: "t", array_get (! ("t" +ₗ #0)) #0.

Definition deque_ring_back : val := λ: "t", array_get (! ("t" +ₗ #0)) #1.

Definition deque_ring_set_front : val :=
  λ: "t" "i", array_set (! ("t" +ₗ #0)) #0 "i".

Definition deque_ring_set_back : val :=
  λ: "t" "i", array_set (! ("t" +ₗ #0)) #1 "i".

Definition deque_ring_size : val :=
  λ: "t",
    let: "f" := deque_ring_front "t" in
    let: "b" := deque_ring_back "t" in
    "b" - "f".

Definition deque_ring_is_empty : val := λ: "t", deque_ring_size "t" = #0.

Definition deque_ring_resize : val :=
  λ: "t" "capacity",
    let: "f" := deque_ring_front "t" in
    let: "b" := deque_ring_back "t" in
    ("t" +ₗ #1) <-na
      deque_slots_resize (!na ("t" +ₗ #1)) (! ("t" +ₗ #2)) "f" "b" "capacity".

Definition deque_ring_push : val :=
  λ: "t" "v",
    let: "capacity" := array_length (!na ("t" +ₗ #1)) in
    (if: deque_ring_size "t" = "capacity" then
       deque_ring_resize "t" (#2 * "capacity")
     else #()) ;;
    let: "b" := deque_ring_back "t" in
    deque_slots_set (!na ("t" +ₗ #1)) "b" "v" ;;
    deque_ring_set_back "t" ("b" + #1).

Definition deque_ring_shrink_if_sparse : val :=
  λ: "t",
    let: "capacity" := array_length (!na ("t" +ₗ #1)) in
    if: (#4 * deque_ring_size "t") < "capacity" then
      if: ! ("t" +ₗ #3) < "capacity" then
        deque_ring_resize "t" ("capacity" `quot` #2)
      else #()
    else #().

Definition deque_ring_pop : val :=
  λ: "t",
    if: deque_ring_is_empty "t" then InjLV #()
    else
      (let: "b" := deque_ring_back "t" - #1 in
       let: "v" := deque_slots_get (!na ("t" +ₗ #1)) "b" in
       deque_slots_set (!na ("t" +ₗ #1)) "b" (! ("t" +ₗ #2)) ;;
       deque_ring_set_back "t" "b" ;;
       deque_ring_shrink_if_sparse "t" ;;
       InjR "v").

Definition deque_ring_oldest : val :=
  λ: "t",
    if: deque_ring_is_empty "t" then InjLV #()
    else
      (let: "f" := deque_ring_front "t" in
       InjR (deque_slots_get (!na ("t" +ₗ #1)) "f")).

Definition deque_ring_drop : val :=
  λ: "t",
    let: "f" := deque_ring_front "t" in
    deque_slots_set (!na ("t" +ₗ #1)) "f" (! ("t" +ₗ #2)) ;;
    deque_ring_set_front "t" ("f" + #1) ;;
    deque_ring_shrink_if_sparse "t".

Definition deque_ring_take : val :=
  λ: "t",
    let: "found" := deque_ring_oldest "t" in
    match: "found" with
      InjL <> => InjLV #()
    | InjR <> =>
        deque_ring_drop "t" ;;
        "found"
    end.
