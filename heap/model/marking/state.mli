(** States of the concurrent collection: objects and whether a cycle has met
    them, leaves of domains and of tasks, what each domain knows of the cycle,
    and what it has greyed.

    Immutable, without functions, so that a state can be marshalled and
    compared. *)

type value = int
(** [nil], [dead], or an object: its place in [objects], from 1. *)

val nil : value

val dead : value
(** What is left of a pointer to what was freed. *)

type kind =
  | Static  (** a module's variable *)
  | Frozen
  | Private of int  (** of that leaf *)
  | Lent of int  (** of that leaf, pinned until a join *)
  | Shared of int  (** of that leaf, pinned for good *)

type spot = {
  chunk : int;
  young : bool;  (** allocated in since the last collection *)
  holed : bool;  (** only what is pinned is left: the rest is used again *)
  filled : bool;  (** by a collection *)
  mixed : bool;  (** what is not pinned lives between what is *)
  large : bool;  (** the object has the chunk for itself *)
}

type obj = {
  kind : kind;
  apart : bool;  (** its chunk is pinned as a whole, until a join *)
  expired : bool;  (** private again, and stays in its place *)
  spot : spot option;  (** where chunks matter; all in one agree *)
  met : bool;  (** by the present cycle, or the last one *)
  judged : bool;  (** then it is dead if it has not been met *)
  weak : bool;  (** field 1 is its data, others are weak pointers, its keys *)
  listed : bool;  (** its heap knows of it, dead or not *)
  changed : bool;  (** or new, since the last collection: a weak one *)
  cont : bool;  (** a continuation; field 0 is its stack *)
  walked : bool;  (** what its stack leads to has been met *)
  fields : value array;
  name : int;  (** of what stays in the state as garbage; or 0 *)
  doomed : bool;  (** garbage since before the cycle *)
}

(** {1 Programs} *)

type reg = int

type op =
  | Alloc of reg
  | Alloc_weak of reg
  | Alloc_large of reg  (** in a chunk of its own *)
  | Load of reg * reg * int  (** [Load (r, a, f)]: r := a.f *)
  | Store of reg * int * reg  (** [Store (a, f, b)]: a.f := b *)
  | Exchange of reg * reg * int * reg
      (** [Exchange (r, a, f, b)]: r := a.f, a.f := b, at once *)
  | Erase of reg * int
  | Clear of reg
  | Expires of reg  (** it was lent before *)
  | Fork of reg * int  (** a closure, and the task that is to run it *)
  | Fork_apart of reg * int  (** all of the leaf is lent, dead or not *)
  | Join
  | Suspend
  | Set_dls of reg
  | Get_dls of reg
  | Set_root of reg  (** of C *)
  | Get_root of reg
  | Capture of reg * reg  (** a continuation; what its stack has *)
  | Resume of reg * reg  (** what it had; a continuation *)
  | Finalise of reg
  | Finalise_last of reg  (** is called when it has gone *)
  | Finaliser of reg  (** is called with its value *)
  | Spawn of reg * int  (** what a new domain begins with, and which it is *)
  | End  (** of the domain *)

(** {1 Leaves} *)

type stage = Unborn | Offered | Running | Suspended | Finished | Gone

type leaf = {
  stage : stage;
  regs : value array;
  record : value;  (** the closure that is offered; the result *)
  told : value;  (** what has a finaliser *)
  last : value;  (** what has one that is called without it *)
  remembered : (value * int) list;
      (** fields of old objects that point to young ones *)
  todo : value list;  (** what was found dead, and is to be finalised *)
  forked : int;  (** the task that is to be joined, or -1 *)
  scanned : bool;  (** in this cycle *)
  swept : bool;  (** for the last one *)
  tended : bool;  (** in this stage *)
  judged : bool;  (** what is allocated may lie in a chunk that was *)
  area : int;  (** the chunk where it allocates, or 0 *)
  script : op list;
  fuel : int;  (** further steps, of its own choice *)
}

(** {1 Domains} *)

type write = { target : value; field : int; v : value }

type read = { reg : reg; from : value; slot : int }
(** Of a field of a weak object. *)

type look = {
  whose : value;
  slot : int;  (** which key is looked at; or -1: all have been *)
  key : value;  (** that is dead, or nil *)
  data : value;
  lost : bool;  (** the data goes too *)
}

type activity =
  | Ready
  | Writes of write  (** it has greyed what it has to before *)
  | Exchanges of reg * write
  | Replaced of write  (** it has this out of a field, and is to grey it *)
  | Sweeps of value list  (** of what was judged; no pointers *)
  | Reads of read * bool  (** whether it has been decided what is dead *)
  | Resumes of reg * value
  | Revives of read * value  (** it has read that *)
  | Clears of { left : value list; found : look option; for_ : read option }
      (** of what leaf, which weak objects; or before one's data is read *)

type domain = {
  alive : bool;
  runs : int;  (** a leaf *)
  dls : value;
  answered : bool;  (** to the present stage *)
  greeted : bool;  (** the present cycle, or the last one *)
  watching : bool;
  scanned : bool;
  greys : value list;
  buffer : write list;  (** stores that others do not see yet, oldest first *)
  activity : activity;
}

(** {1 The collector} *)

type phase =
  | Idle
  | Rest
  | Greet
  | Again
  | Scan
  | Common of int  (** offers and heaps that nobody runs, before this one *)
  | Trace
  | Flush
  | Final  (** finalisers of what was not met are taken *)
  | Final_frozen  (** all have, but those of ended domains *)
  | Clear  (** weak pointers to the rest are cleared *)
  | Clear_frozen
  | End

type t = {
  objects : obj array;
  statics : int;  (** so many of the objects, the first ones, are variables *)
  leaves : leaf array;  (** of tasks, then the domains' own *)
  domains : domain array;
  root : value;  (** of C *)
  told : value;  (** what ended domains' finalisers have *)
  last : value;
  tells : bool;  (** there has been a weak pointer, or a finaliser *)
  phase : phase;
  cycle : int;
  finished : bool;  (** the last one may be swept for *)
  pool : (value * int) list;  (** to be traced, from that field on *)
  inbox : value list;  (** given by domains *)
  brought : bool;  (** in this round *)
  finalised : bool;  (** finalisers have been taken in this cycle *)
  revived : value list;  (** by them, and still to be traced *)
  ephemerons : value list;  (** met, whose data is still to be traced *)
  looked : value list;  (** of these, those whose keys were not met *)
  again : bool;  (** something has been traced since looking at the first *)
  decided : bool;  (** what has not been met is dead *)
  walking : value;  (** whose stack is walked by who traces *)
  stranded : bool;  (** a continuation that was set apart is known to all *)
  broken : string;  (** what a step should never have met *)
}

(** {1 Looking and changing} *)

val own : t -> int -> int
(** A domain's own leaf. *)

val tasks : t -> int
(** How many leaves are of tasks. *)

val leaf : t -> int -> int
(** Where a domain allocates. *)

val obj : t -> value -> obj

val leaf_of : obj -> int
(** Or -1. *)

val is_lent : obj -> bool
(** By itself, or because it is set apart. *)

val shared : obj -> bool
(** For good: or frozen. *)

val pinned : obj -> bool
(** Or lent. *)

val data_slot : int

val keys : obj -> int list
(** The other fields of a weak one. *)

val data_of : obj -> value
(** Of a weak one; or nil. *)

val undecided : t -> value -> bool
(** It is shared by itself, so what has it alone by weak pointers need not live.
*)

val unmet : t -> value -> bool
(** So far, and undecided. *)

val with_obj : t -> value -> obj -> t
val with_leaf : t -> int -> leaf -> t
val with_reg : t -> int -> reg -> value -> t
val with_domain : t -> int -> domain -> t

val numbered : (obj -> bool) -> t -> value list
(** Those of which that is true. *)

val each_obj : (obj -> obj) -> t -> t
val become : t -> int -> activity -> t

val marking : t -> bool
(** From the first greeting to the end. *)

val watches : t -> int -> bool
(** A domain has barriers. *)

val alive : t -> int list
val alone : t -> bool

(** {1 All pointers} *)

type place =
  | In of value * int
  | Static_at
  | Reg of int
  | Record of int
  | Dls of int
  | Root
  | Told of int  (** a leaf, or -1; a weak pointer *)
  | Last of int  (** so is this *)
  | Remembered of int  (** whose field *)
  | Busy of int
  | Pool

val map : (place -> value -> value) -> t -> t
val iter : (place -> value -> unit) -> t -> unit

val free : obj -> obj
(** Its place is left empty. *)
