(* Generated from proofs/clients/fib_client.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.hub Require Import fifo_code.
From dromos.pool Require Import future_code pool_code.

Definition clients_fib_client_fib : val :=
  rec: "fib" "ctx" "n" :=
    if: "n" < #2 then "n"
    else
      (let: "other" :=
         pool_future_async "ctx" (λ: "ctx", "fib" "ctx" ("n" - #1)) in
       let: "mine" := "fib" "ctx" ("n" - #2) in
       let: "theirs" := pool_future_wait "ctx" "other" in
       "mine" + "theirs").

Definition clients_fib_client_run : val :=
  λ: "workers" "n",
    let: "idle" := ref #0 in
    let: "pool" :=
      pool_pool_create hub_fifo_maker "idle" (λ: <>, #()) "workers" in
    pool_pool_start "pool" ;;
    let: "result" :=
      pool_pool_run "pool" (λ: "ctx", clients_fib_client_fib "ctx" "n") in
    (pool_pool_close "pool" ;;
     #()) ;;
    match: "result" with
      InjL <> => #(-1)
    | InjR "value" => "value"
    end.
