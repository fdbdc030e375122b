(* Generated from proofs/clients/fib_client.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.clients Require Import with_pool_code.
From dromos.pool Require Import future_code.

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
    clients_with_pool_run "workers"
      (λ: "ctx", clients_fib_client_fib "ctx" "n").
