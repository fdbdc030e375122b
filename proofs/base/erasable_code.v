(* Generated from lib/kernel/base/erasable.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.

(* node: a block of 0 mutable value, 1 next. *)

(* link: Nil is InjLV #0, Gone is InjLV #1, Link is InjR of a block of 0
   mutable node. *)

(* t: (head, tail). *)

Definition base_erasable_make_node : val :=
  λ: "value",
    let: "value" := ref "value" in
    let: "next" := ref (InjLV #0) in
    block2 (na_val "value") "next".

Definition base_erasable_no_node : val :=
  λ: <>, base_erasable_make_node (InjLV #()).

Definition base_erasable_create : val :=
  λ: <>,
    let: "sentinel" := base_erasable_make_node (InjLV #()) in
    let: "head" := ref "sentinel" in
    let: "tail" := ref "sentinel" in
    ("head", "tail").

Definition base_erasable_push_node : val :=
  rec: "push_node" "t" "node" :=
    let: "last" := ! (Snd "t") in
    match: ! (! ("last" +ₗ #1)) with
      InjL "$k" =>
        if: "$k" = #0 then
          if: CAS (! ("last" +ₗ #1)) (InjLV #0) (InjR (block1 (na_val "node"))) then
            (CAS (Snd "t") "last" "node" ;;
             #())
          else "push_node" "t" "node"
        else
          (let: "sentinel" := ! (Fst "t") in
           (CAS (Snd "t") "last" "sentinel" ;;
            #()) ;;
           "push_node" "t" "node")
    | InjR "following" =>
        (CAS (Snd "t") "last" (!na ("following" +ₗ #0)) ;;
         #()) ;;
        "push_node" "t" "node"
    end.

Definition base_erasable_push : val :=
  λ: "t" "value",
    let: "node" := base_erasable_make_node (InjR "value") in
    base_erasable_push_node "t" "node" ;;
    "node".

Definition base_erasable_peek : val := λ: "node", ! (!na ("node" +ₗ #0)).

Definition base_erasable_take : val :=
  λ: "node", Xchg (!na ("node" +ₗ #0)) (InjLV #()).

Definition base_erasable_erase : val :=
  λ: "node",
    match: base_erasable_take "node" with
      InjL <> => #false
    | InjR <> => #true
    end.

Definition base_erasable_advance : val :=
  λ: "t" "sentinel" "node",
    if: CAS (Fst "t") "sentinel" "node" then ! ("sentinel" +ₗ #1) <- InjLV #1
    else #().

Definition base_erasable_pop : val :=
  rec: "pop" "t" :=
    let: "sentinel" := ! (Fst "t") in
    match: ! (! ("sentinel" +ₗ #1)) with
      InjL "$k" => if: "$k" = #0 then InjLV #() else "pop" "t"
    | InjR "following" =>
        let: "node" := !na ("following" +ₗ #0) in
        let: "taken" := base_erasable_take "node" in
        base_erasable_advance "t" "sentinel" "node" ;;
        match: "taken" with
          InjL <> => "pop" "t"
        | InjR <> => "taken"
        end
    end.

Definition base_erasable_is_empty : val :=
  rec: "is_empty" "t" :=
    let: "sentinel" := ! (Fst "t") in
    match: ! (! ("sentinel" +ₗ #1)) with
      InjL "$k" => if: "$k" = #0 then #true else "is_empty" "t"
    | InjR "following" =>
        let: "node" := !na ("following" +ₗ #0) in
        match: ! (!na ("node" +ₗ #0)) with
          InjL <> =>
            base_erasable_advance "t" "sentinel" "node" ;;
            "is_empty" "t"
        | InjR <> => #false
        end
    end.

Definition base_erasable_skip_dead : val :=
  rec: "skip_dead" "node" :=
    match: ! (!na ("node" +ₗ #0)) with
      InjL <> =>
        match: ! (! ("node" +ₗ #1)) with
          InjL "$k" => if: "$k" = #0 then "node" else "node"
        | InjR "following" => "skip_dead" (!na ("following" +ₗ #0))
        end
    | InjR <> => "node"
    end.

Definition base_erasable_sweep_from : val :=
  rec: "sweep_from" "node" "count" :=
    let: "$s" := ! (! ("node" +ₗ #1)) in
    match: "$s" with
      InjL "$k" => if: "$k" = #0 then "count" else "count"
    | InjR "following" =>
        let: "link" := "$s" in
        let: "first" := !na ("following" +ₗ #0) in
        let: "next" := base_erasable_skip_dead "first" in
        (if: ~ ("next" = "first") then
           (CAS (! ("node" +ₗ #1)) "link" (InjR (block1 (na_val "next"))) ;;
            #())
         else #()) ;;
        "sweep_from" "next" ("count" + #1)
    end.

Definition base_erasable_sweep : val :=
  λ: "t",
    let: "sentinel" := ! (Fst "t") in
    base_erasable_sweep_from "sentinel" #0.
