(* Generated from proofs/clients/infinite.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude mutex.

(* cells: a block of 0 mutex, 1 mutable items, 2 default. *)

Definition clients_infinite_make_cells : val :=
  λ: "default",
    let: "mutex" := mutex_create #() in
    block3 "mutex" (na_val (array_make #0 #())) "default".

Definition clients_infinite_item : val :=
  λ: "items" "default" "i",
    if: "i" < array_length "items" then array_get "items" "i" else "default".

Definition clients_infinite_get : val :=
  λ: "cells" "i",
    mutex_lock (! ("cells" +ₗ #0)) ;;
    let: "v" :=
      clients_infinite_item (!na ("cells" +ₗ #1)) (! ("cells" +ₗ #2)) "i" in
    mutex_unlock (! ("cells" +ₗ #0)) ;;
    "v".

Definition clients_infinite_set : val :=
  λ: "cells" "i" "v",
    mutex_lock (! ("cells" +ₗ #0)) ;;
    let: "items" := !na ("cells" +ₗ #1) in
    (if: "i" < array_length "items" then array_set "items" "i" "v"
     else
       (let: "more" :=
          array_init ((#2 * "i") + #1)
            (λ: "j", clients_infinite_item "items" (! ("cells" +ₗ #2)) "j") in
        array_set "more" "i" "v" ;;
        ("cells" +ₗ #1) <-na "more")) ;;
    mutex_unlock (! ("cells" +ₗ #0)).

(* t: (front, back, cells, its prophecy). *)

Definition clients_infinite_create : val :=
  λ: "dummy",
    let: "front" := ref #0 in
    let: "back" := ref #0 in
    let: "cells" := clients_infinite_make_cells "dummy" in
    let: "$p" := NewProph in
    ("front", "back", "cells", "$p").

Definition clients_infinite_size : val :=
  λ: "t",
    let: "f" := ! (Fst (Fst (Fst "t"))) in
    let: "b" := ! (Snd (Fst (Fst "t"))) in
    if: "b" ≤ "f" then #0 else "b" - "f".

Definition clients_infinite_is_empty : val :=
  λ: "t", clients_infinite_size "t" = #0.

Definition clients_infinite_push : val :=
  λ: "t" "v",
    let: "b" := ! (Snd (Fst (Fst "t"))) in
    clients_infinite_set (Snd (Fst "t")) "b" "v" ;;
    Snd (Fst (Fst "t")) <- ("b" + #1).

Definition clients_infinite_pop : val :=
  λ: "t",
    let: "b" := ! (Snd (Fst (Fst "t"))) - #1 in
    Snd (Fst (Fst "t")) <- "b" ;;
    let: "f" := ! (Fst (Fst (Fst "t"))) in
    if: "b" < "f" then
      (Snd (Fst (Fst "t")) <- "f" ;;
       InjLV #())
    else
      (let: "v" := clients_infinite_get (Snd (Fst "t")) "b" in
       if: "f" < "b" then InjR "v"
       else
         (let: "id" := NewProph in
          let: "won" :=
            (let: "$a" := Fst (Fst (Fst "t")) in
             let: "$p" := Snd "t" in
             Snd (Resolve (CmpXchg "$a" "f" ("f" + #1)) "$p" ("f", "id"))) in
          Snd (Fst (Fst "t")) <- ("f" + #1) ;;
          if: "won" then InjR "v" else InjLV #())).

Definition clients_infinite_steal : val :=
  rec: "steal" "t" :=
    let: "id" := NewProph in
    let: "f" := ! (Fst (Fst (Fst "t"))) in
    let: "b" := ! (Snd (Fst (Fst "t"))) in
    if: "b" ≤ "f" then InjLV #()
    else
      (let: "v" := clients_infinite_get (Snd (Fst "t")) "f" in
       if: (let: "$a" := Fst (Fst (Fst "t")) in
            let: "$p" := Snd "t" in
            Snd (Resolve (CmpXchg "$a" "f" ("f" + #1)) "$p" ("f", "id"))) then
         InjR "v"
       else "steal" "t").
