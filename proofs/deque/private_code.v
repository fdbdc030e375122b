(* Generated from lib/kernel/deque/private_.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.deque Require Import ring_code.

(* answer: Silence is InjLV #0, Refused is InjLV #1, Given is InjR of item. *)

(* worker: a block of 0 ring, 1 request, 2 answer, 3 mutable is_shut, 4 mutable
   asked. *)

(* t: all. *)

Definition deque_private_free : val := #(-1).

Definition deque_private_shut : val := #(-2).

Definition deque_private_nobody : val := #(-1).

Definition deque_private_initial_capacity : val := #64.

Definition deque_private_create : val :=
  λ: "workers" "dummy",
    let: "make" :=
      λ: <>,
        let: "ring" := deque_ring_create deque_private_initial_capacity "dummy" in
        let: "request" := ref deque_private_shut in
        let: "answer" := ref (InjLV #0) in
        block5 "ring" "request" "answer" (na_val #true)
          (na_val deque_private_nobody) in
    array_init "workers" "make".

Definition deque_private_workers : val := λ: "t", array_length "t".

Definition deque_private_worker : val := λ: "t" "i", array_get "t" "i".

Definition deque_private_size : val :=
  λ: "t" "i", deque_ring_size (! (deque_private_worker "t" "i" +ₗ #0)).

Definition deque_private_is_empty : val :=
  λ: "t" "i", deque_ring_is_empty (! (deque_private_worker "t" "i" +ₗ #0)).

Definition deque_private_may_have : val :=
  λ: "t" "i",
    let: "request" := ! (! (deque_private_worker "t" "i" +ₗ #1)) in
    ~ ("request" = deque_private_shut).

Definition deque_private_open_ : val :=
  λ: "mine",
    if: !na ("mine" +ₗ #3) then
      (("mine" +ₗ #3) <-na #false ;;
       ! ("mine" +ₗ #1) <- deque_private_free)
    else #().

Definition deque_private_close : val :=
  λ: "t" "mine",
    if: ~ !na ("mine" +ₗ #3) then
      (("mine" +ₗ #3) <-na #true ;;
       let: "thief" := Xchg (! ("mine" +ₗ #1)) deque_private_shut in
       if: ~ ("thief" = deque_private_free) then
         (let: "other" := deque_private_worker "t" "thief" in
          ! ("other" +ₗ #2) <- InjLV #1)
       else #())
    else #().

Definition deque_private_close_if_empty : val :=
  λ: "t" "mine",
    if: deque_ring_is_empty (! ("mine" +ₗ #0)) then
      deque_private_close "t" "mine"
    else #().

Definition deque_private_hand_over : val :=
  λ: "t" "mine" "thief",
    if: CAS (! ("mine" +ₗ #1)) "thief" deque_private_free then
      (let: "other" := deque_private_worker "t" "thief" in
       match: deque_ring_take (! ("mine" +ₗ #0)) with
         InjL <> => ! ("other" +ₗ #2) <- InjLV #1
       | InjR "item" => ! ("other" +ₗ #2) <- InjR "item"
       end)
    else #().

Definition deque_private_respond : val :=
  λ: "t" "mine",
    let: "thief" := ! (! ("mine" +ₗ #1)) in
    if: #0 ≤ "thief" then
      (deque_private_hand_over "t" "mine" "thief" ;;
       deque_private_close_if_empty "t" "mine")
    else #().

Definition deque_private_tick : val :=
  λ: "t" "i", deque_private_respond "t" (deque_private_worker "t" "i").

Definition deque_private_push : val :=
  λ: "t" "i" "v",
    let: "mine" := deque_private_worker "t" "i" in
    deque_ring_push (! ("mine" +ₗ #0)) "v" ;;
    deque_private_open_ "mine" ;;
    deque_private_respond "t" "mine".

Definition deque_private_pop : val :=
  λ: "t" "i",
    let: "mine" := deque_private_worker "t" "i" in
    let: "$s" := deque_ring_pop (! ("mine" +ₗ #0)) in
    match: "$s" with
      InjL <> => InjLV #()
    | InjR <> =>
        let: "popped" := "$s" in
        (if: deque_ring_is_empty (! ("mine" +ₗ #0)) then
           deque_private_close "t" "mine"
         else deque_private_respond "t" "mine") ;;
        "popped"
    end.

Definition deque_private_oldest : val :=
  λ: "t" "i",
    let: "mine" := deque_private_worker "t" "i" in
    let: "$s" := deque_ring_take (! ("mine" +ₗ #0)) in
    match: "$s" with
      InjL <> => InjLV #()
    | InjR <> =>
        let: "taken" := "$s" in
        (if: deque_ring_is_empty (! ("mine" +ₗ #0)) then
           deque_private_close "t" "mine"
         else deque_private_respond "t" "mine") ;;
        "taken"
    end.

Definition deque_private_block : val :=
  λ: "t" "i", deque_private_close "t" (deque_private_worker "t" "i").

Definition deque_private_unblock : val :=
  λ: "t" "i",
    let: "mine" := deque_private_worker "t" "i" in
    if: ~ deque_ring_is_empty (! ("mine" +ₗ #0)) then
      deque_private_open_ "mine"
    else #().

Definition deque_private_waits_for_answer : val :=
  λ: "t" "i",
    let: "mine" := deque_private_worker "t" "i" in
    ~ (!na ("mine" +ₗ #4) = deque_private_nobody).

Definition deque_private_collect : val :=
  λ: "mine",
    match: ! (! ("mine" +ₗ #2)) with
      InjL "$k" =>
        if: "$k" = #0 then InjLV #()
        else
          (! ("mine" +ₗ #2) <- InjLV #0 ;;
           ("mine" +ₗ #4) <-na deque_private_nobody ;;
           InjLV #())
    | InjR "given" =>
        ! ("mine" +ₗ #2) <- InjLV #0 ;;
        ("mine" +ₗ #4) <-na deque_private_nobody ;;
        InjR "given"
    end.

Definition deque_private_ask : val :=
  λ: "t" "thief" "mine" "victim",
    let: "other" := deque_private_worker "t" "victim" in
    let: "request" := ! (! ("other" +ₗ #1)) in
    if: "request" = deque_private_free then
      if: CAS (! ("other" +ₗ #1)) deque_private_free "thief" then
        ("mine" +ₗ #4) <-na "victim"
      else #()
    else #().

Definition deque_private_take_back : val :=
  λ: "t" "thief" "mine",
    let: "other" := deque_private_worker "t" (!na ("mine" +ₗ #4)) in
    if: CAS (! ("other" +ₗ #1)) "thief" deque_private_free then
      (("mine" +ₗ #4) <-na deque_private_nobody ;;
       InjLV #())
    else deque_private_collect "mine".

Definition deque_private_withdraw : val :=
  λ: "t" "i",
    let: "mine" := deque_private_worker "t" "i" in
    if: !na ("mine" +ₗ #4) = deque_private_nobody then InjLV #()
    else deque_private_take_back "t" "i" "mine".

Definition deque_private_steal : val :=
  λ: "t" "thief" "victim",
    let: "mine" := deque_private_worker "t" "thief" in
    let: "collected" :=
      if: !na ("mine" +ₗ #4) = deque_private_nobody then InjLV #()
      else if: !na ("mine" +ₗ #4) = "victim" then deque_private_collect "mine"
      else deque_private_take_back "t" "thief" "mine" in
    match: "collected" with
      InjL <> =>
        (if: !na ("mine" +ₗ #4) = deque_private_nobody then
           deque_private_ask "t" "thief" "mine" "victim"
         else #()) ;;
        InjLV #()
    | InjR <> => "collected"
    end.
