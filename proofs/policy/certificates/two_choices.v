(** The policy two_choices, of two_choices.policy, as data, with its theorems.
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
Notation a_load_0 := 0%nat.
Notation q_current := 0%nat.
Notation q_ready := 1%nat.
Notation q_blocked := 2%nat.
Notation q_terminated := 3%nat.

Definition f_lesser_0 : block :=
  (Then (Set_local x5 (Any All_cores))
  (Then (Set_local x6 (Any All_cores))
  (Then (If (Op Le (Runnable (Local x5)) (Runnable (Local x6)))
    (Then (Return (Local x5))
    Done)
    Done)
  (Then (Return (Local x6))
  Done)))).

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
    (Then (Foreach x9 All_cores [Key true By_cload]
      (Then (Steal_for (Num (-1)) (Local x9))
      Done))
    Done));
  others_steal := [];
  on_new := (Then (Set_local x7 (Call No_args f_lesser_0))
    (Then (Move Target (Local x7) q_ready)
    Done));
  on_unblock := (Then (Set_local x8 (Call No_args f_lesser_0))
    (Then (Move Target (Local x8) q_ready)
    Done));
  exempt_new := (Num 0);
  exempt_unblock := (Num 0);
|}.

Theorem gcwc_of_balancing : GCWC the_policy.
Proof. balancing the_policy 1. Qed.
Print Assumptions gcwc_of_balancing.
