(* Generated from lib/kernel/hub/central.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.base Require Import queue_code.

(* local: a block of 0 inbox, 1 mutable pops, 2 mutable turn, 3 mutable older,
   4 mutable seed, 5 mutable from_inbox. *)

(* item: Ready is InjL of its argument, Yielding is InjR of its argument. *)

(* t: (shared, deferred, locals, notifier). *)

(* own_deque: (size, oldest). *)

Definition hub_central_period : val := #61.

Definition hub_central_make_local : val :=
  λ: "i",
    let: "inbox" := base_queue_create #() in
    block6 "inbox" (na_val hub_central_period) (na_val #0) (na_val #0)
      (na_val (("i" + #1) * #2654435769)) (na_val #false).

Definition hub_central_create : val :=
  λ: "workers" "notifier",
    let: "shared" := base_queue_create #() in
    let: "deferred" := base_queue_create #() in
    let: "locals" := array_init "workers" hub_central_make_local in
    ("shared", "deferred", "locals", "notifier").

Definition hub_central_submit : val :=
  λ: "t" "reason" "task",
    let: "$k" := "reason" in
    if: "$k" = #0 then base_queue_push (Fst (Fst (Fst "t"))) (InjL "task")
    else if: "$k" = #1 then base_queue_push (Fst (Fst (Fst "t"))) (InjL "task")
    else if: "$k" = #2 then base_queue_push (Fst (Fst (Fst "t"))) (InjR "task")
    else base_queue_push (Fst (Fst (Fst "t"))) (InjR "task").

Definition hub_central_submit_to : val :=
  λ: "t" "i" "task",
    let: "local" := array_get (Snd (Fst "t")) "i" in
    base_queue_push (! ("local" +ₗ #0)) "task".

Definition hub_central_fair : val :=
  λ: "t" "i",
    let: "local" := array_get (Snd (Fst "t")) "i" in
    if: #1 < !na ("local" +ₗ #1) then
      (("local" +ₗ #1) <-na (!na ("local" +ₗ #1) - #1) ;;
       #false)
    else
      (("local" +ₗ #1) <-na hub_central_period ;;
       #true).

Definition hub_central_pop_shared : val :=
  λ: "t",
    let: "$s" := base_queue_pop (Snd (Fst (Fst "t"))) in
    match: "$s" with
      InjL <> =>
        match: base_queue_pop (Fst (Fst (Fst "t"))) with
          InjL <> => InjLV #()
        | InjR "item" =>
            match: "item" with
              InjL "task" => InjR "task"
            | InjR "task" => InjR "task"
            end
        end
    | InjR <> =>
        let: "found" := "$s" in
        "found"
    end.

Definition hub_central_pop_inbox : val :=
  λ: "local",
    let: "found" := base_queue_pop (! ("local" +ₗ #0)) in
    match: "found" with
      InjL <> => ("local" +ₗ #5) <-na #false
    | InjR <> => ("local" +ₗ #5) <-na #true
    end ;;
    "found".

Definition hub_central_pop : val :=
  λ: "t" "i",
    let: "local" := array_get (Snd (Fst "t")) "i" in
    if: !na ("local" +ₗ #5) then
      (("local" +ₗ #5) <-na #false ;;
       let: "$s" := hub_central_pop_shared "t" in
       match: "$s" with
         InjL <> => hub_central_pop_inbox "local"
       | InjR <> =>
           let: "found" := "$s" in
           "found"
       end)
    else
      (let: "$s" := hub_central_pop_inbox "local" in
       match: "$s" with
         InjL <> => hub_central_pop_shared "t"
       | InjR <> =>
           let: "found" := "$s" in
           "found"
       end).

Definition hub_central_steal : val :=
  λ: "t" "i",
    let: "$s" := hub_central_pop_shared "t" in
    match: "$s" with
      InjL <> =>
        let: "local" := array_get (Snd (Fst "t")) "i" in
        base_queue_pop (! ("local" +ₗ #0))
    | InjR <> =>
        let: "found" := "$s" in
        "found"
    end.

Definition hub_central_notify_others : val :=
  rec: "notify_others" "t" "i" "other" :=
    if: "other" < array_length (Snd (Fst "t")) then
      ((if: ~ ("other" = "i") then (!na (Snd "t" +ₗ #0)) "other" else #()) ;;
       "notify_others" "t" "i" ("other" + #1))
    else #().

Definition hub_central_defer : val :=
  λ: "t" "local" "own_deque" "i" "task",
    (if: !na ("local" +ₗ #3) = #0 then
       ("local" +ₗ #3) <-na (Fst "own_deque") "i"
     else #()) ;;
    base_queue_push (Snd (Fst (Fst "t"))) "task" ;;
    hub_central_notify_others "t" "i" #0.

Definition hub_central_pop_ready : val :=
  λ: "t" "local" "own_deque" "i",
    match: base_queue_pop (Fst (Fst (Fst "t"))) with
      InjL <> => InjLV #()
    | InjR "item" =>
        match: "item" with
          InjL "task" => InjR "task"
        | InjR "task" =>
            hub_central_defer "t" "local" "own_deque" "i" "task" ;;
            InjLV #()
        end
    end.

Definition hub_central_pop_deferred : val :=
  λ: "t" "local" "own_deque" "i",
    if: #0 < !na ("local" +ₗ #3) then
      (("local" +ₗ #3) <-na (!na ("local" +ₗ #3) - #1) ;;
       (Snd "own_deque") "i")
    else
      (let: "$s" := base_queue_pop (Snd (Fst (Fst "t"))) in
       match: "$s" with
         InjL <> => InjLV #()
       | InjR <> =>
           let: "found" := "$s" in
           ("local" +ₗ #3) <-na (Fst "own_deque") "i" ;;
           "found"
       end).

Definition hub_central_pop_fairly : val :=
  λ: "t" "i" "own_deque",
    let: "local" := array_get (Snd (Fst "t")) "i" in
    let: "turn" :=
      if: !na ("local" +ₗ #2) = #2 then #0 else !na ("local" +ₗ #2) + #1 in
    ("local" +ₗ #2) <-na "turn" ;;
    if: "turn" = #0 then hub_central_pop_ready "t" "local" "own_deque" "i"
    else if: "turn" = #1 then base_queue_pop (! ("local" +ₗ #0))
    else hub_central_pop_deferred "t" "local" "own_deque" "i".

Definition hub_central_has_work : val :=
  λ: "t",
    if: base_queue_is_empty (Fst (Fst (Fst "t"))) then
      ~ base_queue_is_empty (Snd (Fst (Fst "t")))
    else #true.

Definition hub_central_victim : val :=
  λ: "t" "i",
    let: "local" := array_get (Snd (Fst "t")) "i" in
    let: "x" := !na ("local" +ₗ #4) in
    let: "x" := nondet_below #4611686018427387903 in
    ("local" +ₗ #4) <-na "x" ;;
    nondet_below (array_length (Snd (Fst "t"))).
