(* Generated from lib/kernel/hub/hybrid.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.deque Require Import bounded_code.
From dromos.hub Require Import hub_code stealing_code.

Definition hub_hybrid_capacity : val := #256.

Definition hub_hybrid_make : val :=
  λ: "workers",
    let: "dummy" := hub_hub_task (λ: <>, #()) in
    let: "deques" :=
      array_init "workers"
        (λ: <>, deque_bounded_create hub_hybrid_capacity "dummy") in
    hub_stealing_make "workers" (InjR "deques").

Definition hub_hybrid_maker : val := hub_hybrid_make.
