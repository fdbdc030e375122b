(** A policy after all checks: every name is resolved, every expression has its
    type, and functions and enumerations are linked to their uses. The model
    checker, the simulator, the prover and the code generators all work from
    this representation, which supposes no language and no kernel.
    doc/policy/semantics.md gives the meaning.

    Conventions. A [place] is a place in the source, for messages. Values shared
    by name (attributes, states, functions) are compared by their [id], which is
    dense from 0 within its kind. *)

type place = {
  file : string;
  line : int;  (** from 1 *)
  column : int;  (** from 0 *)
  last_line : int;
  last_column : int;  (** the first column after the text *)
}

(* {1 Types} *)

type enum = { enum_name : string; members : string array }

type ty =
  | Int
  | Bool
  | Enum of enum
  | Thread  (** a thread, or none: see [Valid] *)
  | Core  (** a core, or none; a group and a domain may be none too *)
  | Group
  | Domain
  | Threads  (** a queue *)
  | Cores
  | Groups
  | Domains

type operator =
  | Add
  | Sub
  | Mul
  | Div  (** toward 0; [a / 0] is 0, as in BPF (RFC 9669, 4.1) *)
  | Mod  (** the sign is that of the dividend; [a % 0] is a *)
  | And
  | Or  (** [And] and [Or] short-circuit *)
  | Eq
  | Ne
  | Lt
  | Le
  | Gt
  | Ge
  | Bit_and
  | Bit_or

type direction = Highest | Lowest

(** The kind of owner of an attribute. *)
type owner = Of_thread | Of_core | Of_group | Of_domain | Global

type attribute = {
  id : int;
  name : string;
  owner : owner;
  ty : ty;
  initial : expression option;
      (** by default 0, false, the first member, or none *)
  system : bool;  (** the system sets the attribute *)
  is_lazy : bool;  (** computed at each read *)
  shared : bool;
  place : place;
}
(** A [system] attribute is set by the system, and a policy only reads it; the
    policy sets any other attribute. A [lazy] attribute is computed at each
    read. *)

(* {1 Places of threads} *)
and state_class = Running | Ready | Blocked | Terminated

and key = { direction : direction; by : measure }
(** Orders are compared key by key. Threads that are equal in all keys are first
    in, first out; equal cores are in the order of their numbers. *)

and measure =
  | Attribute of attribute
  | By_cload
  | By_count  (** the number of runnable threads of a core *)

and container =
  | Slot  (** one thread, or none: the running thread *)
  | One of int
      (** a [Ready] state of one thread, or none; a collection, like a queue. A
          new thread displaces the old thread to the back of the queue of the
          state with this [state_id] on the same core *)
  | Queue of key list
  | Nowhere  (** no data structure: [Blocked], [Terminated] *)

and state = {
  state_id : int;
  state_name : string;
  state_class : state_class;
  container : container;
  state_shared : bool;
  state_place : place;
}

(* {1 Expressions}

   Expressions are pure and total. A read of a value that another core may be
   changing is an observation: each [Cload], [Count], [Runnable] of a core whose
   lock is not held, and each read of [Idle_cores] or [Active_cores], is a step
   of its own, from left to right. *)
and expression = { it : it; ty_of : ty; at : place }

and it =
  | Int_value of int
  | Bool_value of bool
  | Member of enum * int
  | No_thread
  | No_core
  | No_group
  | No_domain
  | Local of local
  | Self  (** the core of the handler *)
  | Target  (** the thread or core of the event *)
  | Waker
      (** in [New] and [Unblock], the thread that woke or made the target, or
          none. A policy compares the waker and reads attributes of the waker;
          each such read is an observation *)
  | Read of expression option * attribute  (** [None]: a global *)
  | Cload of expression
  | Runnable of expression
      (** count(c): the number of threads of c that run or are ready *)
  | Count of expression * state  (** count(c.q) *)
  | Threads_in of expression * state  (** c.q, as a collection or a slot *)
  | All_cores
  | Idle_cores
  | Active_cores
  | Filtered  (** the cores (or groups) let through by the filter of [steal] *)
  | Cores_of of expression  (** the cores of a group or a domain *)
  | Groups_of of expression  (** the groups of a domain *)
  | Domains_of of expression  (** the domains of a core, smallest first *)
  | Those of { each : local; among : expression; holds : expression }
      (** the members [each] of a set of cores for which [holds] is true.
          [holds] reads only values that do not change while a handler is at
          work, and neither draws nor sets. Transformations make this
          expression; the language has no syntax for it *)
  | First of expression * key list
      (** the first member by the keys; none if the set is empty *)
  | Any of expression  (** a member, drawn evenly; none if the set is empty *)
  | Empty of expression
  | Valid of expression
  | In of expression * expression
  | Not of expression
  | Minus of expression
  | Operation of operator * expression * expression
  | If_else of expression * expression * expression
  | Call of func * expression list

