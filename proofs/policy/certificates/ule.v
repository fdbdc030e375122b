(** The policy ule, of ule.policy, as data, with its theorems.
    doc/policy/certificates.md lists the trusted parts. *)

From dromos.policy Require Import certificate.
Local Open Scope Z_scope.

Notation x0 := 0%nat.
Notation x1 := 1%nat.
Notation x2 := 2%nat.
Notation x3 := 3%nat.
Notation x4 := 4%nat.
Notation x5 := 5%nat.
Notation x6 := 6%nat.
Notation x7 := 7%nat.
Notation x8 := 8%nat.
Notation x9 := 9%nat.
Notation x10 := 10%nat.
Notation x11 := 11%nat.
Notation x12 := 12%nat.
Notation x13 := 13%nat.
Notation x14 := 14%nat.
Notation x15 := 15%nat.
Notation x16 := 16%nat.
Notation x17 := 17%nat.
Notation x18 := 18%nat.
Notation x19 := 19%nat.
Notation x20 := 20%nat.
Notation x21 := 21%nat.
Notation x22 := 22%nat.
Notation a_load_0 := 0%nat.
Notation a_interrupt_1 := 1%nat.
Notation a_prio_2 := 2%nat.
Notation a_slice_3 := 3%nat.
Notation a_run_time_4 := 4%nat.
Notation a_sleep_time_5 := 5%nat.
Notation a_slept_6 := 6%nat.
Notation a_last_core_7 := 7%nat.
Notation a_sharing_level_8 := 8%nat.
Notation q_current := 0%nat.
Notation q_realtime := 1%nat.
Notation q_timeshare := 2%nat.
Notation q_blocked := 3%nat.
Notation q_terminated := 4%nat.

Definition f_runnable_0 : block :=
  (Then (Return (Op Add (Op Add (Count (Local x5) q_realtime) (Count (Local x5) q_timeshare)) (Count (Local x5) q_current)))
  Done).

Definition f_is_interactive_1 : block :=
  (Then (Return (Op Lt (Op Mul (Num 50) (Attribute (Local x7) a_run_time_4)) (Op Mul (Num 30) (Attribute (Local x7) a_slept_6))))
  Done).

Definition f_update_realtime_2 : block :=
  (Then (If (Op Gt (Op Add (Attribute (Local x6) a_run_time_4) (Attribute (Local x6) a_slept_6)) (Num 5000))
    (Then (Set_attribute (Local x6) a_run_time_4 (Op Div (Attribute (Local x6) a_run_time_4) (Num 2)))
    (Then (Set_attribute (Local x6) a_slept_6 (Op Div (Attribute (Local x6) a_slept_6) (Num 2)))
    Done))
    Done)
  (Then (If (Attribute (Local x6) a_interrupt_1)
    (Then (Set_attribute (Local x6) a_prio_2 (Num 1))
    Done)
    (Then (If (Call (Arg x7 (Local x6) No_args) f_is_interactive_1)
      (Then (Set_attribute (Local x6) a_prio_2 (Num 4))
      Done)
      (Then (Set_attribute (Local x6) a_prio_2 (Num 2))
      Done))
    Done))
  (Then (Return (Op Ne (Attribute (Local x6) a_prio_2) (Num 2)))
  Done))).

Definition f_choose_wakeup_core_3 : block :=
  (Then (If (And (Op Eq (Attribute (Local x9) a_prio_2) (Num 1)) (Valid (Attribute (Local x9) a_last_core_7)))
    (Then (Return (Attribute (Local x9) a_last_core_7))
    Done)
    Done)
  (Then (If (Valid (Attribute (Local x9) a_last_core_7))
    (Then (Foreach x10 (Domains_of (Attribute (Local x9) a_last_core_7)) []
      (Then (Foreach x11 (Groups_of (Local x10)) []
        (Then (If (Op Ne (Op Bit_and (Attribute (Local x11) a_sharing_level_8) (Num 2)) (Num 0))
          (Then (Foreach x12 (Cores_of_group (Local x11)) []
            (Then (If (Op Eq (Cload (Local x12)) (Num 0))
              (Then (Return (Local x12))
              Done)
              Done)
            Done))
          Done)
          Done)
        Done))
      Done))
    Done)
    Done)
  (Then (Return (First All_cores [Key true By_cload]))
  Done))).

Definition the_steal : steal := {|
  groups := None;
  filter_source := x0;
  filter_destination := x1;
  can_steal_core := (Op Ge (Op Sub (Cload (Local x0)) (Cload (Local x1))) (Num 2));
  select_core := (First Filtered [Key false By_cload]);
  source := x3;
  destination := x2;
  candidate := x4;
  take := (Then (If (Op Ge (Op Sub (Cload (Local x3)) (Cload (Local x2))) (Num 2))
      (Then (If (Op Eq (Attribute (Local x4) a_prio_2) (Num 2))
        (Then (Move (Local x4) (Local x2) q_timeshare)
        Done)
        (Then (Move (Local x4) (Local x2) q_realtime)
        Done))
      Done)
      Done)
    Done);
  enough := (Some (Op Ne (Call (Arg x5 (Local x2) No_args) f_runnable_0) (Num 0)));
  repeated := false;
  until_ := None;
|}.

Definition the_policy : policy := {|
  running := q_current;
  ready := [q_realtime; q_timeshare];
  load := None;
  loads := [(Num 1)];
  thread_attributes := false;
  stealing := the_steal;
  balancing := (Handler true
    (Then (Foreach x19 All_cores [Key true By_cload]
      (Then (Steal_for (Num (-1)) (Local x19))
      Done))
    Done));
  others_steal := [(Handler false
    (Then (Steal_for (Num (-1)) Self)
    Done))];
  on_new := (Then (Set_local x17 Target)
    (Then (Set_local x18 (First All_cores [Key true By_cload]))
    (Then (If (Call (Arg x6 (Local x17) No_args) f_update_realtime_2)
      (Then (Move (Local x17) (Local x18) q_realtime)
      Done)
      (Then (Move (Local x17) (Local x18) q_timeshare)
      Done))
    Done)));
  on_unblock := (Then (Set_local x8 Target)
    (Then (Set_local x13 (Call (Arg x9 (Local x8) No_args) f_choose_wakeup_core_3))
    (Then (Set_attribute (Local x8) a_slept_6 (Op Add (Attribute (Local x8) a_slept_6) (Attribute (Local x8) a_sleep_time_5)))
    (Then (If (Call (Arg x6 (Local x8) No_args) f_update_realtime_2)
      (Then (Move (Local x8) (Local x13) q_realtime)
      Done)
      (Then (Move (Local x8) (Local x13) q_timeshare)
      Done))
    Done))));
  exempt_new := (Num 0);
  exempt_unblock := (Op Eq (Attribute Target a_prio_2) (Num 1));
|}.

Theorem lcwc_of_new : LCWC_of_new the_policy.
Proof. placement the_policy 1. Qed.
Print Assumptions lcwc_of_new.

Theorem lcwc_of_unblock : LCWC_of_unblock the_policy.
Proof. placement the_policy 1. Qed.
Print Assumptions lcwc_of_unblock.
