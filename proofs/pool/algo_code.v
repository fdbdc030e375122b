(* Generated from lib/kernel/pool/algo.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.pool Require Import future_code pool_code.

Definition pool_algo_grain : val :=
  λ: "ctx" "beg" "end_" "chunk",
    match: "chunk" with
      InjL <> =>
        let: "share" := ("end_" - "beg") `quot` (#32 * pool_pool_size "ctx") in
        if: "share" < #1 then #1 else "share"
    | InjR "chunk" => if: "chunk" < #1 then #1 else "chunk"
    end.

Definition pool_algo_middle : val :=
  λ: "lo" "hi", "lo" + (("hi" - "lo") `quot` #2).

Definition pool_algo_for_range : val :=
  rec: "for_range" "ctx" "lo" "hi" "chunk" "body" :=
    if: ("hi" - "lo") ≤ "chunk" then "body" "ctx" "lo" "hi"
    else if: pool_pool_has_work "ctx" then
      (let: "next" := "lo" + "chunk" in
       "body" "ctx" "lo" "next" ;;
       pool_pool_tick "ctx" ;;
       "for_range" "ctx" "next" "hi" "chunk" "body")
    else
      (let: "mid" := pool_algo_middle "lo" "hi" in
       let: "upper" :=
         pool_future_async "ctx"
           (λ: "ctx", "for_range" "ctx" "mid" "hi" "chunk" "body") in
       "for_range" "ctx" "lo" "mid" "chunk" "body" ;;
       pool_future_wait "ctx" "upper").

Definition pool_algo_for_ : val :=
  λ: "ctx" "beg" "end_" "chunk" "body",
    if: "beg" < "end_" then
      (let: "chunk" := pool_algo_grain "ctx" "beg" "end_" "chunk" in
       pool_algo_for_range "ctx" "beg" "end_" "chunk" "body")
    else #().

Definition pool_algo_each : val :=
  rec: "each" "ctx" "lo" "hi" "body" :=
    if: "lo" < "hi" then
      ("body" "ctx" "lo" ;;
       "each" "ctx" ("lo" + #1) "hi" "body")
    else #().

Definition pool_algo_for_each : val :=
  λ: "ctx" "beg" "end_" "chunk" "body",
    pool_algo_for_ "ctx" "beg" "end_" "chunk"
      (λ: "ctx" "lo" "hi", pool_algo_each "ctx" "lo" "hi" "body").

(* folding: (chunk, body, merge). *)

Definition pool_algo_fold_range_group : val :=
  rec: "$group" "$k" :=
    if: "$k" = #0 then
      (λ: "ctx" "lo" "hi" "folding",
         if: ("hi" - "lo") ≤ Fst (Fst "folding") then
           (Snd (Fst "folding")) "ctx" "lo" "hi"
         else if: pool_pool_has_work "ctx" then
           (let: "next" := "lo" + Fst (Fst "folding") in
            let: "value" := (Snd (Fst "folding")) "ctx" "lo" "next" in
            pool_pool_tick "ctx" ;;
            ("$group" #1) "ctx" "value" "next" "hi" "folding")
         else ("$group" #2) "ctx" "lo" "hi" "folding")
    else if: "$k" = #1 then
      (λ: "ctx" "before" "lo" "hi" "folding",
         if: (Fst (Fst "folding") < ("hi" - "lo")) && pool_pool_has_work "ctx" then
           (let: "next" := "lo" + Fst (Fst "folding") in
            let: "value" := (Snd (Fst "folding")) "ctx" "lo" "next" in
            let: "before" := (Snd "folding") "before" "value" in
            pool_pool_tick "ctx" ;;
            ("$group" #1) "ctx" "before" "next" "hi" "folding")
         else
           (let: "value" := ("$group" #0) "ctx" "lo" "hi" "folding" in
            (Snd "folding") "before" "value"))
    else
      (λ: "ctx" "lo" "hi" "folding",
         let: "mid" := pool_algo_middle "lo" "hi" in
         let: "upper" :=
           pool_future_async "ctx"
             (λ: "ctx", ("$group" #0) "ctx" "mid" "hi" "folding") in
         let: "lower" := ("$group" #0) "ctx" "lo" "mid" "folding" in
         let: "upper" := pool_future_wait "ctx" "upper" in
         (Snd "folding") "lower" "upper").

Definition pool_algo_fold_range : val :=
  λ: "ctx" "lo" "hi" "folding",
    pool_algo_fold_range_group #0 "ctx" "lo" "hi" "folding".

Definition pool_algo_fold_after : val :=
  λ: "ctx" "before" "lo" "hi" "folding",
    pool_algo_fold_range_group #1 "ctx" "before" "lo" "hi" "folding".

Definition pool_algo_fold_split : val :=
  λ: "ctx" "lo" "hi" "folding",
    pool_algo_fold_range_group #2 "ctx" "lo" "hi" "folding".

Definition pool_algo_fold : val :=
  λ: "ctx" "beg" "end_" "chunk" "body" "merge" "empty",
    if: "beg" < "end_" then
      (let: "chunk" := pool_algo_grain "ctx" "beg" "end_" "chunk" in
       pool_algo_fold_range "ctx" "beg" "end_" ("chunk", "body", "merge"))
    else "empty".

Definition pool_algo_lower : val :=
  rec: "lower" "best" "i" :=
    let: "seen" := ! "best" in
    if: "i" < "seen" then
      if: ~ CAS "best" "seen" "i" then "lower" "best" "i" else #()
    else #().

Definition pool_algo_find_from : val :=
  rec: "find_from" "ctx" "lo" "hi" "best" "holds" :=
    if: "lo" < "hi" then
      if: "lo" < ! "best" then
        if: "holds" "ctx" "lo" then pool_algo_lower "best" "lo"
        else "find_from" "ctx" ("lo" + #1) "hi" "best" "holds"
      else #()
    else #().

Definition pool_algo_find : val :=
  λ: "ctx" "beg" "end_" "chunk" "holds",
    let: "best" := ref "end_" in
    pool_algo_for_ "ctx" "beg" "end_" "chunk"
      (λ: "ctx" "lo" "hi", pool_algo_find_from "ctx" "lo" "hi" "best" "holds") ;;
    let: "found" := ! "best" in
    if: "found" < "end_" then InjR "found" else InjLV #().