(* A parameter or a variable of a function or handler. *)
and local = { local_id : int; local_name : string; local_ty : ty }

(* {1 Statements} *)
and statement = { what : what; stands_at : place }

and what =
  | Set_local of local * expression
  | Set of expression option * attribute * expression
  | Move of { thread : expression; core : expression; state : state }
  | If of expression * block * block
  | Foreach of {
      each : local;
      among : expression;
      order : key list;
      body : block;
    }
  | Break
  | Return of expression option
  | Steal_for of { group : expression option; core : expression }
  | Do of expression  (** a call, for its effects *)

and block = statement list

(* Functions are never recursive. [effects] are the possible effects of a call,
   including those of called functions. *)
and func = {
  func_id : int;
  func_name : string;
  parameters : local list;
  result : ty option;
  func_body : block;
  effects : effects;
  func_place : place;
}

and effects = {
  observes : bool;  (** reads another core without the lock of that core *)
  updates : bool;  (** sets attributes, or moves threads *)
}

(* {1 Stealing} *)

type filter = {
  filter_source : local;
  filter_destination : local;
  admits : expression;
}

(* The three phases of stealing for one destination. The running thread is never
   offered. Within [take], the observables of the destination count the threads
   that were already taken for the destination. *)
type steal_core = {
  can_steal_core : filter;
  select_core : expression;  (** an expression over [Filtered] *)
  source : local;
  destination : local;
  candidate : local;
  take : block;
      (** takes [candidate] on the paths on which the block moves [candidate] *)
  enough : expression option;  (** until, evaluated after each thread *)
  repeated : bool;
      (** do ..: repeated for all cores that the filter let through *)
  until : expression option;
  steal_place : place;
}

type steal_group = {
  can_steal_group : filter;
  select_group : expression;
  source_group : local;
  destination_group : local;
  group_repeated : bool;
  group_until : expression option;
}

type steal = { by_group : steal_group option; by_core : steal_core }

(* {1 Handlers} *)

type event =
  | New
  | Unblock
  | Block
  | Terminate
  | Yield
  | Tick
  | Schedule
  | Detach
  | Balancing
  | Newly_idle
  | Enter_idle
  | Exit_idle
  | Entry
  | Exit
  | Attach  (** a thread comes from elsewhere: `attach` of the interface *)
  | Withdraw  (** a thread is taken away: `detach` of the interface *)

type handler = {
  event : event;
  is_synchronized : bool;  (** one core at a time, on the whole machine *)
  handler_body : block;
  handler_place : place;
}

(* {1 Relaxations: promises that a policy limits} *)

type relaxation =
  | Within of { rounds : int; at : place }
      (** conserve within k idle rounds: only a violation that lasts longer
          counts *)
  | Exempt of {
      event : event;
      condition : expression;  (** a condition on the event's target *)
      reason : string;
      at : place;
    }
  | Exempt_waiting of { condition : expression; reason : string; at : place }
      (** [exempt waiting]: a thread that becomes ready and satisfies the
          condition may wait for ever *)

type policy = {
  policy_name : string;
  attributes : attribute array;  (** by id *)
  states : state array;  (** by id, in order of declaration *)
  functions : func array;
  steal : steal option;
  handlers : handler list;
  interface : func list;  (** attach, detach, .. *)
  relaxations : relaxation list;
  local_count : int;  (** locals are numbered through the whole policy *)
  policy_place : place;
}
