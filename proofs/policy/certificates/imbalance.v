(** The policy imbalance, of imbalance.policy, as data, with its theorems.
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
Notation a_nice_1 := 1%nat.
Notation a_vruntime_2 := 2%nat.
Notation a_ran_3 := 3%nat.
Notation a_last_core_4 := 4%nat.
Notation a_min_vruntime_5 := 5%nat.
Notation q_current := 0%nat.
Notation q_ready := 1%nat.
Notation q_blocked := 2%nat.
Notation q_terminated := 3%nat.

Definition f_idlest_0 : block :=
  (Then (Return (First All_cores [Key true By_cload]))
  Done).

Definition f_weight_1 : block :=
  (Then (If (Op Le (Local x7) (Num (-20)))
    (Then (Return (Num 88761))
    Done)
    Done)
  (Then (If (Op Le (Local x7) (Num (-15)))
    (Then (Return (Num 29154))
    Done)
    Done)
  (Then (If (Op Le (Local x7) (Num (-10)))
    (Then (Return (Num 9548))
    Done)
    Done)
  (Then (If (Op Le (Local x7) (Num (-5)))
    (Then (Return (Num 3121))
    Done)
    Done)
  (Then (If (Op Le (Local x7) (Num 0))
    (Then (Return (Num 1024))
    Done)
    Done)
  (Then (If (Op Le (Local x7) (Num 5))
    (Then (Return (Num 335))
    Done)
    Done)
  (Then (If (Op Le (Local x7) (Num 10))
    (Then (Return (Num 110))
    Done)
    Done)
  (Then (If (Op Le (Local x7) (Num 15))
    (Then (Return (Num 36))
    Done)
    Done)
  (Then (Return (Num 15))
  Done))))))))).

Definition f_wakeup_core_2 : block :=
  (Then (Set_local x10 (Attribute (Local x9) a_last_core_4))
  (Then (If (And (Valid (Local x10)) (Op Eq (Cload (Local x10)) (Num 0)))
    (Then (Return (Local x10))
    Done)
    Done)
  (Then (Return (Call No_args f_idlest_0))
  Done))).

Definition the_steal : steal := {|
  groups := None;
  filter_source := x0;
  filter_destination := x1;
  can_steal_core := (And (Op Ge (Runnable (Local x0)) (Num 2)) (Op Gt (Op Mul (Num 4) (Cload (Local x0))) (Op Mul (Num 5) (Cload (Local x1)))));
  select_core := (First Filtered [Key false By_cload]);
  source := x3;
  destination := x2;
  candidate := x4;
  take := (Then (If (And (Op Ge (Runnable (Local x3)) (Num 2)) (Op Gt (Op Mul (Num 4) (Op Sub (Cload (Local x3)) (Attribute (Local x4) a_load_0))) (Op Mul (Num 5) (Op Add (Cload (Local x2)) (Attribute (Local x4) a_load_0)))))
      (Then (Move (Local x4) (Local x2) q_ready)
      Done)
      Done)
    Done);
  enough := (Some (Op Ne (Runnable (Local x2)) (Num 0)));
  repeated := true;
  until_ := (Some (Op Ne (Runnable (Local x2)) (Num 0)));
|}.

Definition the_policy : policy := {|
  running := q_current;
  ready := [q_ready];
  load := (Some a_load_0);
  loads := [(Num 1024); (Call (Arg x7 (Attribute (Local x5) a_nice_1) No_args) f_weight_1); (Call (Arg x7 (Attribute (Local x8) a_nice_1) No_args) f_weight_1); (Call (Arg x7 (Attribute (Local x20) a_nice_1) No_args) f_weight_1)];
  thread_attributes := false;
  stealing := the_steal;
  balancing := (Handler true
    (Then (Foreach x19 All_cores [Key true By_cload]
      (Then (Steal_for (Num (-1)) (Local x19))
      Done))
    Done));
  others_steal := [];
  on_new := (Then (Set_local x5 Target)
    (Then (Set_local x6 (Call No_args f_idlest_0))
    (Then (Set_attribute (Local x5) a_load_0 (Call (Arg x7 (Attribute (Local x5) a_nice_1) No_args) f_weight_1))
    (Then (Move (Local x5) (Local x6) q_ready)
    Done))));
  on_unblock := (Then (Set_local x8 Target)
    (Then (Set_local x11 (Call (Arg x9 (Local x8) No_args) f_wakeup_core_2))
    (Then (Set_attribute (Local x8) a_load_0 (Call (Arg x7 (Attribute (Local x8) a_nice_1) No_args) f_weight_1))
    (Then (Move (Local x8) (Local x11) q_ready)
    Done))));
  exempt_new := (Num 0);
  exempt_unblock := (Num 0);
|}.

Theorem lcwc_of_new : LCWC_of_new the_policy.
Proof. placement the_policy 15. Qed.
Print Assumptions lcwc_of_new.

Theorem lcwc_of_unblock : LCWC_of_unblock the_policy.
Proof. placement the_policy 15. Qed.
Print Assumptions lcwc_of_unblock.
