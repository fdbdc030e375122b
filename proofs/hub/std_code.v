(* Generated from lib/kernel/hub/std.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.deque Require Import public_code.
From dromos.hub Require Import hub_code stealing_code.

Definition hub_std_make : val :=
  λ: "workers",
    let: "dummy" := hub_hub_task (λ: <>, #()) in
    let: "deques" := deque_public_create "workers" "dummy" in
    hub_stealing_make "workers" (InjL "deques").

Definition hub_std_maker : val := hub_std_make.
