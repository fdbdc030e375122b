(** The policy steal_half, of steal_half.policy, as data, with its theorems.
    doc/policy/certificates.md lists the trusted parts. *)

From dromos.policy Require Import certificate.
Local Open Scope Z_scope.

Notation x0 := 0%nat.
Notation x1 := 1%nat.
Notation x2 := 2%nat.
Notation x3 := 3%nat.
Notation x4 := 4%nat.
Notation x5 := 5%nat.
Notation a_load_0 := 0%nat.
Notation q_current := 0%nat.
Notation q_ready := 1%nat.
Notation q_blocked := 2%nat.
Notation q_terminated := 3%nat.

Definition the_steal : steal := {|
  groups := None;
  filter_source := x0;
  filter_destination := x1;
  can_steal_core := (Op Ge (Op Sub (Cload (Local x0)) (Cload (Local x1))) (Num 2));
  select_core := (Any Filtered);
  source := x3;
  destination := x2;
  candidate := x4;
  take := (Then (If (Op Ge (Op Sub (Runnable (Local x3)) (Runnable (Local x2))) (Num 2))
      (Then (Move (Local x4) (Local x2) q_ready)
      Done)
      Done)
    Done);
  enough := (Some (Op Lt (Op Sub (Runnable (Local x3)) (Runnable (Local x2))) (Num 2)));
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
    (Then (Foreach x5 All_cores [Key true By_cload]
      (Then (Steal_for (Num (-1)) (Local x5))
      Done))
    Done));
  others_steal := [];
  on_new := (Then (Move Target Self q_ready)
    Done);
  on_unblock := (Then (Move Target Self q_ready)
    Done);
  exempt_new := (Num 0);
  exempt_unblock := (Num 0);
|}.

Theorem gcwc_of_balancing : GCWC the_policy.
Proof. balancing the_policy 1. Qed.
Print Assumptions gcwc_of_balancing.
