(* Generated from lib/kernel/deque/public.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.deque Require Import dynamic_code.

(* t: deques. *)

Definition deque_public_initial_capacity : val := #64.

Definition deque_public_create : val :=
  λ: "workers" "dummy",
    let: "make" :=
      λ: <>, deque_dynamic_create deque_public_initial_capacity "dummy" in
    array_init "workers" "make".

Definition deque_public_workers : val := λ: "t", array_length "t".

Definition deque_public_deque : val := λ: "t" "i", array_get "t" "i".

Definition deque_public_push : val :=
  λ: "t" "i" "v", deque_dynamic_push (deque_public_deque "t" "i") "v".

Definition deque_public_pop : val :=
  λ: "t" "i", deque_dynamic_pop (deque_public_deque "t" "i").

Definition deque_public_size : val :=
  λ: "t" "i", deque_dynamic_size (deque_public_deque "t" "i").

Definition deque_public_is_empty : val :=
  λ: "t" "i", deque_dynamic_is_empty (deque_public_deque "t" "i").

Definition deque_public_tick : val := λ: <> <>, #().

Definition deque_public_block : val :=
  λ: "t" "i", deque_dynamic_sweep (deque_public_deque "t" "i").

Definition deque_public_unblock : val := λ: <> <>, #().

Definition deque_public_steal : val :=
  λ: "t" <> "victim", deque_dynamic_steal (deque_public_deque "t" "victim").

Definition deque_public_waits_for_answer : val := λ: <> <>, #false.

Definition deque_public_withdraw : val := λ: <> <>, InjLV #().

Definition deque_public_may_have : val :=
  λ: "t" "i", ~ deque_public_is_empty "t" "i".
