(* Generated from lib/kernel/deque/bounded.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.deque Require Import slots_code.

(* t: a block of 0 front, 1 back, 2 slots, 3 dummy, 4 mutable swept, 5 its
   prophecy. *)

Definition deque_bounded_create : val :=
  λ: "capacity" "dummy",
    let: "front" := ref #0 in
    let: "back" := ref #0 in
    let: "slots" := deque_slots_make "capacity" "dummy" in
    let: "$p" := NewProph in
    block6 "front" "back" "slots" "dummy" (na_val #0) "$p".

Definition deque_bounded_capacity : val :=
  λ: "t", array_length (! ("t" +ₗ #2)).

Definition deque_bounded_size : val :=
  λ: "t",
    let: "f" := ! (! ("t" +ₗ #0)) in
    let: "b" := ! (! ("t" +ₗ #1)) in
    if: "b" ≤ "f" then #0 else "b" - "f".

Definition deque_bounded_is_empty : val := λ: "t", deque_bounded_size "t" = #0.

Definition deque_bounded_sweep_to : val :=
  λ: "t" "f",
    if: !na ("t" +ₗ #4) < "f" then
      (deque_slots_clear (! ("t" +ₗ #2)) (! ("t" +ₗ #3)) (!na ("t" +ₗ #4)) "f" ;;
       ("t" +ₗ #4) <-na "f")
    else #().

Definition deque_bounded_sweep : val :=
  λ: "t",
    let: "f" := ! (! ("t" +ₗ #0)) in
    deque_bounded_sweep_to "t" "f".

Definition deque_bounded_push : val :=
  λ: "t" "v",
    let: "b" := ! (! ("t" +ₗ #1)) in
    let: "f" := ! (! ("t" +ₗ #0)) in
    deque_bounded_sweep_to "t" "f" ;;
    if: ("b" - "f") < deque_bounded_capacity "t" then
      (deque_slots_set (! ("t" +ₗ #2)) "b" "v" ;;
       ! ("t" +ₗ #1) <- ("b" + #1) ;;
       #true)
    else #false.

Definition deque_bounded_pop : val :=
  λ: "t",
    let: "b" := ! (! ("t" +ₗ #1)) - #1 in
    ! ("t" +ₗ #1) <- "b" ;;
    let: "f" := ! (! ("t" +ₗ #0)) in
    deque_bounded_sweep_to "t" "f" ;;
    if: "b" < "f" then
      (! ("t" +ₗ #1) <- "f" ;;
       InjLV #())
    else
      (let: "v" := deque_slots_get (! ("t" +ₗ #2)) "b" in
       if: "f" < "b" then
         (deque_slots_set (! ("t" +ₗ #2)) "b" (! ("t" +ₗ #3)) ;;
          InjR "v")
       else
         (let: "id" := NewProph in
          let: "won" :=
            (let: "$a" := ! ("t" +ₗ #0) in
             let: "$p" := ! ("t" +ₗ #5) in
             Snd (Resolve (CmpXchg "$a" "f" ("f" + #1)) "$p" ("f", "id"))) in
          ! ("t" +ₗ #1) <- ("f" + #1) ;;
          deque_bounded_sweep_to "t" ("f" + #1) ;;
          if: "won" then InjR "v" else InjLV #())).

Definition deque_bounded_steal : val :=
  rec: "steal" "t" :=
    let: "id" := NewProph in
    let: "f" := ! (! ("t" +ₗ #0)) in
    let: "b" := ! (! ("t" +ₗ #1)) in
    if: "b" ≤ "f" then InjLV #()
    else
      (let: "v" := deque_slots_get (! ("t" +ₗ #2)) "f" in
       if: (let: "$a" := ! ("t" +ₗ #0) in
            let: "$p" := ! ("t" +ₗ #5) in
            Snd (Resolve (CmpXchg "$a" "f" ("f" + #1)) "$p" ("f", "id"))) then
         InjR "v"
       else "steal" "t").
