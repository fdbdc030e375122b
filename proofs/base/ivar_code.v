(* Generated from lib/kernel/base/ivar.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.

(* waiters: End is InjLV #(), Waiter is InjR of (run, rest). *)

(* state: Unset is InjL of a block of 0 mutable waiters, Set is InjR of
   result. *)

Definition base_ivar_create : val :=
  λ: <>, ref (InjL (block1 (na_val (InjLV #())))).

Definition base_ivar_is_set : val :=
  λ: "t",
    match: ! "t" with
      InjL <> => #false
    | InjR <> => #true
    end.

Definition base_ivar_peek : val :=
  λ: "t",
    match: ! "t" with
      InjL <> => InjLV #()
    | InjR "s" => InjR "s"
    end.

Definition base_ivar_wait : val :=
  rec: "wait" "t" "run" :=
    let: "$s" := ! "t" in
    match: "$s" with
      InjL "u" =>
        let: "seen" := "$s" in
        let: "next" := InjL (block1 (na_val (InjR ("run", !na ("u" +ₗ #0))))) in
        if: CAS "t" "seen" "next" then InjLV #() else "wait" "t" "run"
    | InjR "s" => InjR "s"
    end.

Definition base_ivar_reverse : val :=
  rec: "reverse" "waiters" "reversed" :=
    match: "waiters" with
      InjL <> => "reversed"
    | InjR "w" => "reverse" (Snd "w") (InjR (Fst "w", "reversed"))
    end.

Definition base_ivar_notify : val :=
  rec: "notify" "waiters" "ctx" "result" :=
    match: "waiters" with
      InjL <> => #()
    | InjR "w" =>
        (Fst "w") "ctx" "result" ;;
        "notify" (Snd "w") "ctx" "result"
    end.

Definition base_ivar_set : val :=
  rec: "set" "ctx" "t" "result" :=
    let: "$s" := ! "t" in
    match: "$s" with
      InjL "u" =>
        let: "seen" := "$s" in
        let: "next" := InjR "result" in
        if: CAS "t" "seen" "next" then
          (base_ivar_notify (base_ivar_reverse (!na ("u" +ₗ #0)) (InjLV #()))
             "ctx" "result" ;;
           #true)
        else "set" "ctx" "t" "result"
    | InjR <> => #false
    end.
