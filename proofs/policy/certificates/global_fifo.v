(** The policy global_fifo, of global_fifo.policy, as data, with its theorems.
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
Notation a_next_0 := 0%nat.
Notation a_load_1 := 1%nat.
Notation a_stamp_2 := 2%nat.
Notation q_current := 0%nat.
Notation q_ready := 1%nat.
Notation q_blocked := 2%nat.
Notation q_terminated := 3%nat.

Definition f_least_loaded_0 : block :=
  (Then (Return (First All_cores [Key true By_cload]))
  Done).

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
  on_new := (Then (Set_local x5 Target)
    (Then (Set_local x6 (Call No_args f_least_loaded_0))
    (Then (Set_global a_next_0 (Op Add (Global a_next_0) (Num 1)))
    (Then (Set_attribute (Local x5) a_stamp_2 (Global a_next_0))
    (Then (Move (Local x5) (Local x6) q_ready)
    Done)))));
  on_unblock := (Then (Set_local x7 Target)
    (Then (Set_local x8 (Call No_args f_least_loaded_0))
    (Then (Set_global a_next_0 (Op Add (Global a_next_0) (Num 1)))
    (Then (Set_attribute (Local x7) a_stamp_2 (Global a_next_0))
    (Then (Move (Local x7) (Local x8) q_ready)
    Done)))));
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
