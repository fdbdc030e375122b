(* Generated from lib/kernel/hub/fifo.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.base Require Import erasable_code queue_code.
From dromos.hub Require Import hub_code.

(* local: a block of 0 inbox, 1 mutable inbox_first, 2 recent, 3 no_node, 4
   mutable top, 5 mutable bottom, 6 mutable erasures. *)

Definition hub_fifo_memory : val := #256.

Definition hub_fifo_slot : val :=
  λ: "n", BinOp AndOp "n" (hub_fifo_memory - #1).

Definition hub_fifo_patience : val := #64.

Definition hub_fifo_make_local : val :=
  λ: <>,
    let: "inbox" := base_queue_create #() in
    let: "no_node" := base_erasable_no_node #() in
    let: "recent" := array_make hub_fifo_memory "no_node" in
    block7 "inbox" (na_val #true) "recent" "no_node" (na_val #0) (na_val #0)
      (na_val hub_fifo_patience).

Definition hub_fifo_remember : val :=
  λ: "local" "node",
    array_set (! ("local" +ₗ #2)) (hub_fifo_slot (!na ("local" +ₗ #4))) "node" ;;
    ("local" +ₗ #4) <-na (!na ("local" +ₗ #4) + #1) ;;
    if: hub_fifo_memory < (!na ("local" +ₗ #4) - !na ("local" +ₗ #5)) then
      ("local" +ₗ #5) <-na (!na ("local" +ₗ #4) - hub_fifo_memory)
    else #().

Definition hub_fifo_push : val :=
  λ: "shared" "local" "reason" "task",
    let: "node" := base_erasable_push "shared" "task" in
    let: "$k" := "reason" in
    if: "$k" = #0 then hub_fifo_remember "local" "node" else #().

Definition hub_fifo_forget_newest : val :=
  λ: "local",
    ("local" +ₗ #4) <-na (!na ("local" +ₗ #4) - #1) ;;
    array_set (! ("local" +ₗ #2)) (hub_fifo_slot (!na ("local" +ₗ #4)))
      (! ("local" +ₗ #3)).

Definition hub_fifo_count_erasure : val :=
  λ: "shared" "local",
    ("local" +ₗ #6) <-na (!na ("local" +ₗ #6) - #1) ;;
    if: !na ("local" +ₗ #6) = #0 then
      (let: "length" := base_erasable_sweep "shared" in
       ("local" +ₗ #6) <-na
         (if: "length" < hub_fifo_patience then hub_fifo_patience else "length"))
    else #().

Definition hub_fifo_retract : val :=
  rec: "retract" "shared" "local" "task" :=
    if: !na ("local" +ₗ #4) = !na ("local" +ₗ #5) then #false
    else
      (let: "node" :=
         array_get (! ("local" +ₗ #2))
           (hub_fifo_slot (!na ("local" +ₗ #4) - #1)) in
       match: base_erasable_peek "node" with
         InjL <> =>
           hub_fifo_forget_newest "local" ;;
           "retract" "shared" "local" "task"
       | InjR "newest" =>
           if: "newest" = "task" then
             (hub_fifo_forget_newest "local" ;;
              let: "erased" := base_erasable_erase "node" in
              (if: "erased" then hub_fifo_count_erasure "shared" "local"
               else #()) ;;
              "erased")
           else #false
       end).

Definition hub_fifo_pop : val :=
  λ: "shared" "local",
    let: "inbox_first" := !na ("local" +ₗ #1) in
    ("local" +ₗ #1) <-na (~ "inbox_first") ;;
    if: "inbox_first" then
      (let: "$s" := base_queue_pop (! ("local" +ₗ #0)) in
       match: "$s" with
         InjL <> => base_erasable_pop "shared"
       | InjR <> =>
           let: "found" := "$s" in
           "found"
       end)
    else
      (let: "$s" := base_erasable_pop "shared" in
       match: "$s" with
         InjL <> => base_queue_pop (! ("local" +ₗ #0))
       | InjR <> =>
           let: "found" := "$s" in
           "found"
       end).

Definition hub_fifo_steal : val :=
  λ: "shared" "local",
    let: "$s" := base_erasable_pop "shared" in
    match: "$s" with
      InjL <> => base_queue_pop (! ("local" +ₗ #0))
    | InjR <> =>
        let: "found" := "$s" in
        "found"
    end.

Definition hub_fifo_submit : val :=
  λ: "shared" "task",
    base_erasable_push "shared" "task" ;;
    #().

Definition hub_fifo_make : val :=
  λ: "workers",
    let: "shared" := base_erasable_create #() in
    let: "locals" := array_init "workers" hub_fifo_make_local in
    ("workers",
     (λ: "i" "reason" "task",
        hub_fifo_push "shared" (array_get "locals" "i") "reason" "task"),
     (λ: "i", hub_fifo_pop "shared" (array_get "locals" "i")),
     (λ: "i" "task", hub_fifo_retract "shared" (array_get "locals" "i") "task"),
     (λ: "i", hub_fifo_steal "shared" (array_get "locals" "i")),
     (λ: <>, #false),
     (λ: <>, ~ base_erasable_is_empty "shared"),
     (λ: <> "task", hub_fifo_submit "shared" "task"),
     (λ: "i" <> "task",
        base_queue_push (! (array_get "locals" "i" +ₗ #0)) "task"),
     (λ: <>, #()),
     (λ: <>, #()),
     (λ: <>, #()),
     (λ: <> <>, #()),
     (λ: <> <>, #()),
     (λ: <>, #()),
     hub_hub_notifier #()).

Definition hub_fifo_maker : val := hub_fifo_make.
