(* Generated from lib/kernel/hub/std.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.deque Require Import public_code.
From dromos.hub Require Import central_code hub_code.

(* t: (deques, central, own_deque). *)

Definition hub_std_push : val :=
  λ: "t" "i" "reason" "task",
    let: "$k" := "reason" in
    if: "$k" = #0 then deque_public_push (Fst (Fst "t")) "i" "task"
    else if: "$k" = #1 then deque_public_push (Fst (Fst "t")) "i" "task"
    else if: "$k" = #2 then hub_central_submit (Snd (Fst "t")) "reason" "task"
    else hub_central_submit (Snd (Fst "t")) "reason" "task".

Definition hub_std_steal_from : val :=
  rec: "steal_from" "t" "i" "victim" "left" :=
    if: "left" = #0 then hub_central_steal (Snd (Fst "t")) "i"
    else
      (let: "$s" := deque_public_steal (Fst (Fst "t")) "i" "victim" in
       match: "$s" with
         InjL <> =>
           let: "following" := "victim" + #1 in
           if: "following" = deque_public_workers (Fst (Fst "t")) then
             "steal_from" "t" "i" #0 ("left" - #1)
           else "steal_from" "t" "i" "following" ("left" - #1)
       | InjR <> =>
           let: "found" := "$s" in
           "found"
       end).

Definition hub_std_steal : val :=
  λ: "t" "i",
    let: "victim" := hub_central_victim (Snd (Fst "t")) "i" in
    hub_std_steal_from "t" "i" "victim" (deque_public_workers (Fst (Fst "t"))).

Definition hub_std_pop_other : val :=
  λ: "t" "i",
    if: hub_central_fair (Snd (Fst "t")) "i" then hub_std_steal "t" "i"
    else hub_central_pop (Snd (Fst "t")) "i".

Definition hub_std_pop_own_first : val :=
  λ: "t" "i",
    let: "$s" := deque_public_pop (Fst (Fst "t")) "i" in
    match: "$s" with
      InjL <> => hub_std_pop_other "t" "i"
    | InjR <> =>
        let: "found" := "$s" in
        "found"
    end.

Definition hub_std_pop : val :=
  λ: "t" "i",
    if: hub_central_fair (Snd (Fst "t")) "i" then
      (let: "$s" := hub_central_pop_fairly (Snd (Fst "t")) "i" (Snd "t") in
       match: "$s" with
         InjL <> => hub_std_pop_own_first "t" "i"
       | InjR <> =>
           let: "found" := "$s" in
           "found"
       end)
    else hub_std_pop_own_first "t" "i".

Definition hub_std_retract : val :=
  λ: "t" "i" "task",
    match: deque_public_pop (Fst (Fst "t")) "i" with
      InjL <> => #false
    | InjR "newest" =>
        if: "newest" = "task" then #true
        else
          (deque_public_push (Fst (Fst "t")) "i" "newest" ;;
           #false)
    end.

Definition hub_std_has_work : val :=
  λ: "t" "i",
    if: deque_public_is_empty (Fst (Fst "t")) "i" then
      hub_central_has_work (Snd (Fst "t"))
    else #true.

Definition hub_std_make : val :=
  λ: "workers",
    let: "dummy" := hub_hub_task (λ: <>, #()) in
    let: "deques" := deque_public_create "workers" "dummy" in
    let: "notifier" := hub_hub_notifier #() in
    let: "central" := hub_central_create "workers" "notifier" in
    let: "size" := λ: "i", deque_public_size "deques" "i" in
    let: "oldest" := λ: "i", deque_public_steal "deques" "i" "i" in
    let: "own_deque" := ("size", "oldest") in
    let: "t" := ("deques", "central", "own_deque") in
    ("workers",
     (λ: "i" "reason" "task", hub_std_push "t" "i" "reason" "task"),
     (λ: "i", hub_std_pop "t" "i"),
     (λ: "i" "task", hub_std_retract "t" "i" "task"),
     (λ: "i", hub_std_steal "t" "i"),
     (λ: <>, #false),
     (λ: "i", hub_std_has_work "t" "i"),
     (λ: "reason" "task", hub_central_submit "central" "reason" "task"),
     (λ: "i" <> "task", hub_central_submit_to "central" "i" "task"),
     (λ: <>, #()),
     (λ: "i", deque_public_block "deques" "i"),
     (λ: <>, #()),
     (λ: <> <>, #()),
     (λ: <> <>, #()),
     (λ: <>, #()),
     "notifier").

Definition hub_std_maker : val := hub_std_make.
