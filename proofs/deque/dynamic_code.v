(* Generated from lib/kernel/deque/dynamic.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.deque Require Import slots_code.

(* t: a block of 0 front, 1 back, 2 slots, 3 dummy, 4 least, 5 mutable swept, 6
   its prophecy. *)

Definition deque_dynamic_create : val :=
  λ: "capacity" "dummy",
    let: "first" := deque_slots_make "capacity" "dummy" in
    let: "least" := array_length "first" in
    let: "front" := ref #0 in
    let: "back" := ref #0 in
    let: "slots" := ref "first" in
    let: "$p" := NewProph in
    block7 "front" "back" "slots" "dummy" "least" (na_val #0) "$p".

Definition deque_dynamic_capacity : val :=
  λ: "t",
    let: "slots" := ! (! ("t" +ₗ #2)) in
    array_length "slots".

Definition deque_dynamic_size : val :=
  λ: "t",
    let: "f" := ! (! ("t" +ₗ #0)) in
    let: "b" := ! (! ("t" +ₗ #1)) in
    if: "b" ≤ "f" then #0 else "b" - "f".

Definition deque_dynamic_is_empty : val := λ: "t", deque_dynamic_size "t" = #0.

Definition deque_dynamic_sweep_to : val :=
  λ: "t" "slots" "f",
    if: !na ("t" +ₗ #5) < "f" then
      (deque_slots_clear "slots" (! ("t" +ₗ #3)) (!na ("t" +ₗ #5)) "f" ;;
       ("t" +ₗ #5) <-na "f")
    else #().

Definition deque_dynamic_sweep : val :=
  λ: "t",
    let: "f" := ! (! ("t" +ₗ #0)) in
    let: "slots" := ! (! ("t" +ₗ #2)) in
    deque_dynamic_sweep_to "t" "slots" "f".

Definition deque_dynamic_resize : val :=
  λ: "t" "slots" "f" "b" "capacity",
    let: "resized" :=
      deque_slots_resize "slots" (! ("t" +ₗ #3)) "f" "b" "capacity" in
    ! ("t" +ₗ #2) <- "resized".

Definition deque_dynamic_push : val :=
  λ: "t" "v",
    let: "b" := ! (! ("t" +ₗ #1)) in
    let: "f" := ! (! ("t" +ₗ #0)) in
    let: "slots" := ! (! ("t" +ₗ #2)) in
    deque_dynamic_sweep_to "t" "slots" "f" ;;
    let: "capacity" := array_length "slots" in
    (if: ("b" - "f") < "capacity" then deque_slots_set "slots" "b" "v"
     else
       (deque_dynamic_resize "t" "slots" "f" "b" (#2 * "capacity") ;;
        let: "grown" := ! (! ("t" +ₗ #2)) in
        deque_slots_set "grown" "b" "v")) ;;
    ! ("t" +ₗ #1) <- ("b" + #1).

Definition deque_dynamic_shrink_if_sparse : val :=
  λ: "t" "slots" "f" "b",
    let: "capacity" := array_length "slots" in
    if: (#4 * ("b" - "f")) < "capacity" then
      if: ! ("t" +ₗ #4) < "capacity" then
        deque_dynamic_resize "t" "slots" "f" "b" ("capacity" `quot` #2)
      else #()
    else #().

Definition deque_dynamic_pop : val :=
  λ: "t",
    let: "b" := ! (! ("t" +ₗ #1)) - #1 in
    ! ("t" +ₗ #1) <- "b" ;;
    let: "f" := ! (! ("t" +ₗ #0)) in
    let: "slots" := ! (! ("t" +ₗ #2)) in
    deque_dynamic_sweep_to "t" "slots" "f" ;;
    if: "b" < "f" then
      (! ("t" +ₗ #1) <- "f" ;;
       deque_dynamic_shrink_if_sparse "t" "slots" "f" "f" ;;
       InjLV #())
    else
      (let: "v" := deque_slots_get "slots" "b" in
       if: "f" < "b" then
         (deque_slots_set "slots" "b" (! ("t" +ₗ #3)) ;;
          deque_dynamic_shrink_if_sparse "t" "slots" "f" "b" ;;
          InjR "v")
       else
         (let: "id" := NewProph in
          let: "won" :=
            (let: "$a" := ! ("t" +ₗ #0) in
             let: "$p" := ! ("t" +ₗ #6) in
             Snd (Resolve (CmpXchg "$a" "f" ("f" + #1)) "$p" ("f", "id"))) in
          ! ("t" +ₗ #1) <- ("f" + #1) ;;
          deque_dynamic_sweep_to "t" "slots" ("f" + #1) ;;
          deque_dynamic_shrink_if_sparse "t" "slots" ("f" + #1) ("f" + #1) ;;
          if: "won" then InjR "v" else InjLV #())).

Definition deque_dynamic_steal : val :=
  rec: "steal" "t" :=
    let: "id" := NewProph in
    let: "f" := ! (! ("t" +ₗ #0)) in
    let: "b" := ! (! ("t" +ₗ #1)) in
    if: "b" ≤ "f" then InjLV #()
    else
      (let: "slots" := ! (! ("t" +ₗ #2)) in
       let: "v" := deque_slots_get "slots" "f" in
       if: (let: "$a" := ! ("t" +ₗ #0) in
            let: "$p" := ! ("t" +ₗ #6) in
            Snd (Resolve (CmpXchg "$a" "f" ("f" + #1)) "$p" ("f", "id"))) then
         InjR "v"
       else "steal" "t").
