(** The policy cfs_cwc, of cfs_cwc.policy, as data, with its theorems.
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
Notation x23 := 23%nat.
Notation x24 := 24%nat.
Notation x25 := 25%nat.
Notation x26 := 26%nat.
Notation x27 := 27%nat.
Notation x28 := 28%nat.
Notation x29 := 29%nat.
Notation x30 := 30%nat.
Notation x31 := 31%nat.
Notation x32 := 32%nat.
Notation x33 := 33%nat.
Notation x34 := 34%nat.
Notation x35 := 35%nat.
Notation x36 := 36%nat.
Notation x37 := 37%nat.
Notation a_load_0 := 0%nat.
Notation a_nice_1 := 1%nat.
Notation a_vruntime_2 := 2%nat.
Notation a_ran_3 := 3%nat.
Notation a_last_core_4 := 4%nat.
Notation a_min_vruntime_5 := 5%nat.
Notation q_current := 0%nat.
Notation q_ready := 1%nat.
Notation q_blocked := 2%nat.
Notation q_terminated := 3%nat.

Definition f_spare_threads_0 : block :=
  (Then (Foreach x3 (Cores_of_group (Local x2)) []
    (Then (If (Op Ge (Runnable (Local x3)) (Num 2))
      (Then (Return (Num 1))
      Done)
      Done)
    Done))
  (Then (Return (Num 0))
  Done)).

Definition f_group_load_1 : block :=
  (Then (Set_local x5 (Num 0))
  (Then (Foreach x6 (Cores_of_group (Local x4)) []
    (Then (Set_local x5 (Op Add (Local x5) (Cload (Local x6))))
    Done))
  (Then (Return (Local x5))
  Done))).

Definition f_idlest_2 : block :=
  (Then (Return (First All_cores [Key true By_cload]))
  Done).

Definition f_fork_core_3 : block :=
  (Then (Foreach x15 (Domains_of Self) []
    (Then (Foreach x16 (Cores_of_domain (Local x15)) []
      (Then (If (Op Eq (Cload (Local x16)) (Num 0))
        (Then (Return (Local x16))
        Done)
        Done)
      Done))
    Done))
  (Then (Return (Call No_args f_idlest_2))
  Done)).

Definition f_weight_4 : block :=
  (Then (If (Op Le (Local x18) (Num (-20)))
    (Then (Return (Num 88761))
    Done)
    Done)
  (Then (If (Op Le (Local x18) (Num (-15)))
    (Then (Return (Num 29154))
    Done)
    Done)
  (Then (If (Op Le (Local x18) (Num (-10)))
    (Then (Return (Num 9548))
    Done)
    Done)
  (Then (If (Op Le (Local x18) (Num (-5)))
    (Then (Return (Num 3121))
    Done)
    Done)
  (Then (If (Op Le (Local x18) (Num 0))
    (Then (Return (Num 1024))
    Done)
    Done)
  (Then (If (Op Le (Local x18) (Num 5))
    (Then (Return (Num 335))
    Done)
    Done)
  (Then (If (Op Le (Local x18) (Num 10))
    (Then (Return (Num 110))
    Done)
    Done)
  (Then (If (Op Le (Local x18) (Num 15))
    (Then (Return (Num 36))
    Done)
    Done)
  (Then (Return (Num 15))
  Done))))))))).

Definition f_wakeup_core_5 : block :=
  (Then (Set_local x21 (Attribute (Local x20) a_last_core_4))
  (Then (If (Not (Valid (Local x21)))
    (Then (Return (Call No_args f_idlest_2))
    Done)
    Done)
  (Then (If (Op Eq (Cload (Local x21)) (Num 0))
    (Then (Return (Local x21))
    Done)
    Done)
  (Then (Foreach x22 (Domains_of (Local x21)) []
    (Then (Foreach x23 (Cores_of_domain (Local x22)) []
      (Then (If (Op Eq (Cload (Local x23)) (Num 0))
        (Then (Return (Local x23))
        Done)
        Done)
      Done))
    Done))
  (Then (Return (Call No_args f_idlest_2))
  Done))))).

Definition the_groups : by_group := {|
  group_filter_source := x0;
  group_filter_destination := x1;
  can_steal_group := (Or (Call (Arg x2 (Local x0) No_args) f_spare_threads_0) (Op Gt (Call (Arg x4 (Local x0) No_args) f_group_load_1) (Call (Arg x4 (Local x1) No_args) f_group_load_1)));
  select_group := (First Filtered []);
  source_group := x8;
  destination_group := x7;
  group_repeated := true;
  group_until := (Some (Op Ne (Runnable (Local x11)) (Num 0)));
|}.

Definition the_steal : steal := {|
  groups := Some the_groups;
  filter_source := x9;
  filter_destination := x10;
  can_steal_core := (And (Op Ge (Runnable (Local x9)) (Num 2)) (Op Gt (Cload (Local x9)) (Cload (Local x10))));
  select_core := (First Filtered [Key false By_cload]);
  source := x12;
  destination := x11;
  candidate := x13;
  take := (Then (If (And (Op Ge (Runnable (Local x12)) (Num 2)) (Op Gt (Op Sub (Cload (Local x12)) (Cload (Local x11))) (Attribute (Local x13) a_load_0)))
      (Then (Move (Local x13) (Local x11) q_ready)
      Done)
      Done)
    Done);
  enough := (Some (Op Ne (Runnable (Local x11)) (Num 0)));
  repeated := true;
  until_ := (Some (Op Ne (Runnable (Local x11)) (Num 0)));
|}.

Definition the_policy : policy := {|
  running := q_current;
  ready := [q_ready];
  load := (Some a_load_0);
  loads := [(Num 1024); (Call (Arg x18 (Attribute (Local x14) a_nice_1) No_args) f_weight_4); (Call (Arg x18 (Attribute (Local x19) a_nice_1) No_args) f_weight_4); (Call (Arg x18 (Attribute (Local x35) a_nice_1) No_args) f_weight_4)];
  thread_attributes := false;
  stealing := the_steal;
  balancing := (Handler true
    (Then (Foreach x32 All_cores [Key true By_cload]
      (Then (Foreach x33 (Domains_of (Local x32)) []
        (Then (Foreach x34 (Groups_of (Local x33)) []
          (Then (If (In (Local x32) (Cores_of_group (Local x34)))
            (Then (Steal_for (Local x34) (Local x32))
            Done)
            Done)
          Done))
        Done))
      Done))
    Done));
  others_steal := [];
  on_new := (Then (Set_local x14 Target)
    (Then (Set_local x17 (Call No_args f_fork_core_3))
    (Then (Set_attribute (Local x14) a_load_0 (Call (Arg x18 (Attribute (Local x14) a_nice_1) No_args) f_weight_4))
    (Then (Move (Local x14) (Local x17) q_ready)
    Done))));
  on_unblock := (Then (Set_local x19 Target)
    (Then (Set_local x24 (Call (Arg x20 (Local x19) No_args) f_wakeup_core_5))
    (Then (Set_attribute (Local x19) a_load_0 (Call (Arg x18 (Attribute (Local x19) a_nice_1) No_args) f_weight_4))
    (Then (Move (Local x19) (Local x24) q_ready)
    Done))));
  exempt_new := (Num 0);
  exempt_unblock := (Num 0);
|}.

Theorem hcwc_of_balancing : HCWC the_policy.
Proof. balancing_of_groups the_policy 15. Qed.
Print Assumptions hcwc_of_balancing.

Theorem lcwc_of_new : LCWC_of_new the_policy.
Proof. placement the_policy 15. Qed.
Print Assumptions lcwc_of_new.

Theorem lcwc_of_unblock : LCWC_of_unblock the_policy.
Proof. placement the_policy 15. Qed.
Print Assumptions lcwc_of_unblock.
