(* Generated from lib/kernel/pool/vertex.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.hub Require Import hub_code.
From dromos.pool Require Import pool_code.

(* t: a block of 0 mutable task, 1 mutable work, 2 mutable again, 3 waits_for,
   4 successors. *)

(* successors: Over is InjLV #0, Empty is InjLV #1, Vertices is InjR of a block
   of 0 mutable first, 1 rest. *)

Definition pool_vertex_set_task : val :=
  λ: "v" "task", ("v" +ₗ #0) <-na "task".

Definition pool_vertex_yield : val := λ: "v", ("v" +ₗ #2) <-na #true.

Definition pool_vertex_add_successor : val :=
  rec: "add_successor" "a" "b" :=
    let: "$s" := ! (! ("a" +ₗ #4)) in
    match: "$s" with
      InjL "$k" =>
        if: "$k" = #0 then #false
        else
          (let: "seen" := "$s" in
           let: "next" := InjR (block2 (na_val "b") "seen") in
           if: CAS (! ("a" +ₗ #4)) "seen" "next" then #true
           else "add_successor" "a" "b")
    | InjR <> =>
        let: "seen" := "$s" in
        let: "next" := InjR (block2 (na_val "b") "seen") in
        if: CAS (! ("a" +ₗ #4)) "seen" "next" then #true
        else "add_successor" "a" "b"
    end.

Definition pool_vertex_precede : val :=
  λ: "a" "b",
    (FAA (! ("b" +ₗ #3)) #1 ;;
     #()) ;;
    if: ~ pool_vertex_add_successor "a" "b" then
      (FAA (! ("b" +ₗ #3)) #(-1) ;;
       #())
    else #().

Definition pool_vertex_one_less : val :=
  λ: "v", FAA (! ("v" +ₗ #3)) #(-1) = #1.

Definition pool_vertex_release : val :=
  λ: "ctx" "v",
    if: pool_vertex_one_less "v" then pool_pool_push "ctx" #0 (!na ("v" +ₗ #1))
    else #().

Definition pool_vertex_release_all : val :=
  rec: "release_all" "ctx" "successors" :=
    match: "successors" with
      InjL "$k" => if: "$k" = #0 then #() else #()
    | InjR "vs" =>
        pool_vertex_release "ctx" (!na ("vs" +ₗ #0)) ;;
        "release_all" "ctx" (! ("vs" +ₗ #1))
    end.

Definition pool_vertex_run : val :=
  λ: "v" "ctx",
    ! ("v" +ₗ #3) <- #1 ;;
    (!na ("v" +ₗ #0)) "ctx" ;;
    if: !na ("v" +ₗ #2) then
      (("v" +ₗ #2) <-na #false ;;
       pool_pool_block "ctx" (!na ("v" +ₗ #1)) ;;
       if: pool_vertex_one_less "v" then
         pool_pool_push "ctx" #2 (!na ("v" +ₗ #1))
       else #())
    else
      (let: "successors" := Xchg (! ("v" +ₗ #4)) (InjLV #0) in
       pool_vertex_release_all "ctx" "successors").

Definition pool_vertex_create : val :=
  λ: "task",
    let: "waits_for" := ref #1 in
    let: "successors" := ref (InjLV #1) in
    let: "work" := hub_hub_task (λ: <>, #()) in
    let: "v" :=
      block5 (na_val "task") (na_val "work") (na_val #false) "waits_for"
        "successors" in
    ("v" +ₗ #1) <-na hub_hub_task (λ: "ctx", pool_vertex_run "v" "ctx") ;;
    "v".
