(* Generated from proofs/clients/with_pool.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.hub Require Import fifo_code.
From dromos.pool Require Import pool_code.

Definition clients_with_pool_run : val :=
  λ: "workers" "task",
    let: "idle" := ref #0 in
    let: "pool" :=
      pool_pool_create hub_fifo_maker "idle" (λ: <>, #()) "workers" in
    pool_pool_start "pool" ;;
    let: "result" := pool_pool_run "pool" "task" in
    (pool_pool_close "pool" ;;
     #()) ;;
    match: "result" with
      InjL <> => stuck
    | InjR "value" => "value"
    end.
