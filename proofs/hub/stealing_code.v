(* Generated from lib/kernel/hub/stealing.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.deque Require Import bounded_code public_code.
From dromos.hub Require Import central_code hub_code.

(* deques: Growing is InjL of its argument, Fixed is InjR of its argument. *)

(* parts: deques. *)

(* t: (workers, deques, central, own_deque). *)

Definition hub_stealing_push_deque : val :=
  λ: "deques" "i" "task",
    match: "deques" with
      InjL "deques" =>
        deque_public_push "deques" "i" "task" ;;
        #true
    | InjR "deques" => deque_bounded_push (array_get "deques" "i") "task"
    end.

Definition hub_stealing_pop_deque : val :=
  λ: "deques" "i",
    match: "deques" with
      InjL "deques" => deque_public_pop "deques" "i"
    | InjR "deques" => deque_bounded_pop (array_get "deques" "i")
    end.

Definition hub_stealing_steal_deque : val :=
  λ: "deques" "i",
    match: "deques" with
      InjL "deques" => deque_public_steal "deques" "i" "i"
    | InjR "deques" => deque_bounded_steal (array_get "deques" "i")
    end.

Definition hub_stealing_deque_size : val :=
  λ: "deques" "i",
    match: "deques" with
      InjL "deques" => deque_public_size "deques" "i"
    | InjR "deques" => deque_bounded_size (array_get "deques" "i")
    end.

Definition hub_stealing_deque_is_empty : val :=
  λ: "deques" "i",
    match: "deques" with
      InjL "deques" => deque_public_is_empty "deques" "i"
    | InjR "deques" => deque_bounded_is_empty (array_get "deques" "i")
    end.

Definition hub_stealing_sweep_deque : val :=
  λ: "deques" "i",
    match: "deques" with
      InjL "deques" => deque_public_block "deques" "i"
    | InjR "deques" => deque_bounded_sweep (array_get "deques" "i")
    end.

Definition hub_stealing_push_own : val :=
  λ: "t" "i" "reason" "task",
    if: ~ hub_stealing_push_deque (Snd (Fst (Fst "t"))) "i" "task" then
      hub_central_submit (Snd (Fst "t")) "reason" "task"
    else #().

Definition hub_stealing_push : val :=
  λ: "t" "i" "reason" "task",
    let: "$k" := "reason" in
    if: "$k" = #0 then hub_stealing_push_own "t" "i" "reason" "task"
    else if: "$k" = #1 then hub_stealing_push_own "t" "i" "reason" "task"
    else if: "$k" = #2 then hub_central_submit (Snd (Fst "t")) "reason" "task"
    else hub_central_submit (Snd (Fst "t")) "reason" "task".

Definition hub_stealing_steal_from : val :=
  rec: "steal_from" "t" "i" "victim" "left" :=
    if: "left" = #0 then hub_central_steal (Snd (Fst "t")) "i"
    else
      (let: "$s" := hub_stealing_steal_deque (Snd (Fst (Fst "t"))) "victim" in
       match: "$s" with
         InjL <> =>
           let: "following" := "victim" + #1 in
           if: "following" = Fst (Fst (Fst "t")) then
             "steal_from" "t" "i" #0 ("left" - #1)
           else "steal_from" "t" "i" "following" ("left" - #1)
       | InjR <> =>
           let: "found" := "$s" in
           "found"
       end).

Definition hub_stealing_steal : val :=
  λ: "t" "i",
    let: "victim" := hub_central_victim (Snd (Fst "t")) "i" in
    hub_stealing_steal_from "t" "i" "victim" (Fst (Fst (Fst "t"))).

Definition hub_stealing_pop_other : val :=
  λ: "t" "i",
    if: hub_central_fair (Snd (Fst "t")) "i" then hub_stealing_steal "t" "i"
    else hub_central_pop (Snd (Fst "t")) "i".

Definition hub_stealing_pop_own_first : val :=
  λ: "t" "i",
    let: "$s" := hub_stealing_pop_deque (Snd (Fst (Fst "t"))) "i" in
    match: "$s" with
      InjL <> => hub_stealing_pop_other "t" "i"
    | InjR <> =>
        let: "found" := "$s" in
        "found"
    end.

Definition hub_stealing_pop : val :=
  λ: "t" "i",
    if: hub_central_fair (Snd (Fst "t")) "i" then
      (let: "$s" := hub_central_pop_fairly (Snd (Fst "t")) "i" (Snd "t") in
       match: "$s" with
         InjL <> => hub_stealing_pop_own_first "t" "i"
       | InjR <> =>
           let: "found" := "$s" in
           "found"
       end)
    else hub_stealing_pop_own_first "t" "i".

Definition hub_stealing_retract : val :=
  λ: "t" "i" "task",
    match: hub_stealing_pop_deque (Snd (Fst (Fst "t"))) "i" with
      InjL <> => #false
    | InjR "newest" =>
        if: "newest" = "task" then #true
        else
          ((hub_stealing_push_deque (Snd (Fst (Fst "t"))) "i" "newest" ;;
            #()) ;;
           #false)
    end.

Definition hub_stealing_has_work : val :=
  λ: "t" "i",
    if: hub_stealing_deque_is_empty (Snd (Fst (Fst "t"))) "i" then
      hub_central_has_work (Snd (Fst "t"))
    else #true.

Definition hub_stealing_make : val :=
  λ: "workers" "parts",
    let: "deques" := "parts" in
    let: "notifier" := hub_hub_notifier #() in
    let: "central" := hub_central_create "workers" "notifier" in
    let: "size" := λ: "i", hub_stealing_deque_size "deques" "i" in
    let: "oldest" := λ: "i", hub_stealing_steal_deque "deques" "i" in
    let: "own_deque" := ("size", "oldest") in
    let: "t" := ("workers", "deques", "central", "own_deque") in
    ("workers",
     (λ: "i" "reason" "task", hub_stealing_push "t" "i" "reason" "task"),
     (λ: "i", hub_stealing_pop "t" "i"),
     (λ: "i" "task", hub_stealing_retract "t" "i" "task"),
     (λ: "i", hub_stealing_steal "t" "i"),
     (λ: <>, #false),
     (λ: "i", hub_stealing_has_work "t" "i"),
     (λ: "reason" "task", hub_central_submit "central" "reason" "task"),
     (λ: "i" <> "task", hub_central_submit_to "central" "i" "task"),
     (λ: <>, #()),
     (λ: "i", hub_stealing_sweep_deque "deques" "i"),
     (λ: <>, #()),
     (λ: <> <>, #()),
     (λ: <> <>, #()),
     (λ: <>, #()),
     "notifier").
