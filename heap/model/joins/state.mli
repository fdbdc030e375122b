(** States of the model: a few objects, a tree of tasks, a few domains, and the
    operation that each domain is in the middle of. A state is immutable and
    contains no functions, so that it can be marshalled and compared. *)

type value = int
(** {!Access.nil}, {!Access.dead}, or an object: its place in [objects], from 1.
*)

type heap = int
(** The number of the task that owns the heap, or {!Access.frozen}. *)

type obj = {
  heap : heap;
  young : bool;
  pin : int;
      (** 0, the depth of the join that ends the pin, or {!Access.expired} *)
  apart : int;  (** the depth of the chunk's bulk pin, or 0 *)
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
  | Fork of reg * int  (** a closure, and the task to run the closure *)
  | Fork_apart of reg * int
      (** a fork that bulk-pins the heap without a walk *)
  | Join_of of int
      (** joins the given task, in any order, whichever task forked it *)
  | Set_cell of reg
  | Get_cell of reg
  | Join
      (** joins the newest fork; the result, or the closure, goes to register 0
      *)
  | Join_oldest
  | Suspend
  | Set_dls of reg
  | Get_dls of reg
  | Get_static of reg

(** {1 Tasks} *)

type stage =
  | Unborn
  | Chosen  (** a fork of the task is under way *)
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
  start : int;  (** the level of the fork that made the task *)
  depth : int;
  regs : value array;
  frames : frame list;  (** open forks, newest first *)
  record : value;
      (** the value in the join record: the closure, then the result *)
  late : int;  (** the task whose record is still to be read, or -1 *)
  script : op list;
  fuel : int;  (** the number of further steps of free choice *)
  cell : value;
      (** a root of the task alone; a store into the cell publishes nothing *)
  log : (value * int) list;
      (** pinned objects, each with the depth of its pin *)
  lowered : value list;
      (** lowered set-apart objects; the log does not have them *)
  closed : int list;  (** levels of forks that were joined before newer forks *)
  put_off : bool;  (** a join has put expiry off *)
  touched : bool;  (** another domain has lowered a pin in the heap *)
  disordered : bool;  (** no pin expires any more *)
  remembered : (value * int) list;  (** remembered fields *)
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
  | Holes of value list  (** the objects to pin again in place *)
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
  | Note of int
      (** notes the pins lowered by other domains, before the result of that
          task is read *)
  | Bring_back of int
      (** brings back the bulk-pinned chunks, before any pin expires *)
  | Append of { child : int; lowered : value list }
      (** adds to the list of lowered objects of the joined heap:
          {!Fault.Lowered_merged_unlocked} *)

type write =
  | Field of value * int * value
  | Pin of value * int
  | Touch of value  (** another domain has lowered the pin of the object *)
  | Untouch of heap
  | Storing of bool
  | Unlock

type domain = {
  task : int;  (** the running task, or -1 *)
  dls : value;
  storing : bool;
  buffer : write list;
      (** stores not visible to other domains yet, oldest first *)
  activity : activity;
}

type t = {
  static : value;  (** a static variable (a module's) *)
  objects : obj array;
  tasks : task array;
      (** the tasks, then one task for each domain's own leaf *)
  domains : domain array;
  lowering : int;  (** the lowering domain, or -1 *)
  puts_off : bool;  (** a join may put expiry off, as while a cycle marks *)
  deepest : int;  (** the largest depth of a pin for a fork *)
  broken : string;  (** an error met by a step, or [""] *)
}

(** {1 Pointers} *)

(** The location of a pointer. *)
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
