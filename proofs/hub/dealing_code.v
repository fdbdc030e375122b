(* Generated from lib/kernel/hub/dealing.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.deque Require Import dealing_code.
From dromos.hub Require Import central_code hub_code.

(* t: (deques, central, vacant, present, own_deque, notifier). *)

Definition hub_dealing_deal_to_vacant : val :=
  λ: "t" "i",
    if: ~ deque_dealing_is_empty (Fst (Fst (Fst (Fst (Fst "t"))))) "i" then
      if: ~ hub_central_has_work (Snd (Fst (Fst (Fst (Fst "t"))))) then
        match: deque_dealing_oldest (Fst (Fst (Fst (Fst (Fst "t"))))) "i" with
          InjL <> => #()
        | InjR "task" =>
            hub_central_submit (Snd (Fst (Fst (Fst (Fst "t"))))) #0 "task"
        end
      else #()
    else #().

Definition hub_dealing_answered : val :=
  λ: "t" "i",
    let: "receiver" :=
      deque_dealing_dealt (Fst (Fst (Fst (Fst (Fst "t"))))) "i" in
    (if: #0 ≤ "receiver" then (!na (Snd "t" +ₗ #0)) "receiver" else #()) ;;
    if: #0 < ! (Snd (Fst (Fst (Fst "t")))) then
      hub_dealing_deal_to_vacant "t" "i"
    else #().

Definition hub_dealing_appear : val :=
  λ: "t" "i",
    if: ~ array_get (Snd (Fst (Fst "t"))) "i" then
      (array_set (Snd (Fst (Fst "t"))) "i" #true ;;
       FAA (Snd (Fst (Fst (Fst "t")))) #(-1) ;;
       #())
    else #().

Definition hub_dealing_disappear : val :=
  λ: "t" "i",
    if: array_get (Snd (Fst (Fst "t"))) "i" then
      (array_set (Snd (Fst (Fst "t"))) "i" #false ;;
       FAA (Snd (Fst (Fst (Fst "t")))) #1 ;;
       #())
    else #().

Definition hub_dealing_push_deque : val :=
  λ: "t" "i" "task",
    deque_dealing_push (Fst (Fst (Fst (Fst (Fst "t"))))) "i" "task" ;;
    hub_dealing_answered "t" "i".

Definition hub_dealing_pop_deque : val :=
  λ: "t" "i",
    let: "popped" := deque_dealing_pop (Fst (Fst (Fst (Fst (Fst "t"))))) "i" in
    hub_dealing_answered "t" "i" ;;
    "popped".

Definition hub_dealing_withdraw : val :=
  λ: "t" "i",
    if: deque_dealing_waits_for_answer (Fst (Fst (Fst (Fst (Fst "t"))))) "i" then
      match: deque_dealing_withdraw (Fst (Fst (Fst (Fst (Fst "t"))))) "i" with
        InjL <> => #()
      | InjR "task" => hub_dealing_push_deque "t" "i" "task"
      end
    else #().

Definition hub_dealing_push_own : val :=
  λ: "t" "i" "task",
    hub_dealing_appear "t" "i" ;;
    hub_dealing_withdraw "t" "i" ;;
    hub_dealing_push_deque "t" "i" "task".

Definition hub_dealing_push : val :=
  λ: "t" "i" "reason" "task",
    let: "$k" := "reason" in
    if: "$k" = #0 then hub_dealing_push_own "t" "i" "task"
    else if: "$k" = #1 then hub_dealing_push_own "t" "i" "task"
    else if: "$k" = #2 then
      hub_central_submit (Snd (Fst (Fst (Fst (Fst "t"))))) "reason" "task"
    else hub_central_submit (Snd (Fst (Fst (Fst (Fst "t"))))) "reason" "task".

Definition hub_dealing_tick : val :=
  λ: "t" "i",
    deque_dealing_tick (Fst (Fst (Fst (Fst (Fst "t"))))) "i" ;;
    hub_dealing_answered "t" "i".

Definition hub_dealing_pop_own_first : val :=
  λ: "t" "i",
    let: "dealt" :=
      deque_dealing_withdraw (Fst (Fst (Fst (Fst (Fst "t"))))) "i" in
    match: "dealt" with
      InjL <> =>
        let: "popped" := hub_dealing_pop_deque "t" "i" in
        match: "popped" with
          InjL <> => hub_central_pop (Snd (Fst (Fst (Fst (Fst "t"))))) "i"
        | InjR <> => "popped"
        end
    | InjR <> => "dealt"
    end.

Definition hub_dealing_pop_fairly : val :=
  λ: "t" "i",
    let: "$s" :=
      hub_central_pop_fairly (Snd (Fst (Fst (Fst (Fst "t"))))) "i"
        (Snd (Fst "t")) in
    match: "$s" with
      InjL <> => hub_dealing_pop_own_first "t" "i"
    | InjR <> =>
        let: "found" := "$s" in
        hub_dealing_withdraw "t" "i" ;;
        hub_dealing_tick "t" "i" ;;
        "found"
    end.

Definition hub_dealing_pop : val :=
  λ: "t" "i",
    if: hub_central_fair (Snd (Fst (Fst (Fst (Fst "t"))))) "i" then
      hub_dealing_pop_fairly "t" "i"
    else hub_dealing_pop_own_first "t" "i".

Definition hub_dealing_steal : val :=
  λ: "t" "i",
    let: "own" := hub_dealing_pop_deque "t" "i" in
    match: "own" with
      InjL <> =>
        let: "dealt" :=
          deque_dealing_steal (Fst (Fst (Fst (Fst (Fst "t"))))) "i" "i" in
        hub_dealing_appear "t" "i" ;;
        match: "dealt" with
          InjL <> =>
            let: "other" :=
              hub_central_steal (Snd (Fst (Fst (Fst (Fst "t"))))) "i" in
            match: "other" with
              InjL <> => InjLV #()
            | InjR <> =>
                hub_dealing_withdraw "t" "i" ;;
                "other"
            end
        | InjR <> => "dealt"
        end
    | InjR <> => "own"
    end.

Definition hub_dealing_retract : val :=
  λ: "t" "i" "task",
    let: "popped" := hub_dealing_pop_deque "t" "i" in
    match: "popped" with
      InjL <> => #false
    | InjR "newest" =>
        if: "newest" = "task" then #true
        else
          (hub_dealing_push_deque "t" "i" "newest" ;;
           #false)
    end.

Definition hub_dealing_has_work : val :=
  λ: "t" "i",
    if: deque_dealing_is_empty (Fst (Fst (Fst (Fst (Fst "t"))))) "i" then
      hub_central_has_work (Snd (Fst (Fst (Fst (Fst "t")))))
    else #true.

Definition hub_dealing_give_away : val :=
  rec: "give_away" "t" "i" :=
    match: hub_dealing_pop_deque "t" "i" with
      InjL <> => #()
    | InjR "task" =>
        hub_central_submit (Snd (Fst (Fst (Fst (Fst "t"))))) #0 "task" ;;
        "give_away" "t" "i"
    end.

Definition hub_dealing_retire : val :=
  λ: "t" "i",
    hub_dealing_disappear "t" "i" ;;
    hub_dealing_withdraw "t" "i" ;;
    hub_dealing_give_away "t" "i".

Definition hub_dealing_make : val :=
  λ: "workers",
    let: "dummy" := hub_hub_task (λ: <>, #()) in
    let: "deques" := deque_dealing_create "workers" "dummy" in
    let: "notifier" := hub_hub_notifier #() in
    let: "central" := hub_central_create "workers" "notifier" in
    let: "vacant" := ref "workers" in
    let: "present" := array_make "workers" #false in
    let: "size" := λ: "i", deque_dealing_size "deques" "i" in
    let: "oldest" := λ: "i", deque_dealing_oldest "deques" "i" in
    let: "own_deque" := ("size", "oldest") in
    let: "t" :=
      ("deques", "central", "vacant", "present", "own_deque", "notifier") in
    ("workers",
     (λ: "i" "reason" "task", hub_dealing_push "t" "i" "reason" "task"),
     (λ: "i", hub_dealing_pop "t" "i"),
     (λ: "i" "task", hub_dealing_retract "t" "i" "task"),
     (λ: "i", hub_dealing_steal "t" "i"),
     (λ: <>, #false),
     (λ: "i", hub_dealing_has_work "t" "i"),
     (λ: "reason" "task", hub_central_submit "central" "reason" "task"),
     (λ: "i" <> "task", hub_central_submit_to "central" "i" "task"),
     (λ: <>, #()),
     (λ: "i", hub_dealing_retire "t" "i"),
     (λ: "i", hub_dealing_tick "t" "i"),
     (λ: <> <>, #()),
     (λ: <> <>, #()),
     (λ: <>, #()),
     "notifier").

Definition hub_dealing_maker : val := hub_dealing_make.
