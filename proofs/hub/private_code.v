(* Generated from lib/kernel/hub/private_.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.deque Require Import private_code.
From dromos.hub Require Import central_code hub_code.

(* thief: a block of 0 mutable victim, 1 mutable misses, 2 mutable
   must_retry. *)

(* t: (deques, thieves, wake_masks, central, own_deque, notifier). *)

Definition hub_private_bits : val := #62.

Definition hub_private_bit : val := λ: "j", #1 ≪ ("j" `rem` hub_private_bits).

Definition hub_private_retry_period : val := #16.

Definition hub_private_spin_limit : val := #64.

Definition hub_private_make_thief : val :=
  λ: "i", block3 (na_val "i") (na_val #0) (na_val #false).

Definition hub_private_notify_marked : val :=
  rec: "notify_marked" "t" "marked" "j" :=
    if: "j" < deque_private_workers (Fst (Fst (Fst (Fst (Fst "t"))))) then
      ((if: ~ (BinOp AndOp "marked" (hub_private_bit "j") = #0) then
          (!na (Snd "t" +ₗ #0)) "j"
        else #()) ;;
       "notify_marked" "t" "marked" ("j" + #1))
    else #().

Definition hub_private_answered : val :=
  λ: "t" "i",
    let: "wake_mask" := array_get (Snd (Fst (Fst (Fst "t")))) "i" in
    if: ~ (! "wake_mask" = #0) then
      (let: "marked" := Xchg "wake_mask" #0 in
       hub_private_notify_marked "t" "marked" #0)
    else #().

Definition hub_private_withdraw : val :=
  λ: "t" "i",
    if: deque_private_waits_for_answer (Fst (Fst (Fst (Fst (Fst "t"))))) "i" then
      match: deque_private_withdraw (Fst (Fst (Fst (Fst (Fst "t"))))) "i" with
        InjL <> => #()
      | InjR "task" =>
          deque_private_push (Fst (Fst (Fst (Fst (Fst "t"))))) "i" "task"
      end
    else #().

Definition hub_private_push_own : val :=
  λ: "t" "i" "task",
    hub_private_withdraw "t" "i" ;;
    deque_private_push (Fst (Fst (Fst (Fst (Fst "t"))))) "i" "task" ;;
    hub_private_answered "t" "i".

Definition hub_private_push : val :=
  λ: "t" "i" "reason" "task",
    let: "$k" := "reason" in
    if: "$k" = #0 then hub_private_push_own "t" "i" "task"
    else if: "$k" = #1 then hub_private_push_own "t" "i" "task"
    else if: "$k" = #2 then
      hub_central_submit (Snd (Fst (Fst "t"))) "reason" "task"
    else hub_central_submit (Snd (Fst (Fst "t"))) "reason" "task".

Definition hub_private_tick : val :=
  λ: "t" "i",
    deque_private_tick (Fst (Fst (Fst (Fst (Fst "t"))))) "i" ;;
    hub_private_answered "t" "i".

Definition hub_private_pop_own_first : val :=
  λ: "t" "i",
    hub_private_withdraw "t" "i" ;;
    let: "popped" := deque_private_pop (Fst (Fst (Fst (Fst (Fst "t"))))) "i" in
    hub_private_answered "t" "i" ;;
    match: "popped" with
      InjL <> => hub_central_pop (Snd (Fst (Fst "t"))) "i"
    | InjR <> => "popped"
    end.

Definition hub_private_pop_fairly : val :=
  λ: "t" "i",
    let: "$s" :=
      hub_central_pop_fairly (Snd (Fst (Fst "t"))) "i" (Snd (Fst "t")) in
    match: "$s" with
      InjL <> => hub_private_pop_own_first "t" "i"
    | InjR <> =>
        let: "found" := "$s" in
        hub_private_tick "t" "i" ;;
        "found"
    end.

Definition hub_private_pop : val :=
  λ: "t" "i",
    if: hub_central_fair (Snd (Fst (Fst "t"))) "i" then
      hub_private_pop_fairly "t" "i"
    else hub_private_pop_own_first "t" "i".

Definition hub_private_promising : val :=
  rec: "promising" "t" "thief" "victim" "left" :=
    if: "left" = #0 then "thief"
    else if: (~ ("victim" = "thief")) &&
             deque_private_may_have (Fst (Fst (Fst (Fst (Fst "t"))))) "victim" then
      "victim"
    else
      (let: "following" := "victim" + #1 in
       if: "following" =
             deque_private_workers (Fst (Fst (Fst (Fst (Fst "t"))))) then
         "promising" "t" "thief" #0 ("left" - #1)
       else "promising" "t" "thief" "following" ("left" - #1)).

Definition hub_private_choose : val :=
  λ: "t" "i",
    let: "start" := hub_central_victim (Snd (Fst (Fst "t"))) "i" in
    hub_private_promising "t" "i" "start"
      (deque_private_workers (Fst (Fst (Fst (Fst (Fst "t")))))).

Definition hub_private_mark : val :=
  rec: "mark" "wake_mask" "mine" :=
    let: "seen" := ! "wake_mask" in
    if: BinOp AndOp "seen" "mine" = #0 then
      if: ~ CAS "wake_mask" "seen" (BinOp OrOp "seen" "mine") then
        "mark" "wake_mask" "mine"
      else #()
    else #().

Definition hub_private_mark_all : val :=
  rec: "mark_all" "t" "i" "victim" :=
    if: "victim" < deque_private_workers (Fst (Fst (Fst (Fst (Fst "t"))))) then
      ((if: (~ ("victim" = "i")) &&
            deque_private_may_have (Fst (Fst (Fst (Fst (Fst "t"))))) "victim" then
          (let: "wake_mask" := array_get (Snd (Fst (Fst (Fst "t")))) "victim" in
           hub_private_mark "wake_mask" (hub_private_bit "i"))
        else #()) ;;
       "mark_all" "t" "i" ("victim" + #1))
    else #().

Definition hub_private_ask : val :=
  λ: "t" "i" "thief",
    (if: deque_private_waits_for_answer (Fst (Fst (Fst (Fst (Fst "t"))))) "i" then
       if: BinOp AndOp (!na ("thief" +ₗ #1)) (hub_private_retry_period - #1) =
             #0 then
         (let: "other" := hub_private_choose "t" "i" in
          if: ~ ("other" = "i") then ("thief" +ₗ #0) <-na "other" else #())
       else #()
     else ("thief" +ₗ #0) <-na hub_private_choose "t" "i") ;;
    if: !na ("thief" +ₗ #0) = "i" then InjLV #()
    else
      deque_private_steal (Fst (Fst (Fst (Fst (Fst "t"))))) "i"
        (!na ("thief" +ₗ #0)).

Definition hub_private_found : val :=
  λ: "thief" "task",
    ("thief" +ₗ #1) <-na #0 ;;
    ("thief" +ₗ #2) <-na #false ;;
    "task".

Definition hub_private_steal_from_others : val :=
  λ: "t" "i" "thief",
    ("thief" +ₗ #1) <-na (!na ("thief" +ₗ #1) + #1) ;;
    (if: hub_private_spin_limit < !na ("thief" +ₗ #1) then
       hub_private_mark_all "t" "i" #0
     else #()) ;;
    let: "task" := hub_private_ask "t" "i" "thief" in
    match: "task" with
      InjL <> =>
        ("thief" +ₗ #2) <-na
          ((!na ("thief" +ₗ #1) ≤ hub_private_spin_limit) &&
           (~ (!na ("thief" +ₗ #0) = "i"))) ;;
        InjLV #()
    | InjR <> => hub_private_found "thief" "task"
    end.

Definition hub_private_steal : val :=
  λ: "t" "i",
    let: "thief" := array_get (Snd (Fst (Fst (Fst (Fst "t"))))) "i" in
    let: "own" := deque_private_pop (Fst (Fst (Fst (Fst (Fst "t"))))) "i" in
    match: "own" with
      InjL <> =>
        let: "stolen" := hub_private_steal_from_others "t" "i" "thief" in
        match: "stolen" with
          InjL <> =>
            let: "other" := hub_central_steal (Snd (Fst (Fst "t"))) "i" in
            match: "other" with
              InjL <> => InjLV #()
            | InjR <> =>
                hub_private_withdraw "t" "i" ;;
                hub_private_found "thief" "other"
            end
        | InjR <> => "stolen"
        end
    | InjR <> => hub_private_found "thief" "own"
    end.

Definition hub_private_waits_for_answer : val :=
  λ: "t" "i", !na (array_get (Snd (Fst (Fst (Fst (Fst "t"))))) "i" +ₗ #2).

Definition hub_private_retract : val :=
  λ: "t" "i" "task",
    let: "popped" := deque_private_pop (Fst (Fst (Fst (Fst (Fst "t"))))) "i" in
    hub_private_answered "t" "i" ;;
    match: "popped" with
      InjL <> => #false
    | InjR "newest" =>
        if: "newest" = "task" then #true
        else
          (deque_private_push (Fst (Fst (Fst (Fst (Fst "t"))))) "i" "newest" ;;
           #false)
    end.

Definition hub_private_has_work : val :=
  λ: "t" "i",
    if: deque_private_is_empty (Fst (Fst (Fst (Fst (Fst "t"))))) "i" then
      hub_central_has_work (Snd (Fst (Fst "t")))
    else #true.

Definition hub_private_withdraw_for_good : val :=
  rec: "withdraw_for_good" "t" "i" :=
    hub_private_withdraw "t" "i" ;;
    if: deque_private_waits_for_answer (Fst (Fst (Fst (Fst (Fst "t"))))) "i" then
      (#() ;;
       "withdraw_for_good" "t" "i")
    else #().

Definition hub_private_give_away : val :=
  rec: "give_away" "t" "i" :=
    match: deque_private_pop (Fst (Fst (Fst (Fst (Fst "t"))))) "i" with
      InjL <> => #()
    | InjR "task" =>
        hub_central_submit (Snd (Fst (Fst "t"))) #0 "task" ;;
        "give_away" "t" "i"
    end.

Definition hub_private_retire : val :=
  λ: "t" "i",
    hub_private_withdraw_for_good "t" "i" ;;
    hub_private_give_away "t" "i" ;;
    deque_private_block (Fst (Fst (Fst (Fst (Fst "t"))))) "i" ;;
    hub_private_answered "t" "i".

Definition hub_private_make : val :=
  λ: "workers",
    let: "dummy" := hub_hub_task (λ: <>, #()) in
    let: "deques" := deque_private_create "workers" "dummy" in
    let: "thieves" := array_init "workers" hub_private_make_thief in
    let: "wake_masks" := array_init "workers" (λ: <>, ref #0) in
    let: "notifier" := hub_hub_notifier #() in
    let: "central" := hub_central_create "workers" "notifier" in
    let: "size" := λ: "i", deque_private_size "deques" "i" in
    let: "oldest" := λ: "i", deque_private_oldest "deques" "i" in
    let: "own_deque" := ("size", "oldest") in
    let: "t" :=
      ("deques", "thieves", "wake_masks", "central", "own_deque", "notifier") in
    ("workers",
     (λ: "i" "reason" "task", hub_private_push "t" "i" "reason" "task"),
     (λ: "i", hub_private_pop "t" "i"),
     (λ: "i" "task", hub_private_retract "t" "i" "task"),
     (λ: "i", hub_private_steal "t" "i"),
     (λ: "i", hub_private_waits_for_answer "t" "i"),
     (λ: "i", hub_private_has_work "t" "i"),
     (λ: "reason" "task", hub_central_submit "central" "reason" "task"),
     (λ: "i" <> "task", hub_central_submit_to "central" "i" "task"),
     (λ: "i", deque_private_unblock "deques" "i"),
     (λ: "i", hub_private_retire "t" "i"),
     (λ: "i", hub_private_tick "t" "i"),
     (λ: <> <>, #()),
     (λ: <> <>, #()),
     (λ: <>, #()),
     "notifier").

Definition hub_private_maker : val := hub_private_make.
