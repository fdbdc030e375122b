(** The policy idle_sibling, of idle_sibling.policy, as data, with its theorems.
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
Notation a_load_0 := 0%nat.
Notation a_last_core_1 := 1%nat.
Notation q_current := 0%nat.
Notation q_ready := 1%nat.
Notation q_blocked := 2%nat.
Notation q_terminated := 3%nat.

Definition f_least_loaded_0 : block :=
  (Then (Return (First All_cores [Key true By_cload]))
  Done).

Definition f_near_1 : block :=
  (Then (Set_local x8 (Attribute (Local x7) a_last_core_1))
  (Then (If (Not (Valid (Local x8)))
    (Then (Return (Call No_args f_least_loaded_0))
    Done)
    Done)
  (Then (If (In (Local x8) Idle_cores)
    (Then (Return (Local x8))
    Done)
    Done)
  (Then (Foreach x9 (Domains_of (Local x8)) []
    (Then (Foreach x10 (Cores_of_domain (Local x9)) []
      (Then (If (In (Local x10) Idle_cores)
        (Then (Return (Local x10))
        Done)
        Done)
      Done))
    Done))
  (Then (Return (Call No_args f_least_loaded_0))
  Done))))).

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
      (Then (Move (Local x4) (Local x2) q_ready)
      Done)
      Done)
    Done);
  enough := None;
  repeated := true;
  until_ := (Some (Op Ne (Runnable (Local x2)) (Num 0)));
|}.

Definition the_policy : policy := {|
  running := q_current;
  ready := [q_ready];
  load := None;
  loads := [(Num 1)];
  thread_attributes := false;
  stealing := the_steal;
  balancing := (Handler true
    (Then (Foreach x13 All_cores [Key true By_cload]
      (Then (Steal_for (Num (-1)) (Local x13))
      Done))
    Done));
  others_steal := [];
  on_new := (Then (Set_local x5 (First Idle_cores []))
    (Then (If (Not (Valid (Local x5)))
      (Then (Set_local x5 (Call No_args f_least_loaded_0))
      Done)
      Done)
    (Then (Move Target (Local x5) q_ready)
    Done)));
  on_unblock := (Then (Set_local x6 Target)
    (Then (Set_local x11 (Call (Arg x7 (Local x6) No_args) f_near_1))
    (Then (Move (Local x6) (Local x11) q_ready)
    Done)));
  exempt_new := (Num 0);
  exempt_unblock := (Num 0);
|}.

Theorem gcwc_of_balancing : GCWC the_policy.
Proof. balancing the_policy 1. Qed.
Print Assumptions gcwc_of_balancing.

Theorem lcwc_of_new : LCWC_of_new the_policy.
Proof. placement the_policy 1. Qed.
Print Assumptions lcwc_of_new.

Theorem lcwc_of_unblock : LCWC_of_unblock the_policy.
Proof. placement the_policy 1. Qed.
Print Assumptions lcwc_of_unblock.
