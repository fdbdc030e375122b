(** The policy bvt, of bvt.policy, as data, with its theorems.
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
Notation a_load_0 := 0%nat.
Notation a_weight_1 := 1%nat.
Notation a_warp_2 := 2%nat.
Notation a_avt_3 := 3%nat.
Notation a_evt_4 := 4%nat.
Notation a_svt_5 := 5%nat.
Notation q_current := 0%nat.
Notation q_ready := 1%nat.
Notation q_blocked := 2%nat.
Notation q_terminated := 3%nat.

Definition f_least_loaded_0 : block :=
  (Then (Return (First All_cores [Key true By_cload]))
  Done).

Definition f_place_1 : block :=
  (Then (Set_local x6 (Call No_args f_least_loaded_0))
  (Then (Set_attribute (Local x5) a_evt_4 (Op Sub (Attribute (Local x5) a_avt_3) (Attribute (Local x5) a_warp_2)))
  (Then (Move (Local x5) (Local x6) q_ready)
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
    (Then (Foreach x10 All_cores [Key true By_cload]
      (Then (Steal_for (Num (-1)) (Local x10))
      Done))
    Done));
  others_steal := [];
  on_new := (Then (Do (Call (Arg x5 Target No_args) f_place_1))
    Done);
  on_unblock := (Then (Do (Call (Arg x5 Target No_args) f_place_1))
    Done);
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
