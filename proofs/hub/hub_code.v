(* Generated from lib/kernel/hub/hub.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.

Definition hub_hub_task : val :=
  λ: "code", block3 "code" (na_val #(-1)) (na_val (array_make #0 #())).

Definition hub_hub_notifier : val := λ: <>, block1 (na_val (λ: <>, #())).
