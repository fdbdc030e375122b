(** A policy after all checks: every name is resolved, every expression has its
    type, functions and enumerations are what they say. The model checker, the
    simulator, the prover and the code generators all work from this, and none
    of it supposes a language or a kernel. doc/policy/semantics.md says what it
    means.

    Conventions. A [place] is where it stands in the source, for messages.
    Values that are shared by name (attributes, states, functions) are compared
    by their [id], which is dense from 0 within its kind. *)

type place = {
  file : string;
  line : int;  (** from 1 *)
  column : int;  (** from 0 *)
  last_line : int;
  last_column : int;  (** the first column after it *)
}

(* {1 Types} *)

type enum = { enum_name : string; members : string array }

type ty =
  | Int
  | Bool
  | Enum of enum
  | Thread  (** a thread, or none: see [Valid] *)
  | Core  (** a core, or none; so are the two below *)
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
  | Or  (** both short-circuit *)
  | Eq
  | Ne
  | Lt
  | Le
  | Gt
  | Ge
  | Bit_and
  | Bit_or

type direction = Highest | Lowest

(** What an attribute belongs to. *)
type owner = Of_thread | Of_core | Of_group | Of_domain | Global

type attribute = {
  id : int;
  name : string;
  owner : owner;
  ty : ty;
  initial : expression option;  (** else 0, false, the first member, none *)
  system : bool;
  is_lazy : bool;
  shared : bool;
  place : place;
}
(** Who sets it: the policy, or the system ([system], which the policy only
    reads). A [lazy] one is computed when it is read. *)

(* {1 Where threads are} *)
and state_class = Running | Ready | Blocked | Terminated

and key = { direction : direction; by : measure }
(** Orders are compared key by key; threads (and cores) that are equal in all
    keys are first in, first out (cores: by number). *)

and measure =
  | Attribute of attribute
  | By_cload
  | By_count  (** runnable threads of a core *)

and container =
  | Slot  (** one thread, or none: where the running thread is *)
  | One of int
      (** of a [Ready] state: one thread, or none; a collection, as a queue is.
          A thread that comes moves the thread that stands there to the back of
          the queue of this state ([state_id]) of the same core *)
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

   Pure and total. Reading what another core may be changing is an observation:
   each [Cload], [Count], [Runnable] of a core whose lock is not held, and each
   look at [Idle_cores] or [Active_cores], is a step of its own, left to right. *)
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
  | Self  (** the core on which the handler runs *)
  | Target  (** the thread or core of the event *)
  | Waker
      (** of [New] and [Unblock]: the thread that woke or made the target, or
          none; it is compared, and its attributes are read, each of which is an
          observation *)
  | Read of expression option * attribute  (** [None]: a global *)
  | Cload of expression
  | Runnable of expression  (** count(c): threads of c that run or are ready *)
  | Count of expression * state  (** count(c.q) *)
  | Threads_in of expression * state  (** c.q, as a collection or a slot *)
  | All_cores
  | Idle_cores
  | Active_cores
  | Filtered
      (** the cores (or groups) that the filter of [steal] let through *)
  | Cores_of of expression  (** of a group or a domain *)
  | Groups_of of expression  (** of a domain *)
  | Domains_of of expression  (** of a core, smallest first *)
  | Those of { each : local; among : expression; holds : expression }
      (** the members [each] of a set of cores for which [holds] is true.
          [holds] asks only for values that stand still while a handler is at
          work, and neither draws nor sets. Transformations make this
          expression; the language has no syntax for it *)
  | First of expression * key list  (** none if there is none *)
  | Any of expression  (** a member, drawn evenly; none if there is none *)
  | Empty of expression
  | Valid of expression
  | In of expression * expression
  | Not of expression
  | Minus of expression
  | Operation of operator * expression * expression
  | If_else of expression * expression * expression
  | Call of func * expression list

(* A parameter or a variable of the function or handler it stands in. *)
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
  | Do of expression  (** a call, for what it does *)

and block = statement list

(* Never recursive. [effects] is what calls of it may do, callees included. *)
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
  observes : bool;  (** reads another core without its lock *)
  updates : bool;  (** sets attributes, or moves threads *)
}

(* {1 Stealing} *)

type filter = {
  filter_source : local;
  filter_destination : local;
  admits : expression;
}

(* What the three phases do for one destination. The running thread is never
   offered. Within [take] the observables of the destination count the threads
   that were already taken for it. *)
type steal_core = {
  can_steal_core : filter;
  select_core : expression;  (** over [Filtered] *)
  source : local;
  destination : local;
  candidate : local;
  take : block;  (** takes [candidate] on the paths on which it moves it *)
  enough : expression option;  (** until, after each thread *)
  repeated : bool;  (** do .. : over all that the filter let through *)
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
  | Attach  (** a thread comes from elsewhere: the interface's *)
  | Withdraw  (** a thread is taken away: `detach` of the interface *)

type handler = {
  event : event;
  is_synchronized : bool;  (** one core at a time, for the whole machine *)
  handler_body : block;
  handler_place : place;
}

(* {1 What is promised less of, by choice} *)

type relaxation =
  | Within of { rounds : int; at : place }
      (** conserve within k idle rounds: a violation counts only if it lasts *)
  | Exempt of {
      event : event;
      condition : expression;  (** of the event's target *)
      reason : string;
      at : place;
    }
  | Exempt_waiting of { condition : expression; reason : string; at : place }
      (** [exempt waiting]: of a thread that becomes ready, which may wait for
          ever *)

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
