(** The policy scx_rusty, of scx_rusty.policy, as data, with its theorems.
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
Notation a_load_0 := 0%nat.
Notation a_last_core_1 := 1%nat.
Notation q_current := 0%nat.
Notation q_ready := 1%nat.
Notation q_blocked := 2%nat.
Notation q_terminated := 3%nat.

Definition f_group_load_0 : block :=
  (Then (Set_local x3 (Num 0))
  (Then (Foreach x4 (Cores_of_group (Local x2)) []
    (Then (Set_local x3 (Op Add (Local x3) (Cload (Local x4))))
    Done))
  (Then (Return (Local x3))
  Done))).

Definition f_least_loaded_1 : block :=
  (Then (Return (First All_cores [Key true By_cload]))
  Done).

Definition the_groups : by_group := {|
  group_filter_source := x0;
  group_filter_destination := x1;
  can_steal_group := (Op Gt (Op Mul (Call (Arg x2 (Local x0) No_args) f_group_load_0) (Num 100)) (Op Mul (Call (Arg x2 (Local x1) No_args) f_group_load_0) (Num 110)));
  select_group := (First Filtered []);
  source_group := x6;
  destination_group := x5;
  group_repeated := true;
  group_until := (Some (Op Ne (Runnable (Local x9)) (Num 0)));
|}.

Definition the_steal : steal := {|
  groups := Some the_groups;
  filter_source := x7;
  filter_destination := x8;
  can_steal_core := (And (Op Ge (Runnable (Local x7)) (Num 2)) (Op Gt (Cload (Local x7)) (Cload (Local x8))));
  select_core := (First Filtered [Key false By_cload]);
  source := x10;
  destination := x9;
  candidate := x11;
  take := (Then (If (And (Op Ge (Runnable (Local x10)) (Num 2)) (Op Gt (Op Sub (Cload (Local x10)) (Cload (Local x9))) (Attribute (Local x11) a_load_0)))
      (Then (Move (Local x11) (Local x9) q_ready)
      Done)
      Done)
    Done);
  enough := (Some (Op Ne (Runnable (Local x9)) (Num 0)));
  repeated := true;
  until_ := (Some (Op Ne (Runnable (Local x9)) (Num 0)));
|}.

Definition the_policy : policy := {|
  running := q_current;
  ready := [q_ready];
  load := None;
  loads := [(Num 1)];
  thread_attributes := false;
  stealing := the_steal;
  balancing := (Handler true
    (Then (Foreach x19 All_cores []
      (Then (Foreach x20 (Domains_of (Local x19)) []
        (Then (Foreach x21 (Groups_of (Local x20)) []
          (Then (If (In (Local x19) (Cores_of_group (Local x21)))
            (Then (Steal_for (Local x21) (Local x19))
            Done)
            Done)
          Done))
        Done))
      Done))
    Done));
  others_steal := [];
  on_new := (Then (Set_local x12 (Call No_args f_least_loaded_1))
    (Then (Move Target (Local x12) q_ready)
    Done));
  on_unblock := (Then (Set_local x13 Target)
    (Then (Set_local x14 (Attribute (Local x13) a_last_core_1))
    (Then (If (And (Valid (Local x14)) (Op Eq (Cload (Local x14)) (Num 0)))
      (Then (Move (Local x13) (Local x14) q_ready)
      (Then (Return_nothing)
      Done))
      Done)
    (Then (If (Valid (Local x14))
      (Then (Set_local x15 (First (Domains_of (Local x14)) []))
      (Then (Foreach x16 (Cores_of_domain (Local x15)) []
        (Then (If (Op Eq (Cload (Local x16)) (Num 0))
          (Then (Move (Local x13) (Local x16) q_ready)
          (Then (Return_nothing)
          Done))
          Done)
        Done))
      Done))
      Done)
    (Then (Set_local x17 (Call No_args f_least_loaded_1))
    (Then (Move (Local x13) (Local x17) q_ready)
    Done))))));
  exempt_new := (Num 0);
  exempt_unblock := (Num 0);
|}.

Theorem lcwc_of_new : LCWC_of_new the_policy.
Proof. placement the_policy 1. Qed.
Print Assumptions lcwc_of_new.

Theorem lcwc_of_unblock : LCWC_of_unblock the_policy.
Proof. placement the_policy 1. Qed.
Print Assumptions lcwc_of_unblock.
