(* Generated from lib/kernel/hub/hybrid.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.deque Require Import bounded_code.
From dromos.hub Require Import central_code hub_code.

Definition hub_hybrid_capacity : val := #256.

(* t: (deques, central, own_deque). *)

Definition hub_hybrid_push : val :=
  λ: "t" "i" "reason" "task",
    let: "$k" := "reason" in
    if: "$k" = #0 then
      (let: "deque" := array_get (Fst (Fst "t")) "i" in
       if: ~ deque_bounded_push "deque" "task" then
         hub_central_submit (Snd (Fst "t")) "reason" "task"
       else #())
    else if: "$k" = #1 then
      (let: "deque" := array_get (Fst (Fst "t")) "i" in
       if: ~ deque_bounded_push "deque" "task" then
         hub_central_submit (Snd (Fst "t")) "reason" "task"
       else #())
    else if: "$k" = #2 then hub_central_submit (Snd (Fst "t")) "reason" "task"
    else hub_central_submit (Snd (Fst "t")) "reason" "task".

Definition hub_hybrid_steal_from : val :=
  rec: "steal_from" "t" "i" "victim" "left" :=
    if: "left" = #0 then hub_central_steal (Snd (Fst "t")) "i"
    else
      (let: "deque" := array_get (Fst (Fst "t")) "victim" in
       let: "$s" := deque_bounded_steal "deque" in
       match: "$s" with
         InjL <> =>
           let: "following" := "victim" + #1 in
           if: "following" = array_length (Fst (Fst "t")) then
             "steal_from" "t" "i" #0 ("left" - #1)
           else "steal_from" "t" "i" "following" ("left" - #1)
       | InjR <> =>
           let: "found" := "$s" in
           "found"
       end).

Definition hub_hybrid_steal : val :=
  λ: "t" "i",
    let: "victim" := hub_central_victim (Snd (Fst "t")) "i" in
    hub_hybrid_steal_from "t" "i" "victim" (array_length (Fst (Fst "t"))).

Definition hub_hybrid_pop_other : val :=
  λ: "t" "i",
    if: hub_central_fair (Snd (Fst "t")) "i" then hub_hybrid_steal "t" "i"
    else hub_central_pop (Snd (Fst "t")) "i".

Definition hub_hybrid_pop_own_first : val :=
  λ: "t" "i",
    let: "deque" := array_get (Fst (Fst "t")) "i" in
    let: "$s" := deque_bounded_pop "deque" in
    match: "$s" with
      InjL <> => hub_hybrid_pop_other "t" "i"
    | InjR <> =>
        let: "found" := "$s" in
        "found"
    end.

Definition hub_hybrid_pop : val :=
  λ: "t" "i",
    if: hub_central_fair (Snd (Fst "t")) "i" then
      (let: "$s" := hub_central_pop_fairly (Snd (Fst "t")) "i" (Snd "t") in
       match: "$s" with
         InjL <> => hub_hybrid_pop_own_first "t" "i"
       | InjR <> =>
           let: "found" := "$s" in
           "found"
       end)
    else hub_hybrid_pop_own_first "t" "i".

Definition hub_hybrid_retract : val :=
  λ: "t" "i" "task",
    let: "deque" := array_get (Fst (Fst "t")) "i" in
    match: deque_bounded_pop "deque" with
      InjL <> => #false
    | InjR "newest" =>
        if: "newest" = "task" then #true
        else
          ((deque_bounded_push "deque" "newest" ;;
            #()) ;;
           #false)
    end.

Definition hub_hybrid_has_work : val :=
  λ: "t" "i",
    let: "deque" := array_get (Fst (Fst "t")) "i" in
    if: deque_bounded_is_empty "deque" then
      hub_central_has_work (Snd (Fst "t"))
    else #true.

Definition hub_hybrid_retire : val :=
  λ: "t" "i",
    let: "deque" := array_get (Fst (Fst "t")) "i" in
    deque_bounded_sweep "deque".

Definition hub_hybrid_make : val :=
  λ: "workers",
    let: "dummy" := hub_hub_task (λ: <>, #()) in
    let: "deques" :=
      array_init "workers"
        (λ: <>, deque_bounded_create hub_hybrid_capacity "dummy") in
    let: "notifier" := hub_hub_notifier #() in
    let: "central" := hub_central_create "workers" "notifier" in
    let: "own_deque" :=
      ((λ: "i", deque_bounded_size (array_get "deques" "i")),
       (λ: "i", deque_bounded_steal (array_get "deques" "i"))) in
    let: "t" := ("deques", "central", "own_deque") in
    ("workers",
     (λ: "i" "reason" "task", hub_hybrid_push "t" "i" "reason" "task"),
     (λ: "i", hub_hybrid_pop "t" "i"),
     (λ: "i" "task", hub_hybrid_retract "t" "i" "task"),
     (λ: "i", hub_hybrid_steal "t" "i"),
     (λ: <>, #false),
     (λ: "i", hub_hybrid_has_work "t" "i"),
     (λ: "reason" "task", hub_central_submit "central" "reason" "task"),
     (λ: "i" <> "task", hub_central_submit_to "central" "i" "task"),
     (λ: <>, #()),
     (λ: "i", hub_hybrid_retire "t" "i"),
     (λ: <>, #()),
     (λ: <> <>, #()),
     (λ: <> <>, #()),
     (λ: <>, #()),
     "notifier").

Definition hub_hybrid_maker : val := hub_hybrid_make.
