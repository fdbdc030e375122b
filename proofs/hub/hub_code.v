(* Generated from lib/kernel/hub/hub.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.

(* reason: New is #0, Unblock is #1, Yield is #2, Preempt is #3. *)

(* task: a block of 0 code, 1 mutable last_worker, 2 mutable attrs. *)

(* notifier: a block of 0 mutable notify. *)

(* t: (size, push, pop, retract, steal, waits_for_answer, has_work, submit,
   submit_to, enlist, retire, tick, finished, blocked, close, notifier). *)

(* maker: make. *)

Definition hub_hub_task : val :=
  λ: "code", block3 "code" (na_val #(-1)) (na_val (array_make #0 #())).

Definition hub_hub_notifier : val := λ: <>, block1 (na_val (λ: <>, #())).
