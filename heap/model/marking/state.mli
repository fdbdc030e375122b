(** States of the concurrent collection: shared objects with marks, leaves of
    domains and of tasks, what each domain knows of the cycle, and what it has
    greyed.

    Immutable, without functions, so that a state can be marshalled and
    compared. *)

type value = int
(** [nil], [dead], or an object: its place in [objects], from 1. *)

val nil : value

val dead : value
(** What is left of a pointer to what was freed. *)

type kind =
  | Private of int  (** of that leaf *)
  | Lent of int  (** of that leaf, pinned until a join *)
  | Shared  (** pinned for good, or frozen *)

type obj = {
  kind : kind;
  mark : int;
  fields : value array;
  name : int;  (** of what stays in the state as garbage; or 0 *)
  doomed : bool;  (** garbage since before the cycle *)
}

(** {1 Programs} *)

type reg = int

type op =
  | Alloc of reg
  | Load of reg * reg * int  (** [Load (r, a, f)]: r := a.f *)
  | Store of reg * int * reg  (** [Store (a, f, b)]: a.f := b *)
  | Erase of reg * int
  | Clear of reg
  | Fork of reg * int  (** a closure, and the task that is to run it *)
  | Fork_apart of reg * int  (** all of the leaf is lent, dead or not *)
  | Join
  | Suspend
  | Set_dls of reg
  | Get_dls of reg
  | Spawn of reg * int  (** what a new domain begins with, and which it is *)
  | End  (** of the domain *)

(** {1 Leaves} *)

type stage = Unborn | Offered | Running | Suspended | Finished | Gone

type leaf = {
  stage : stage;
  regs : value array;
  record : value;  (** the closure that is offered; the result *)
  forked : int;  (** the task that is to be joined, or -1 *)
  scanned : bool;  (** in this cycle *)
  script : op list;
  fuel : int;  (** further steps, of its own choice *)
}

(** {1 Domains} *)

type activity =
  | Ready
  | Writes of { target : value; field : int; v : value }
      (** it has greyed what it has to before *)
  | Replaced of value  (** it has this out of a field, and is to grey it *)

type write =
  | Field of value * int * value
  | Mark of value * int
  | Share of value

type domain = {
  alive : bool;
  runs : int;  (** a leaf *)
  dls : value;
  seen : int;  (** the phase that it has answered: {!Collector.level} *)
  cycle : int;
  greys : value list;
  buffer : write list;  (** stores that others do not see yet, oldest first *)
  activity : activity;
}

(** {1 The collector} *)

type phase =
  | Idle
  | Barriers
  | Settle
  | Roots
  | Trace
  | Check of { left : int list; brought : bool }
      (** who has not given its buffer, and whether one was not empty *)
  | Sweep

type t = {
  objects : obj array;
  statics : int;  (** so many of the objects, the first ones, are variables *)
  leaves : leaf array;  (** of tasks, then the domains' own *)
  domains : domain array;
  phase : phase;
  cycle : int;
  pool : (value * int) list;  (** to be traced, from that field on *)
  broken : string;  (** what a step should never have met *)
}

(** {1 Looking and changing} *)

val set : 'a array -> int -> 'a -> 'a array

val own : t -> int -> int
(** A domain's own leaf. *)

val leaf : t -> int -> int
(** Where it allocates. *)

val obj : t -> value -> obj
val is_lent : obj -> bool
val with_obj : t -> value -> obj -> t
val with_leaf : t -> int -> leaf -> t
val with_reg : t -> int -> reg -> value -> t
val with_domain : t -> int -> domain -> t
val become : t -> int -> activity -> t

(** {1 All pointers} *)

type place =
  | In of value * int
  | Static
  | Reg of int
  | Record of int
  | Dls of int
  | Busy of int
  | Pool

val map : (place -> value -> value) -> t -> t
val iter : (place -> value -> unit) -> t -> unit

val reached : t -> (obj -> bool) -> value list -> bool array
(** From these, through objects of which the function says so. *)

val kept : (obj -> bool) -> t -> bool array
(** Reached from anywhere, or from objects of which the function says so. *)

val gone : obj -> obj
(** Its place is left empty. *)

val canonical : t -> t
(** Without garbage that has no name, objects numbered as they are met. *)

val key : t -> string
(** Of a canonical state. *)
