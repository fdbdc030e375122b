(* Generated from lib/kernel/pool/pool.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude mutex condition.
From dromos.base Require Import ivar_code waiters_code.
From dromos.hub Require Import hub_code.

(* context: a block of 0 pool, 1 id, 2 working, 3 mutable over, 4 mutable
   hunting, 5 mutable budget, 6 mutable tasks, 7 mutable steals, 8 mutable
   sleeps. *)

(* t: a block of 0 hub, 1 idle, 2 on_idle, 3 waiters, 4 closed, 5 outside, 6
   mutable contexts, 7 mutex, 8 change, 9 servers, 10 mutable domains. *)

(* domains: No_domain is InjLV #(), Domain is InjR of (domain, rest). *)

Definition pool_pool_make_context : val :=
  λ: "pool" "id",
    let: "working" := ref #false in
    block9 "pool" "id" "working" (na_val #true) (na_val #false) (na_val #256)
      (na_val #0) (na_val #0) (na_val #0).

Definition pool_pool_create : val :=
  λ: "hub" "idle" "on_idle" "workers",
    let: "hub" := "hub" "workers" in
    let: "waiters" := base_waiters_create "workers" in
    let: "closed" := ref #false in
    let: "outside" := ref #0 in
    (Snd "hub" +ₗ #0) <-na (λ: "i",
                              base_waiters_notify "waiters" "i" ;;
                              #()) ;;
    let: "mutex" := mutex_create #() in
    let: "change" := condition_create #() in
    let: "servers" := array_make "workers" #0 in
    let: "t" :=
      block11 "hub" "idle" "on_idle" "waiters" "closed" "outside"
        (na_val (array_make #0 #())) "mutex" "change" "servers"
        (na_val (InjLV #())) in
    ("t" +ₗ #6) <-na
      array_init "workers" (λ: "id", pool_pool_make_context "t" "id") ;;
    "t".

Definition pool_pool_hub : val := λ: "t", ! ("t" +ₗ #0).

Definition pool_pool_size : val :=
  λ: "ctx",
    Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
      (! (! ("ctx" +ₗ #0) +ₗ #0)))))))))))))))).

Definition pool_pool_worker : val := λ: "ctx", ! ("ctx" +ₗ #1).

Definition pool_pool_pool : val := λ: "ctx", ! ("ctx" +ₗ #0).

Definition pool_pool_has_work : val :=
  λ: "ctx",
    (Snd (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
       (! (! ("ctx" +ₗ #0) +ₗ #0)))))))))))) (! ("ctx" +ₗ #1)).

Definition pool_pool_tick : val :=
  λ: "ctx",
    (Snd (Fst (Fst (Fst (Fst (! (! ("ctx" +ₗ #0) +ₗ #0))))))) (! ("ctx" +ₗ #1)).

Definition pool_pool_wake : val :=
  λ: "t" "i",
    base_waiters_notify (! ("t" +ₗ #3)) "i" ;;
    #().

Definition pool_pool_wake_one : val :=
  λ: "t",
    base_waiters_notify_one (! ("t" +ₗ #3)) ;;
    #().

Definition pool_pool_push : val :=
  λ: "ctx" "reason" "task",
    let: "t" := ! ("ctx" +ₗ #0) in
    (let: "$k" := "reason" in
     if: "$k" = #2 then ("ctx" +ₗ #3) <-na #false
     else if: "$k" = #3 then ("ctx" +ₗ #3) <-na #false
     else #()) ;;
    (Snd (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
       (! ("t" +ₗ #0))))))))))))))))) (! ("ctx" +ₗ #1)) "reason" "task" ;;
    pool_pool_wake_one "t".

Definition pool_pool_async : val :=
  λ: "ctx" "code",
    let: "t" := ! ("ctx" +ₗ #0) in
    (Snd (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
       (! ("t" +ₗ #0))))))))))))))))) (! ("ctx" +ₗ #1)) #0
      (hub_hub_task "code") ;;
    pool_pool_wake_one "t".

Definition pool_pool_retract : val :=
  λ: "ctx" "task",
    let: "t" := ! ("ctx" +ₗ #0) in
    let: "retracted" :=
      (Snd (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
         (! ("t" +ₗ #0))))))))))))))) (! ("ctx" +ₗ #1)) "task" in
    (if: ~ "retracted" then pool_pool_wake_one "t" else #()) ;;
    "retracted".

Definition pool_pool_block : val :=
  λ: "ctx" "task",
    ("ctx" +ₗ #3) <-na #false ;;
    (Snd (Fst (Fst (! (! ("ctx" +ₗ #0) +ₗ #0))))) (! ("ctx" +ₗ #1)) "task".

Definition pool_pool_enter : val :=
  λ: "t",
    (FAA (! ("t" +ₗ #5)) #1 ;;
     #()) ;;
    ~ ! (! ("t" +ₗ #4)).

Definition pool_pool_leave : val :=
  λ: "t",
    (FAA (! ("t" +ₗ #5)) #(-1) ;;
     #()) ;;
    if: ! (! ("t" +ₗ #4)) then base_waiters_notify_all (! ("t" +ₗ #3)) else #().

Definition pool_pool_submit : val :=
  λ: "t" "reason" "task",
    let: "is_open" := pool_pool_enter "t" in
    (if: "is_open" then
       ((Snd (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (! ("t" +ₗ #0)))))))))))
          "reason" "task" ;;
        pool_pool_wake_one "t")
     else #()) ;;
    pool_pool_leave "t" ;;
    "is_open".

Definition pool_pool_submit_to : val :=
  λ: "t" "i" "reason" "task",
    let: "is_open" := pool_pool_enter "t" in
    (if: "is_open" then
       ((Snd (Fst (Fst (Fst (Fst (Fst (Fst (Fst (! ("t" +ₗ #0)))))))))) "i"
          "reason" "task" ;;
        pool_pool_wake "t" "i")
     else #()) ;;
    pool_pool_leave "t" ;;
    "is_open".

Definition pool_pool_execute : val :=
  λ: "ctx" "task",
    ("ctx" +ₗ #6) <-na (!na ("ctx" +ₗ #6) + #1) ;;
    ("task" +ₗ #1) <-na ! ("ctx" +ₗ #1) ;;
    ("ctx" +ₗ #3) <-na #true ;;
    (! ("task" +ₗ #0)) "ctx" ;;
    (if: !na ("ctx" +ₗ #3) then
       (Snd (Fst (Fst (Fst (! (! ("ctx" +ₗ #0) +ₗ #0)))))) (! ("ctx" +ₗ #1))
         "task"
     else #()) ;;
    ("ctx" +ₗ #3) <-na #true.

Definition pool_pool_max_budget : val :=
  λ: "size",
    let: "rounds" := #4096 `quot` "size" in
    if: "rounds" < #16 then #16 else "rounds".

Definition pool_pool_shrink_budget : val :=
  λ: "ctx",
    let: "less" := (!na ("ctx" +ₗ #5) - (!na ("ctx" +ₗ #5) `quot` #8)) - #1 in
    ("ctx" +ₗ #5) <-na (if: "less" < #1 then #1 else "less").

Definition pool_pool_grow_budget : val :=
  λ: "ctx",
    let: "twice" := !na ("ctx" +ₗ #5) * #2 in
    let: "most" :=
      pool_pool_max_budget
        (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
           (! (! ("ctx" +ₗ #0) +ₗ #0))))))))))))))))) in
    ("ctx" +ₗ #5) <-na (if: "most" < "twice" then "most" else "twice").

(* goal: (until, stops). *)

Definition pool_pool_nobody_works : val :=
  rec: "nobody_works" "t" "i" :=
    if: "i" =
          Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
            (! ("t" +ₗ #0)))))))))))))))) then
      #true
    else
      (let: "ctx" := array_get (!na ("t" +ₗ #6)) "i" in
       if: ! (! ("ctx" +ₗ #2)) then #false else "nobody_works" "t" ("i" + #1)).

Definition pool_pool_stop_working : val :=
  λ: "ctx",
    let: "t" := ! ("ctx" +ₗ #0) in
    ! ("ctx" +ₗ #2) <- #false ;;
    if: ! (! ("t" +ₗ #4)) then
      if: pool_pool_nobody_works "t" #0 then
        base_waiters_notify_all (! ("t" +ₗ #3))
      else #()
    else #().

Definition pool_pool_at_end : val :=
  λ: "goal" "t",
    if: Snd "goal" then
      if: ! (! ("t" +ₗ #4)) then
        if: ! (! ("t" +ₗ #5)) = #0 then pool_pool_nobody_works "t" #0
        else #false
      else #false
    else #false.

Definition pool_pool_may_spin : val :=
  λ: "goal" "t", ~ (Snd "goal" && ! (! ("t" +ₗ #4))).

Definition pool_pool_found_more : val :=
  λ: "ctx",
    let: "t" := ! ("ctx" +ₗ #0) in
    ("ctx" +ₗ #7) <-na (!na ("ctx" +ₗ #7) + #1) ;;
    if: #0 < base_waiters_count (! ("t" +ₗ #3)) then
      if: pool_pool_has_work "ctx" then pool_pool_wake_one "t" else #()
    else #().

Definition pool_pool_cancel_sleep : val :=
  λ: "ctx",
    let: "t" := ! ("ctx" +ₗ #0) in
    if: base_waiters_cancel (! ("t" +ₗ #3)) (! ("ctx" +ₗ #1)) then
      pool_pool_wake_one "t"
    else #().

Definition pool_pool_spin_group : val :=
  rec: "$group" "$k" :=
    if: "$k" = #0 then
      (λ: "ctx" "goal" "rounds",
         let: "t" := ! ("ctx" +ₗ #0) in
         let: "$s" :=
           (Snd (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
              (! ("t" +ₗ #0)))))))))))))) (! ("ctx" +ₗ #1)) in
         match: "$s" with
           InjL <> =>
             if: (Fst "goal") #() then InjLV #()
             else if: (Snd (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
                         (! ("t" +ₗ #0))))))))))))) (! ("ctx" +ₗ #1)) then
               (#() ;;
                ("$group" #0) "ctx" "goal" "rounds")
             else if: (#0 < "rounds") && pool_pool_may_spin "goal" "t" then
               (#() ;;
                ("$group" #0) "ctx" "goal" ("rounds" - #1))
             else
               (pool_pool_shrink_budget "ctx" ;;
                (! ("t" +ₗ #2)) (! ("ctx" +ₗ #1)) ;;
                ("$group" #1) "ctx" "goal")
         | InjR <> =>
             let: "found" := "$s" in
             pool_pool_grow_budget "ctx" ;;
             pool_pool_found_more "ctx" ;;
             "found"
         end)
    else
      (λ: "ctx" "goal",
         let: "t" := ! ("ctx" +ₗ #0) in
         base_waiters_prepare (! ("t" +ₗ #3)) (! ("ctx" +ₗ #1)) ;;
         let: "at_end" := pool_pool_at_end "goal" "t" in
         let: "$s" :=
           (Snd (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
              (! ("t" +ₗ #0)))))))))))))) (! ("ctx" +ₗ #1)) in
         match: "$s" with
           InjL <> =>
             if: (Fst "goal") #() then
               (pool_pool_cancel_sleep "ctx" ;;
                InjLV #())
             else if: (Snd (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
                         (! ("t" +ₗ #0))))))))))))) (! ("ctx" +ₗ #1)) then
               (pool_pool_cancel_sleep "ctx" ;;
                ("$group" #0) "ctx" "goal" #0)
             else if: "at_end" then
               (pool_pool_cancel_sleep "ctx" ;;
                InjLV #())
             else
               (("ctx" +ₗ #8) <-na (!na ("ctx" +ₗ #8) + #1) ;;
                base_waiters_commit (! ("t" +ₗ #3)) (! ("ctx" +ₗ #1)) ;;
                if: (Fst "goal") #() then
                  (pool_pool_wake_one "t" ;;
                   InjLV #())
                else ("$group" #0) "ctx" "goal" (!na ("ctx" +ₗ #5)))
         | InjR <> =>
             let: "found" := "$s" in
             pool_pool_cancel_sleep "ctx" ;;
             pool_pool_found_more "ctx" ;;
             "found"
         end).

Definition pool_pool_spin : val :=
  λ: "ctx" "goal" "rounds", pool_pool_spin_group #0 "ctx" "goal" "rounds".

Definition pool_pool_park : val :=
  λ: "ctx" "goal", pool_pool_spin_group #1 "ctx" "goal".

Definition pool_pool_hunt : val :=
  λ: "ctx" "goal",
    let: "t" := ! ("ctx" +ₗ #0) in
    ("ctx" +ₗ #4) <-na #true ;;
    (FAA (! ("t" +ₗ #1)) #1 ;;
     #()) ;;
    (if: Snd "goal" then pool_pool_stop_working "ctx" else #()) ;;
    let: "found" := pool_pool_spin "ctx" "goal" (!na ("ctx" +ₗ #5)) in
    match: "found" with
      InjL <> => #()
    | InjR <> => if: Snd "goal" then ! ("ctx" +ₗ #2) <- #true else #()
    end ;;
    ("ctx" +ₗ #4) <-na #false ;;
    (FAA (! ("t" +ₗ #1)) #(-1) ;;
     #()) ;;
    "found".

Definition pool_pool_work : val :=
  rec: "work" "ctx" "goal" :=
    if: ~ (Fst "goal") #() then
      match: (Snd (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
                (! (! ("ctx" +ₗ #0) +ₗ #0)))))))))))))))) (! ("ctx" +ₗ #1)) with
        InjL <> =>
          match: pool_pool_hunt "ctx" "goal" with
            InjL <> => #()
          | InjR "task" =>
              pool_pool_execute "ctx" "task" ;;
              "work" "ctx" "goal"
          end
      | InjR "task" =>
          pool_pool_execute "ctx" "task" ;;
          "work" "ctx" "goal"
      end
    else #().

Definition pool_pool_wait_ivar : val :=
  rec: "wait_ivar" "ctx" "ivar" :=
    if: ~ base_ivar_is_set "ivar" then
      match: (Snd (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
                (! (! ("ctx" +ₗ #0) +ₗ #0)))))))))))))))) (! ("ctx" +ₗ #1)) with
        InjL <> =>
          let: "t" := ! ("ctx" +ₗ #0) in
          let: "id" := ! ("ctx" +ₗ #1) in
          match: base_ivar_wait "ivar" (λ: <> <>, pool_pool_wake "t" "id") with
            InjL <> =>
              let: "until" := λ: <>, base_ivar_is_set "ivar" in
              pool_pool_work "ctx" ("until", #false)
          | InjR <> => #()
          end
      | InjR "task" =>
          pool_pool_execute "ctx" "task" ;;
          "wait_ivar" "ctx" "ivar"
      end
    else #().

Definition pool_pool_join_role : val :=
  λ: "t" "i",
    let: "before" := array_get (! ("t" +ₗ #9)) "i" in
    array_set (! ("t" +ₗ #9)) "i" ("before" + #1) ;;
    "before" = #0.

Definition pool_pool_enter_role : val :=
  λ: "t" "i",
    mutex_lock (! ("t" +ₗ #7)) ;;
    let: "first" := pool_pool_join_role "t" "i" in
    mutex_unlock (! ("t" +ₗ #7)) ;;
    if: "first" then
      (Snd (Fst (Fst (Fst (Fst (Fst (Fst (! ("t" +ₗ #0))))))))) "i"
    else #().

Definition pool_pool_leave_role : val :=
  λ: "t" "i",
    (if: array_get (! ("t" +ₗ #9)) "i" = #1 then
       ((Snd (Fst (Fst (Fst (Fst (Fst (! ("t" +ₗ #0)))))))) "i" ;;
        if: (Snd (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
               (! ("t" +ₗ #0)))))))))))) "i" then
          pool_pool_wake_one "t"
        else #())
     else #()) ;;
    mutex_lock (! ("t" +ₗ #7)) ;;
    array_set (! ("t" +ₗ #9)) "i" (array_get (! ("t" +ₗ #9)) "i" - #1) ;;
    condition_broadcast (! ("t" +ₗ #8)) ;;
    mutex_unlock (! ("t" +ₗ #7)).

Definition pool_pool_serve_until : val :=
  λ: "t" "i" "until",
    let: "ctx" := array_get (!na ("t" +ₗ #6)) "i" in
    ! ("ctx" +ₗ #2) <- #true ;;
    pool_pool_work "ctx" ("until", #true) ;;
    pool_pool_stop_working "ctx" ;;
    pool_pool_leave_role "t" "i".

Definition pool_pool_serve : val :=
  λ: "t" "worker" "until",
    pool_pool_enter_role "t" "worker" ;;
    pool_pool_serve_until "t" "worker" "until".

Definition pool_pool_recover : val :=
  λ: "t" "i",
    let: "ctx" := array_get (!na ("t" +ₗ #6)) "i" in
    (if: !na ("ctx" +ₗ #4) then
       (("ctx" +ₗ #4) <-na #false ;;
        FAA (! ("t" +ₗ #1)) #(-1) ;;
        #())
     else #()) ;;
    (if: base_waiters_recover (! ("t" +ₗ #3)) "i" then pool_pool_wake_one "t"
     else #()) ;;
    pool_pool_stop_working "ctx" ;;
    pool_pool_leave_role "t" "i".

Definition pool_pool_never : val := λ: <>, #false.

Definition pool_pool_start : val :=
  λ: "t",
    let: "spawn" :=
      rec: "spawn" "i" :=
        if: "i" <
              Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
                (! ("t" +ₗ #0)))))))))))))))) then
          (let: "domain" :=
             domain_spawn (λ: <>, pool_pool_serve "t" "i" pool_pool_never) in
           ("t" +ₗ #10) <-na InjR ("domain", !na ("t" +ₗ #10)) ;;
           "spawn" ("i" + #1))
        else #() in
    if: ~ ! (! ("t" +ₗ #4)) then "spawn" #1 else #().

Definition pool_pool_try_fill : val :=
  λ: "t" "i",
    mutex_lock (! ("t" +ₗ #7)) ;;
    let: "free" := array_get (! ("t" +ₗ #9)) "i" = #0 in
    (if: "free" then
       (pool_pool_join_role "t" "i" ;;
        #())
     else #()) ;;
    mutex_unlock (! ("t" +ₗ #7)) ;;
    (if: "free" then
       (Snd (Fst (Fst (Fst (Fst (Fst (Fst (! ("t" +ₗ #0))))))))) "i"
     else #()) ;;
    "free".

Definition pool_pool_fill_unless : val :=
  λ: "t" "i" "ready",
    let: "wait" :=
      rec: "wait" <> :=
        if: "ready" #() then #false
        else if: array_get (! ("t" +ₗ #9)) "i" = #0 then
          pool_pool_join_role "t" "i"
        else
          (condition_wait (! ("t" +ₗ #8)) (! ("t" +ₗ #7)) ;;
           "wait" #()) in
    mutex_lock (! ("t" +ₗ #7)) ;;
    let: "filled" := "wait" #() in
    mutex_unlock (! ("t" +ₗ #7)) ;;
    (if: "filled" then
       (Snd (Fst (Fst (Fst (Fst (Fst (Fst (! ("t" +ₗ #0))))))))) "i"
     else #()) ;;
    "filled".

Definition pool_pool_await : val :=
  λ: "t" "ready",
    let: "wait" :=
      rec: "wait" <> :=
        if: ~ "ready" #() then
          (condition_wait (! ("t" +ₗ #8)) (! ("t" +ₗ #7)) ;;
           "wait" #())
        else #() in
    mutex_lock (! ("t" +ₗ #7)) ;;
    "wait" #() ;;
    mutex_unlock (! ("t" +ₗ #7)).

Definition pool_pool_run_elsewhere : val :=
  λ: "t" "task",
    let: "result" := ref (InjLV #()) in
    let: "ready" :=
      λ: <>,
        match: ! "result" with
          InjL <> => #false
        | InjR <> => #true
        end in
    let: "give_up" := λ: <>,
                        if: ! (! ("t" +ₗ #4)) then #true else "ready" #() in
    let: "code" :=
      λ: "ctx",
        let: "value" := "task" "ctx" in
        "result" <- InjR "value" ;;
        mutex_lock (! ("t" +ₗ #7)) ;;
        condition_broadcast (! ("t" +ₗ #8)) ;;
        mutex_unlock (! ("t" +ₗ #7)) ;;
        pool_pool_wake "t" #0 in
    if: pool_pool_submit "t" #0 (hub_hub_task "code") then
      ((if: pool_pool_fill_unless "t" #0 "give_up" then
          (let: "ctx" := array_get (!na ("t" +ₗ #6)) #0 in
           ! ("ctx" +ₗ #2) <- #true ;;
           pool_pool_work "ctx" ("ready", #false) ;;
           pool_pool_stop_working "ctx" ;;
           pool_pool_leave_role "t" #0)
        else pool_pool_await "t" "ready") ;;
       ! "result")
    else InjLV #().

Definition pool_pool_run : val :=
  λ: "t" "task",
    if: pool_pool_enter "t" then
      if: pool_pool_try_fill "t" #0 then
        (pool_pool_leave "t" ;;
         let: "ctx" := array_get (!na ("t" +ₗ #6)) #0 in
         ("ctx" +ₗ #6) <-na (!na ("ctx" +ₗ #6) + #1) ;;
         ! ("ctx" +ₗ #2) <- #true ;;
         let: "value" := "task" "ctx" in
         pool_pool_stop_working "ctx" ;;
         pool_pool_leave_role "t" #0 ;;
         InjR "value")
      else
        (pool_pool_leave "t" ;;
         pool_pool_run_elsewhere "t" "task")
    else
      (pool_pool_leave "t" ;;
       InjLV #()).

Definition pool_pool_join : val :=
  rec: "join" "domains" :=
    match: "domains" with
      InjL <> => #()
    | InjR "d" =>
        domain_join (Fst "d") ;;
        "join" (Snd "d")
    end.

Definition pool_pool_drain : val :=
  rec: "drain" "t" "i" :=
    if: "i" <
          Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst (Fst
            (! ("t" +ₗ #0)))))))))))))))) then
      ((pool_pool_fill_unless "t" "i" pool_pool_never ;;
        #()) ;;
       pool_pool_serve_until "t" "i" pool_pool_never ;;
       "drain" "t" ("i" + #1))
    else #().

Definition pool_pool_close : val :=
  λ: "t",
    if: CAS (! ("t" +ₗ #4)) #false #true then
      (base_waiters_notify_all (! ("t" +ₗ #3)) ;;
       (pool_pool_fill_unless "t" #0 pool_pool_never ;;
        #()) ;;
       pool_pool_serve_until "t" #0 pool_pool_never ;;
       (Snd (Fst (! ("t" +ₗ #0)))) #() ;;
       pool_pool_join (!na ("t" +ₗ #10)) ;;
       ("t" +ₗ #10) <-na InjLV #() ;;
       pool_pool_drain "t" #0 ;;
       #true)
    else #false.

(* counts: (tasks, steals, sleeps). *)

(* counts is not translated: it reads what other workers write, racily. *)
