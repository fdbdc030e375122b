(** Policies as data: policy/core/core.mli in Coq, without places and types.

    Every value is a number. A truth value is 0 or 1; a member of an enumeration is
    its index; a thread, core, group or domain is its number; none is -1. Names are
    numbers too: locals are unique in a policy; attributes and states are numbered
    from 0. Functions are inlined at their calls. *)

From Coq Require Export ZArith List Bool Permutation.
Export ListNotations.

Inductive operator :=
  | Add | Sub | Mul | Div | Mod | Eq | Ne | Lt | Le | Gt | Ge | Bit_and | Bit_or.

Inductive measure := By_cload | By_count | By_attribute (a : nat).
Record key := Key { lowest : bool; what : measure }.

Inductive expr :=
  | Num (v : Z)
  | Local (x : nat)
  | Self
  | Target
  | Attribute (of : expr) (a : nat)
  | Global (a : nat)
  | Cload (c : expr)
  | Runnable (c : expr)
  | Count (c : expr) (q : nat)
  | First (s : set) (order : list key)
  | Any (s : set)
  | Empty (s : set)
  | Valid (e : expr)
  | In (e : expr) (s : set)
  | Not (e : expr)
  | Minus (e : expr)
  | And (a b : expr)
  | Or (a b : expr)
  | Op (o : operator) (a b : expr)
  | If_else (c a b : expr)
  | Call (arguments : args) (body : block)
with args := No_args | Arg (x : nat) (e : expr) (rest : args)
with set :=
  | All_cores
  | Idle_cores
  | Active_cores
  | Filtered
  | Cores_of_group (g : expr)
  | Cores_of_domain (d : expr)
  | Groups_of (d : expr)
  | Domains_of (c : expr)
  | Threads_in (c : expr) (q : nat)
with statement :=
  | Set_local (x : nat) (e : expr)
  | Set_attribute (of : expr) (a : nat) (e : expr)
  | Set_global (a : nat) (e : expr)
  | Move (thread core : expr) (q : nat)
  | If (c : expr) (a b : block)
  | Foreach (x : nat) (s : set) (order : list key) (body : block)
  | Break
  | Return_nothing
  | Return (e : expr)
  | Steal_for (g c : expr)  (** [g] is -1 if no group is named *)
  | Do (e : expr)
with block := Done | Then (s : statement) (rest : block).

(** The phases among groups. *)
Record by_group := By_group {
  group_filter_source : nat;
  group_filter_destination : nat;
  can_steal_group : expr;
  select_group : expr;
  source_group : nat;
  destination_group : nat;
  group_repeated : bool;
  group_until : option expr;
}.

(** The phases of a steal. *)
Record steal := Steal {
  groups : option by_group;  (** None: all cores are one group *)
  filter_source : nat;
  filter_destination : nat;
  can_steal_core : expr;
  select_core : expr;
  source : nat;
  destination : nat;
  candidate : nat;
  take : block;
  enough : option expr;  (** the [until] of steal_thread *)
  repeated : bool;
  until_ : option expr;
}.

Record handler := Handler { synchronized : bool; body : block }.

Record policy := Policy {
  running : nat;  (** the state of the running thread *)
  ready : list nat;  (** the queues *)
  load : option nat;  (** the load attribute; without a load attribute every load is 1 *)
  loads : list expr;  (** the first value of the load, and the expressions assigned to the load *)
  thread_attributes : bool;  (** the policy has an attribute that names a thread *)
  stealing : steal;
  balancing : handler;
  others_steal : list handler;  (** other handlers that steal *)
  on_new : block;
  on_unblock : block;
  exempt_new : expr;  (** of the target; 0 if nothing is exempt *)
  exempt_unblock : expr;
}.
