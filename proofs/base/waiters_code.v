(* Generated from lib/kernel/base/waiters.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude mutex condition.

(* state: Awake is #0, Announced is #1, Asleep is #2, Notified is #3. *)

(* slot: a block of 0 state, 1 mutex, 2 condition, 3 mutable held. *)

(* t: (slots, announced, next). *)

Definition base_waiters_make_slot : val :=
  λ: <>,
    let: "state" := ref #0 in
    let: "mutex" := mutex_create #() in
    let: "condition" := condition_create #() in
    block4 "state" "mutex" "condition" (na_val #false).

Definition base_waiters_create : val :=
  λ: "size",
    let: "slots" := array_init "size" base_waiters_make_slot in
    let: "announced" := ref #0 in
    let: "next" := ref #0 in
    ("slots", "announced", "next").

Definition base_waiters_prepare : val :=
  λ: "t" "i",
    let: "slot" := array_get (Fst (Fst "t")) "i" in
    (FAA (Snd (Fst "t")) #1 ;;
     #()) ;;
    ! ("slot" +ₗ #0) <- #1.

Definition base_waiters_cancel : val :=
  λ: "t" "i",
    let: "slot" := array_get (Fst (Fst "t")) "i" in
    if: CAS (! ("slot" +ₗ #0)) #1 #0 then
      ((FAA (Snd (Fst "t")) #(-1) ;;
        #()) ;;
       #false)
    else
      (! ("slot" +ₗ #0) <- #0 ;;
       #true).

Definition base_waiters_sleep : val :=
  rec: "sleep" "slot" :=
    let: "$k" := ! (! ("slot" +ₗ #0)) in
    if: "$k" = #2 then
      (condition_wait (! ("slot" +ₗ #2)) (! ("slot" +ₗ #1)) ;;
       "sleep" "slot")
    else #().

Definition base_waiters_commit : val :=
  λ: "t" "i",
    let: "slot" := array_get (Fst (Fst "t")) "i" in
    mutex_lock (! ("slot" +ₗ #1)) ;;
    ("slot" +ₗ #3) <-na #true ;;
    (if: CAS (! ("slot" +ₗ #0)) #1 #2 then
       (condition_wait (! ("slot" +ₗ #2)) (! ("slot" +ₗ #1)) ;;
        base_waiters_sleep "slot")
     else #()) ;;
    ("slot" +ₗ #3) <-na #false ;;
    mutex_unlock (! ("slot" +ₗ #1)) ;;
    ! ("slot" +ₗ #0) <- #0.

Definition base_waiters_recover : val :=
  λ: "t" "i",
    let: "slot" := array_get (Fst (Fst "t")) "i" in
    (if: !na ("slot" +ₗ #3) then
       (("slot" +ₗ #3) <-na #false ;;
        mutex_unlock (! ("slot" +ₗ #1)))
     else #()) ;;
    let: "$k" := Xchg (! ("slot" +ₗ #0)) #0 in
    if: "$k" = #0 then #false
    else if: "$k" = #1 then
      ((FAA (Snd (Fst "t")) #(-1) ;;
        #()) ;;
       #false)
    else if: "$k" = #2 then
      ((FAA (Snd (Fst "t")) #(-1) ;;
        #()) ;;
       #false)
    else #true.

Definition base_waiters_wake : val :=
  λ: "slot",
    mutex_lock (! ("slot" +ₗ #1)) ;;
    mutex_unlock (! ("slot" +ₗ #1)) ;;
    condition_signal (! ("slot" +ₗ #2)).

Definition base_waiters_notify_slot : val :=
  λ: "t" "slot",
    if: CAS (! ("slot" +ₗ #0)) #1 #3 then
      ((FAA (Snd (Fst "t")) #(-1) ;;
        #()) ;;
       #true)
    else if: CAS (! ("slot" +ₗ #0)) #2 #3 then
      ((FAA (Snd (Fst "t")) #(-1) ;;
        #()) ;;
       base_waiters_wake "slot" ;;
       #true)
    else #false.

Definition base_waiters_notify : val :=
  λ: "t" "i",
    let: "slot" := array_get (Fst (Fst "t")) "i" in
    let: "$k" := ! (! ("slot" +ₗ #0)) in
    if: "$k" = #1 then base_waiters_notify_slot "t" "slot"
    else if: "$k" = #2 then base_waiters_notify_slot "t" "slot"
    else #false.

Definition base_waiters_notify_from : val :=
  rec: "notify_from" "t" "i" "left" :=
    if: "left" = #0 then #false
    else if: base_waiters_notify "t" "i" then #true
    else
      (let: "following" := "i" + #1 in
       if: "following" = array_length (Fst (Fst "t")) then
         "notify_from" "t" #0 ("left" - #1)
       else "notify_from" "t" "following" ("left" - #1)).

Definition base_waiters_notify_one : val :=
  λ: "t",
    if: ! (Snd (Fst "t")) = #0 then #false
    else
      (let: "size" := array_length (Fst (Fst "t")) in
       let: "start" := FAA (Snd "t") #1 in
       base_waiters_notify_from "t" ("start" `rem` "size") "size").

Definition base_waiters_notify_upto : val :=
  rec: "notify_upto" "t" "i" :=
    if: #0 < "i" then
      ((base_waiters_notify "t" ("i" - #1) ;;
        #()) ;;
       "notify_upto" "t" ("i" - #1))
    else #().

Definition base_waiters_notify_all : val :=
  λ: "t",
    if: #0 < ! (Snd (Fst "t")) then
      base_waiters_notify_upto "t" (array_length (Fst (Fst "t")))
    else #().

Definition base_waiters_count : val := λ: "t", ! (Snd (Fst "t")).
