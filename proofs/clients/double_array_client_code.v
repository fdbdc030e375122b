(* Generated from proofs/clients/double_array_client.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.clients Require Import with_pool_code.
From dromos.pool Require Import algo_code.

Definition clients_double_array_client_double_array : val :=
  λ: "ctx" "t",
    pool_algo_for_ "ctx" #0 (array_length "t") (InjLV #())
      (λ: <> "beg" "end_",
         let: "$last" := "end_" - #1 in
         (rec: "$loop" "i" :=
            if: "i" ≤ "$last" then
              (array_set "t" "i" (#2 * array_get "t" "i") ;;
               "$loop" ("i" + #1))
            else #()) "beg").

Definition clients_double_array_client_sum : val :=
  rec: "sum" "t" "i" :=
    if: "i" = array_length "t" then #0
    else
      (let: "first" := array_get "t" "i" in
       "first" + "sum" "t" ("i" + #1)).

Definition clients_double_array_client_run : val :=
  λ: "workers" "n",
    let: "t" := array_init "n" (λ: "i", "i") in
    clients_with_pool_run "workers"
      (λ: "ctx", clients_double_array_client_double_array "ctx" "t") ;;
    clients_double_array_client_sum "t" #0.
