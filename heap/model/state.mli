(** States of the model: a few objects, a tree of tasks, a few domains, and what
    each domain is in the middle of.

    Immutable, without functions, so that a state can be marshalled and
    compared. *)

type value = int
(** [nil], [dead], or an object: its place in [objects], from 1. *)

val nil : value

val dead : value
(** What is left of a pointer that a collection did not see, when it moved or
    freed what it points to. *)

type heap = int
(** A task's (its number), or: *)

val frozen : heap

val expired : int
(** As a pin: private again, not to be moved by young collections. *)

type obj = {
  heap : heap;
  young : bool;
  pin : int;  (** 0, the depth of the join that ends it, or {!expired} *)
  apart : int;  (** the depth at which its chunk was set apart, or 0 *)
  fields : value array;
}

(** {1 Programs} *)

type reg = int

type op =
  | Alloc of reg
  | Load of reg * reg * int  (** [Load (r, a, f)]: r := a.f *)
  | Store of reg * int * reg  (** [Store (a, f, b)]: a.f := b *)
  | Swap of reg * reg * int * reg
      (** [Swap (r, a, f, b)]: r := a.f, a.f := b *)
  | Clear of reg
  | Fork of reg * int  (** a closure, and who is to run it *)
  | Fork_apart of reg * int
      (** what was there before is pinned without looking at it *)
  | Join_of of int  (** that task, in whatever order, whoever forked it *)
  | Set_cell of reg
  | Get_cell of reg
  | Join  (** the newest fork; its result, or its closure, to register 0 *)
  | Join_oldest
  | Suspend
  | Set_dls of reg
  | Get_dls of reg
  | Get_static of reg

(** {1 Tasks} *)

type stage =
  | Unborn
  | Chosen  (** is being forked *)
  | Offered
  | Taken
  | Running
  | Suspended
  | Waking
  | Finished
  | Gone

type frame = { child : int; closure : value }

type task = {
  stage : stage;
  parent : int;
  start : int;  (** the level of the fork that made it *)
  depth : int;
  regs : value array;
  frames : frame list;  (** open forks, newest first *)
  record : value;  (** the join record's: the closure, then the result *)
  late : int;  (** the task whose record it still has to read, or -1 *)
  script : op list;
  fuel : int;  (** further steps, of its own choice *)
  cell : value;  (** its own root, into which stores publish nothing *)
  log : (value * int) list;  (** pinned, at which depth *)
  lowered : value list;  (** of what was set apart: not in the log *)
  closed : int list;  (** levels of forks joined before newer ones *)
  put_off : bool;  (** what should have expired has not yet *)
  touched : bool;  (** others have lowered pins *)
  disordered : bool;  (** nothing expires any more *)
  remembered : (value * int) list;  (** fields *)
}

(** {1 Domains} *)

type goal =
  | Write of { target : value; field : int; v : value; swap : reg option }
  | Offer of { child : int; closure : value; apart : bool }
  | Enter of int
  | Leave of stage

type phase =
  | Announce
  | Look
  | Retreat
  | Lock
  | Fence of int
  | Drain of int
  | Level
  | Walk
  | Holes of value list  (** what is pinned again in its place *)
  | Children of value
  | Act
  | Again

type part = Alone | Beside | Lowering

type section = {
  goal : goal;
  level : int;
  stack : value list;
  part : part;
  phase : phase;
}

type activity =
  | Ready
  | Section of section
  | Expire of { child : int; entries : value list; due : bool }
  | Note of int  (** what others have lowered, before that task's result *)
  | Bring_back of int  (** what was set apart, before anything expires *)
  | Append of { child : int; lowered : value list }
      (** to what was lowered in the joined heap:
          {!Fault.Lowered_merged_unlocked} *)

type write =
  | Field of value * int * value
  | Pin of value * int
  | Touch of value  (** somebody else has lowered its pin *)
  | Untouch of heap
  | Storing of bool
  | Unlock

type domain = {
  task : int;  (** or -1 *)
  dls : value;
  storing : bool;
  buffer : write list;  (** stores that others do not see yet, oldest first *)
  activity : activity;
}

type t = {
  static : value;  (** a module's variable *)
  objects : obj array;
  tasks : task array;  (** then those that run in the domains' own leaves *)
  domains : domain array;
  lowering : int;  (** the domain that lowers pins, or -1 *)
  puts_off : bool;  (** may be under way at any join: then nothing expires *)
  deepest : int;  (** deeper forks pin as deep *)
  broken : string;  (** what a step should never have met *)
}

(** {1 Looking and changing} *)

val own : t -> int -> int
(** What runs in a domain's own leaf, and that leaf. *)

val is_own : t -> int -> bool

val leaf : t -> int -> heap
(** Where a domain allocates: that of the task it runs, or its own. *)

val obj : t -> value -> obj
val private_pin : int -> bool

val with_apart : obj -> int -> int
(** What a pin of the object's own amounts to. *)

val pin_of : obj -> int
val with_obj : t -> value -> obj -> t
val with_field : t -> value -> int -> value -> t
val with_task : t -> int -> task -> t
val with_reg : t -> int -> reg -> value -> t
val with_domain : t -> int -> domain -> t

val fork_of : t -> int -> int -> int * int
(** [fork_of s t j]: the fork of level [j] that the task is under: who forked.
*)

(** {1 All pointers} *)

type place =
  | In of value * int
  | Static
  | Reg of int
  | Frame of int
  | Record of int
  | Cell of int
  | Dls of int
  | Busy of int
  | Log of int
  | Remembered of int

val map : (place -> value -> value) -> t -> t
val iter : (place -> value -> unit) -> t -> unit

val canonical : t -> t
(** Without garbage, objects numbered as they are met. *)

val key : t -> string
(** Of a canonical state. *)
