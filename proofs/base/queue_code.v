(* Generated from lib/kernel/base/queue.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.

(* node: a block of 0 mutable value, 1 next. *)

(* link: Nil is InjLV #0, Gone is InjLV #1, Link is InjR of its argument. *)

(* t: (head, tail). *)

Definition base_queue_make_node : val :=
  λ: "value",
    let: "next" := ref (InjLV #0) in
    block2 (na_val "value") "next".

Definition base_queue_create : val :=
  λ: <>,
    let: "sentinel" := base_queue_make_node (InjLV #()) in
    let: "head" := ref "sentinel" in
    let: "tail" := ref "sentinel" in
    ("head", "tail").

Definition base_queue_push_node : val :=
  rec: "push_node" "t" "node" :=
    let: "last" := ! (Snd "t") in
    match: ! (! ("last" +ₗ #1)) with
      InjL "$k" =>
        if: "$k" = #0 then
          if: CAS (! ("last" +ₗ #1)) (InjLV #0) (InjR "node") then
            (CAS (Snd "t") "last" "node" ;;
             #())
          else "push_node" "t" "node"
        else
          (let: "sentinel" := ! (Fst "t") in
           (CAS (Snd "t") "last" "sentinel" ;;
            #()) ;;
           "push_node" "t" "node")
    | InjR "following" =>
        (CAS (Snd "t") "last" "following" ;;
         #()) ;;
        "push_node" "t" "node"
    end.

Definition base_queue_push : val :=
  λ: "t" "value",
    base_queue_push_node "t" (base_queue_make_node (InjR "value")).

Definition base_queue_pop : val :=
  rec: "pop" "t" :=
    let: "sentinel" := ! (Fst "t") in
    match: ! (! ("sentinel" +ₗ #1)) with
      InjL "$k" => if: "$k" = #0 then InjLV #() else "pop" "t"
    | InjR "node" =>
        if: CAS (Fst "t") "sentinel" "node" then
          (! ("sentinel" +ₗ #1) <- InjLV #1 ;;
           let: "value" := !na ("node" +ₗ #0) in
           ("node" +ₗ #0) <-na InjLV #() ;;
           "value")
        else "pop" "t"
    end.

Definition base_queue_is_empty : val :=
  rec: "is_empty" "t" :=
    let: "sentinel" := ! (Fst "t") in
    match: ! (! ("sentinel" +ₗ #1)) with
      InjL "$k" => if: "$k" = #0 then #true else "is_empty" "t"
    | InjR <> => #false
    end.
