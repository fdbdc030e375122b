(* Generated from lib/kernel/pool/future.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.base Require Import ivar_code.
From dromos.pool Require Import pool_code.

(* t: Returned is InjL of value, Awaited is InjR of ivar. *)

Definition pool_future_return : val := λ: "value", InjL "value".

Definition pool_future_async : val :=
  λ: "ctx" "task",
    let: "ivar" := base_ivar_create #() in
    let: "code" :=
      λ: "ctx",
        let: "value" := "task" "ctx" in
        base_ivar_set "ctx" "ivar" "value" ;;
        #() in
    pool_pool_async "ctx" "code" ;;
    InjR "ivar".

Definition pool_future_wait_for : val :=
  rec: "wait_for" "ctx" "ivar" :=
    match: base_ivar_peek "ivar" with
      InjL <> =>
        pool_pool_wait_ivar "ctx" "ivar" ;;
        "wait_for" "ctx" "ivar"
    | InjR "value" => "value"
    end.

Definition pool_future_wait : val :=
  λ: "ctx" "t",
    match: "t" with
      InjL "r" => "r"
    | InjR "a" => pool_future_wait_for "ctx" "a"
    end.

Definition pool_future_peek : val :=
  λ: "t",
    match: "t" with
      InjL "r" => InjR "r"
    | InjR "a" => base_ivar_peek "a"
    end.

Definition pool_future_iter : val :=
  λ: "ctx" "t" "task",
    let: "start" :=
      λ: "ctx" "value", pool_pool_async "ctx" (λ: "ctx", "task" "ctx" "value") in
    match: "t" with
      InjL "r" => "start" "ctx" "r"
    | InjR "a" =>
        match: base_ivar_wait "a" "start" with
          InjL <> => #()
        | InjR "value" => "start" "ctx" "value"
        end
    end.

Definition pool_future_map : val :=
  λ: "ctx" "t" "task",
    let: "ivar" := base_ivar_create #() in
    let: "code" :=
      λ: "ctx" "value",
        let: "mapped" := "task" "ctx" "value" in
        base_ivar_set "ctx" "ivar" "mapped" ;;
        #() in
    pool_future_iter "ctx" "t" "code" ;;
    InjR "ivar".
