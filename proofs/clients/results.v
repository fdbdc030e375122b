(** The common part of the closed programs: results that are integers, because prophecy
    erasure leaves integers unchanged, and the sum of the numbers from 1 to n. *)
From iris.program_logic Require Import adequacy.
From iris.heap_lang Require Import lang notation proph_erasure.
From iris.prelude Require Import options.

(** Claim: If a program cannot get stuck and can only return one number, then the program
    without its prophecy variables cannot get stuck, and returns the same number. *)
Lemma erased_adequate (e : expr) (σ : state) (z : Z) :
  adequate NotStuck e σ (λ v _, v = #z) →
  adequate NotStuck (erase_expr e) (erase_state σ) (λ v _, v = #z).
Proof.
  intros Had. destruct (erasure _ _ _ Had) as [Hres Hsafe]. split; last done.
  intros t2 σ2 v Hsteps. by destruct (Hres t2 σ2 v Hsteps) as (v' & σ' & <- & _ & ->).
Qed.

Fixpoint triangle (n : nat) : nat :=
  match n with 0 => 0 | S n => S n + triangle n end.

Lemma triangle_closed n : Z.of_nat (triangle n) = (n * (n + 1) / 2)%Z.
Proof.
  apply Z.div_unique_exact; first done. induction n as [|n IH]; first done.
  change (triangle (S n)) with (S n + triangle n). lia.
Qed.
