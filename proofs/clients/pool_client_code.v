(* Generated from proofs/clients/pool_client.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.hub Require Import fifo_code hub_code.
From dromos.pool Require Import pool_code.

(* item: a block of 0 mutable value. *)

(* items: Nil is InjLV #(), Cons is InjR of (item, rest). *)

Definition clients_pool_client_make : val :=
  rec: "make" "n" :=
    if: "n" = #0 then InjLV #()
    else
      (let: "rest" := "make" ("n" - #1) in
       let: "item" := block1 (na_val #0) in
       InjR ("item", "rest")).

Definition clients_pool_client_publish : val :=
  rec: "publish" "ctx" "items" "n" :=
    match: "items" with
      InjL <> => #()
    | InjR "c" =>
        let: "item" := Fst "c" in
        pool_pool_async "ctx" (λ: <>, ("item" +ₗ #0) <-na "n") ;;
        "publish" "ctx" (Snd "c") ("n" - #1)
    end.

Definition clients_pool_client_sum : val :=
  rec: "sum" "items" "total" :=
    match: "items" with
      InjL <> => "total"
    | InjR "c" => "sum" (Snd "c") ("total" + !na (Fst "c" +ₗ #0))
    end.

Definition clients_pool_client_run : val :=
  λ: "workers" "n",
    let: "idle" := ref #0 in
    let: "hub" := hub_fifo_maker in
    let: "pool" := pool_pool_create "hub" "idle" (λ: <>, #()) "workers" in
    pool_pool_start "pool" ;;
    let: "outside" := clients_pool_client_make "n" in
    let: "inside" := clients_pool_client_make "n" in
    let: "task" :=
      hub_hub_task (λ: "ctx", clients_pool_client_publish "ctx" "outside" "n") in
    (pool_pool_submit "pool" #0 "task" ;;
     #()) ;;
    (pool_pool_run "pool"
       (λ: "ctx", clients_pool_client_publish "ctx" "inside" "n") ;;
     #()) ;;
    (pool_pool_close "pool" ;;
     #()) ;;
    let: "total" := clients_pool_client_sum "outside" #0 in
    clients_pool_client_sum "inside" "total".
