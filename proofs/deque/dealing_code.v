(* Generated from lib/kernel/deque/dealing.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.deque Require Import ring_code.

(* cell: Busy is InjLV #0, Waiting is InjLV #1, Dealt is InjR of item. *)

(* worker: a block of 0 ring, 1 cell, 2 mutable waits, 3 mutable receiver, 4
   mutable next. *)

(* t: (all, waiting). *)

Definition deque_dealing_nobody : val := #(-1).

Definition deque_dealing_initial_capacity : val := #64.

Definition deque_dealing_create : val :=
  λ: "workers" "dummy",
    let: "make" :=
      λ: "i",
        let: "ring" := deque_ring_create deque_dealing_initial_capacity "dummy" in
        let: "cell" := ref (InjLV #0) in
        block5 "ring" "cell" (na_val #false) (na_val deque_dealing_nobody)
          (na_val "i") in
    let: "waiting" := ref #0 in
    (array_init "workers" "make", "waiting").

Definition deque_dealing_workers : val := λ: "t", array_length (Fst "t").

Definition deque_dealing_worker : val := λ: "t" "i", array_get (Fst "t") "i".

Definition deque_dealing_size : val :=
  λ: "t" "i", deque_ring_size (! (deque_dealing_worker "t" "i" +ₗ #0)).

Definition deque_dealing_is_empty : val :=
  λ: "t" "i", deque_ring_is_empty (! (deque_dealing_worker "t" "i" +ₗ #0)).

Definition deque_dealing_may_have : val :=
  λ: "t" "i", ~ deque_ring_is_empty (! (deque_dealing_worker "t" "i" +ₗ #0)).

Definition deque_dealing_offer : val :=
  λ: "mine" "other",
    match: ! (! ("other" +ₗ #1)) with
      InjL "$k" =>
        if: "$k" = #0 then #false
        else
          match: deque_ring_oldest (! ("mine" +ₗ #0)) with
            InjL <> => #false
          | InjR "item" =>
              if: CAS (! ("other" +ₗ #1)) (InjLV #1) (InjR "item") then
                (deque_ring_drop (! ("mine" +ₗ #0)) ;;
                 #true)
              else #false
          end
    | InjR <> => #false
    end.

Definition deque_dealing_deal_from : val :=
  rec: "deal_from" "t" "mine" "j" "left" :=
    if: #0 < "left" then
      (let: "following" :=
         if: ("j" + #1) = deque_dealing_workers "t" then #0 else "j" + #1 in
       if: deque_dealing_offer "mine" (deque_dealing_worker "t" "j") then
         (("mine" +ₗ #3) <-na "j" ;;
          ("mine" +ₗ #4) <-na "following")
       else "deal_from" "t" "mine" "following" ("left" - #1))
    else #().

Definition deque_dealing_deal : val :=
  λ: "t" "mine",
    if: #0 < ! (Snd "t") then
      if: ~ deque_ring_is_empty (! ("mine" +ₗ #0)) then
        (let: "first" := !na ("mine" +ₗ #4) in
         deque_dealing_deal_from "t" "mine" "first" (deque_dealing_workers "t"))
      else #()
    else #().

Definition deque_dealing_tick : val :=
  λ: "t" "i", deque_dealing_deal "t" (deque_dealing_worker "t" "i").

Definition deque_dealing_push : val :=
  λ: "t" "i" "v",
    let: "mine" := deque_dealing_worker "t" "i" in
    deque_ring_push (! ("mine" +ₗ #0)) "v" ;;
    deque_dealing_deal "t" "mine".

Definition deque_dealing_pop : val :=
  λ: "t" "i",
    let: "mine" := deque_dealing_worker "t" "i" in
    let: "$s" := deque_ring_pop (! ("mine" +ₗ #0)) in
    match: "$s" with
      InjL <> => InjLV #()
    | InjR <> =>
        let: "popped" := "$s" in
        deque_dealing_deal "t" "mine" ;;
        "popped"
    end.

Definition deque_dealing_oldest : val :=
  λ: "t" "i",
    let: "mine" := deque_dealing_worker "t" "i" in
    deque_ring_take (! ("mine" +ₗ #0)).

Definition deque_dealing_dealt : val :=
  λ: "t" "i",
    let: "mine" := deque_dealing_worker "t" "i" in
    let: "receiver" := !na ("mine" +ₗ #3) in
    (if: ~ ("receiver" = deque_dealing_nobody) then
       ("mine" +ₗ #3) <-na deque_dealing_nobody
     else #()) ;;
    "receiver".

Definition deque_dealing_block : val := λ: <> <>, #().

Definition deque_dealing_unblock : val := λ: <> <>, #().

Definition deque_dealing_waits_for_answer : val :=
  λ: "t" "i",
    let: "mine" := deque_dealing_worker "t" "i" in
    !na ("mine" +ₗ #2).

Definition deque_dealing_over : val :=
  λ: "t" "mine",
    ("mine" +ₗ #2) <-na #false ;;
    FAA (Snd "t") #(-1) ;;
    #().

Definition deque_dealing_collect : val :=
  λ: "t" "mine",
    match: ! (! ("mine" +ₗ #1)) with
      InjL "$k" => if: "$k" = #0 then InjLV #() else InjLV #()
    | InjR "dealt" =>
        ! ("mine" +ₗ #1) <- InjLV #0 ;;
        deque_dealing_over "t" "mine" ;;
        InjR "dealt"
    end.

Definition deque_dealing_withdraw : val :=
  λ: "t" "i",
    let: "mine" := deque_dealing_worker "t" "i" in
    if: !na ("mine" +ₗ #2) then
      if: CAS (! ("mine" +ₗ #1)) (InjLV #1) (InjLV #0) then
        (deque_dealing_over "t" "mine" ;;
         InjLV #())
      else deque_dealing_collect "t" "mine"
    else InjLV #().

Definition deque_dealing_steal : val :=
  λ: "t" "thief" <>,
    let: "mine" := deque_dealing_worker "t" "thief" in
    if: !na ("mine" +ₗ #2) then deque_dealing_collect "t" "mine"
    else
      (("mine" +ₗ #2) <-na #true ;;
       ! ("mine" +ₗ #1) <- InjLV #1 ;;
       (FAA (Snd "t") #1 ;;
        #()) ;;
       InjLV #()).
