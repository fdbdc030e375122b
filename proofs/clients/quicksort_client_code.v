(* Generated from proofs/clients/quicksort_client.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.clients Require Import with_pool_code.
From dromos.pool Require Import future_code.

Definition clients_quicksort_client_swap : val :=
  λ: "t" "i" "j",
    let: "x" := array_get "t" "i" in
    let: "y" := array_get "t" "j" in
    array_set "t" "i" "y" ;;
    array_set "t" "j" "x".

Definition clients_quicksort_client_partition : val :=
  rec: "partition" "t" "pivot" "i" "j" "last" :=
    if: "j" = "last" then "i"
    else if: array_get "t" "j" < "pivot" then
      (clients_quicksort_client_swap "t" "i" "j" ;;
       "partition" "t" "pivot" ("i" + #1) ("j" + #1) "last")
    else "partition" "t" "pivot" "i" ("j" + #1) "last".

Definition clients_quicksort_client_sort : val :=
  rec: "sort" "ctx" "t" "lo" "hi" :=
    if: #1 < ("hi" - "lo") then
      (let: "last" := "hi" - #1 in
       let: "pivot" := array_get "t" "last" in
       let: "mid" :=
         clients_quicksort_client_partition "t" "pivot" "lo" "lo" "last" in
       clients_quicksort_client_swap "t" "mid" "last" ;;
       let: "lower" :=
         pool_future_async "ctx" (λ: "ctx", "sort" "ctx" "t" "lo" "mid") in
       "sort" "ctx" "t" ("mid" + #1) "hi" ;;
       pool_future_wait "ctx" "lower")
    else #().

Definition clients_quicksort_client_in_order : val :=
  rec: "in_order" "t" "i" :=
    if: array_length "t" ≤ ("i" + #1) then array_length "t"
    else
      (let: "here" := array_get "t" "i" in
       if: "here" ≤ array_get "t" ("i" + #1) then "in_order" "t" ("i" + #1)
       else "i").

Definition clients_quicksort_client_run : val :=
  λ: "workers" "n",
    let: "t" := array_init "n" (λ: "i", ("i" * #7919) `rem` #1009) in
    clients_with_pool_run "workers"
      (λ: "ctx", clients_quicksort_client_sort "ctx" "t" #0 "n") ;;
    clients_quicksort_client_in_order "t" #0.
