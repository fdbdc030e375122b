(* Generated from proofs/clients/stealing_client.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.deque Require Import bounded_code.

(* item: a block of 0 value, 1 mutable taken. *)

(* t: (deque, stop). *)

Definition clients_stealing_client_take : val :=
  λ: "item",
    (if: ~ !na ("item" +ₗ #1) then #() else stuck) ;;
    ("item" +ₗ #1) <-na #true ;;
    ! ("item" +ₗ #0).

Definition clients_stealing_client_take_any : val :=
  λ: "found",
    match: "found" with
      InjL <> => #0
    | InjR "item" => clients_stealing_client_take "item"
    end.

Definition clients_stealing_client_steal : val :=
  rec: "steal" "t" "sum" :=
    if: ! (Snd "t") then "sum"
    else
      (let: "value" :=
         clients_stealing_client_take_any (deque_bounded_steal (Fst "t")) in
       "steal" "t" ("sum" + "value")).

Definition clients_stealing_client_push : val :=
  rec: "push" "t" "n" "sum" :=
    if: "n" = #0 then "sum"
    else
      (let: "item" := block2 "n" (na_val #false) in
       let: "value" :=
         if: deque_bounded_push (Fst "t") "item" then #0
         else clients_stealing_client_take "item" in
       let: "popped" :=
         if: ("n" `rem` #3) = #0 then
           clients_stealing_client_take_any (deque_bounded_pop (Fst "t"))
         else #0 in
       "push" "t" ("n" - #1) (("sum" + "value") + "popped")).

Definition clients_stealing_client_drain : val :=
  rec: "drain" "t" "sum" :=
    match: deque_bounded_pop (Fst "t") with
      InjL <> => "sum"
    | InjR "item" =>
        let: "value" := clients_stealing_client_take "item" in
        "drain" "t" ("sum" + "value")
    end.

Definition clients_stealing_client_own : val :=
  λ: "t" "items",
    let: "pushed" := clients_stealing_client_push "t" "items" #0 in
    let: "sum" := clients_stealing_client_drain "t" "pushed" in
    Snd "t" <- #true ;;
    "sum".

Definition clients_stealing_client_with_thieves : val :=
  rec: "with_thieves" "t" "thieves" "items" :=
    if: "thieves" = #0 then clients_stealing_client_own "t" "items"
    else
      (let: "thief" :=
         domain_spawn (λ: <>, clients_stealing_client_steal "t" #0) in
       let: "sum" := "with_thieves" "t" ("thieves" - #1) "items" in
       let: "stolen" := domain_join "thief" in
       "sum" + "stolen").

Definition clients_stealing_client_run : val :=
  λ: "capacity" "thieves" "items",
    let: "dummy" := block2 #0 (na_val #false) in
    let: "deque" := deque_bounded_create "capacity" "dummy" in
    let: "stop" := ref #false in
    clients_stealing_client_with_thieves ("deque", "stop") "thieves" "items".
