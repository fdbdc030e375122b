(** States of the concurrent collection: the objects and their marks, the leaves
    of domains and of tasks, each domain's view of the cycle, and the grey
    stacks. A state is immutable and contains no functions, so that it can be
    marshalled and compared. *)

type value = int
(** {!Access.nil}, {!Access.dead}, or an object: its place in [objects], from 1.
*)

type kind =
  | Static  (** a module's variable *)
  | Frozen
  | Private of int  (** private to the given leaf *)
  | Lent of int  (** in the given leaf, pinned until a join *)
  | Shared of int  (** in the given leaf, pinned for good *)

type spot = {
  chunk : int;
  young : bool;
      (** the leaf has allocated in the chunk since the last collection *)
  holed : bool;
      (** only pinned objects are left: the leaf may allocate in the holes *)
  filled : bool;  (** a collection has filled the chunk *)
  mixed : bool;  (** unpinned objects live between pinned objects *)
  large : bool;  (** the object has a chunk of its own *)
}

type obj = {
  kind : kind;
  apart : bool;  (** the chunk is bulk-pinned, until a join *)
  expired : bool;  (** private again; the object stays in place *)
  spot : spot option;
      (** in programs where chunks matter; equal for all objects of a chunk *)
  met : bool;  (** marked by the present cycle, or by the last one *)
  judged : bool;  (** dead after the cycle, unless marked *)
  weak : bool;
      (** a weak object: field 1 is the data; the remaining fields are the keys,
          weak pointers *)
  listed : bool;  (** in the heap's list of weak objects, dead or not *)
  changed : bool;
      (** a weak object that is new, or was changed since the last collection *)
  cont : bool;  (** a continuation; field 0 is the stack *)
  walked : bool;  (** the values of the stack have been marked *)
  fields : value array;
  name : int;
      (** the name of an object that stays in the state as garbage, or 0 *)
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
      (** [Exchange (r, a, f, b)]: r := a.f, a.f := b, in one step *)
  | Erase of reg * int
  | Clear of reg
  | Expires of reg  (** makes the private object one with an expired pin *)
  | Fork of reg * int  (** a closure, and the task to run the closure *)
  | Fork_apart of reg * int  (** lends the whole leaf, dead objects included *)
  | Join
  | Suspend
  | Set_dls of reg
  | Get_dls of reg
  | Set_root of reg  (** a root of C *)
  | Get_root of reg
  | Capture of reg * reg
      (** [Capture (k, v)]: k := a continuation with v on the stack *)
  | Resume of reg * reg
      (** [Resume (r, k)]: r := the value on the stack of k *)
  | Finalise of reg
  | Finalise_last of reg
      (** attaches a finaliser that runs after the object is gone *)
  | Finaliser of reg  (** calls the finaliser with the value *)
  | Spawn of reg * int
      (** the first value of a new domain, and the number of the domain *)
  | End  (** the domain ends *)

(** {1 Leaves} *)

type stage = Unborn | Offered | Running | Suspended | Finished | Gone

type leaf = {
  stage : stage;
  regs : value array;
  record : value;  (** the offered closure, then the result *)
  told : value;  (** an object with a finaliser *)
  last : value;  (** an object with a finaliser that does not get the value *)
  remembered : (value * int) list;
      (** fields of old objects with pointers to young objects *)
  todo : value list;  (** dead objects waiting for their finalisers *)
  forked : int;  (** the task forked here and still to be joined, or -1 *)
  scanned : bool;  (** scanned in this cycle *)
  swept : bool;  (** swept after the last cycle *)
  tended : bool;  (** finalisers or weak pointers handled in this stage *)
  judged : bool;  (** a new object may lie in a judged chunk *)
  area : int;  (** the chunk in which the leaf allocates, or 0 *)
  script : op list;
  fuel : int;  (** the number of further steps of free choice *)
}

(** {1 Domains} *)

type write = { target : value; field : int; v : value }

type read = { reg : reg; from : value; slot : int }
(** A read of a field of a weak object. *)

type look = {
  whose : value;
  slot : int;  (** the key now examined, or -1 after the last key *)
  key : value;  (** a dead key, or nil *)
  data : value;
  lost : bool;  (** the data is to be cleared too *)
}

type activity =
  | Ready
  | Writes of write  (** a store whose barrier has run *)
  | Exchanges of reg * write
  | Replaced of write  (** an exchange done, with the barrier still to run *)
  | Sweeps of value list
      (** a sweep of these judged objects; the list counts as no pointer *)
  | Reads of read * bool
      (** a read; the flag says whether the cycle has decided which objects are
          dead *)
  | Resumes of reg * value
  | Revives of read * value  (** a read, with the value found *)
  | Clears of { left : value list; found : look option; for_ : read option }
      (** clears the weak objects in [left]; with [for_], clears one object
          before its data is read *)

type domain = {
  alive : bool;
  runs : int;  (** the leaf in which the domain runs *)
  dls : value;
  answered : bool;  (** has answered the present stage *)
  greeted : bool;
      (** has answered the first handshake of the present cycle, or of the last
          one *)
  watching : bool;
  scanned : bool;
  greys : value list;
  buffer : write list;
      (** stores that other domains do not see yet, oldest first *)
  activity : activity;
}

(** {1 The collector} *)

(** The collector's phase. [Rest], [Greet], [Again], [Scan], [Flush], [Final],
    [Clear] and [End] last until every domain has answered. *)
type phase =
  | Idle  (** no cycle *)
  | Rest  (** domains end their sweeps for the last cycle *)
  | Greet  (** domains begin to run their barriers *)
  | Again  (** stores without a barrier become visible *)
  | Scan  (** domains scan their roots and their leaves *)
  | Common of int
      (** Offers and leaves that no domain runs are scanned; those before the
          number have been scanned. *)
  | Trace  (** grey objects are traced *)
  | Flush
      (** domains give their grey stacks; if any gave some: [Trace] again *)
  | Final  (** domains take finalisers of unmarked objects; then [Trace] *)
  | Final_frozen  (** the same for finalisers of ended domains *)
  | Clear  (** domains clear weak pointers to unmarked objects *)
  | Clear_frozen  (** the same in the frozen heap *)
  | End  (** domains drop their barriers; then [Idle] *)

type t = {
  objects : obj array;
  statics : int;  (** the number of variables: the first objects *)
  leaves : leaf array;  (** the leaves of tasks, then the domains' own leaves *)
  domains : domain array;
  root : value;  (** a root of C *)
  told : value;  (** an object with a finaliser of an ended domain *)
  last : value;
  tells : bool;  (** a weak pointer or a finaliser exists or has existed *)
  phase : phase;
  cycle : int;
  finished : bool;  (** the last cycle is over, and leaves may be swept *)
  pool : (value * int) list;
      (** objects to trace, each from the given field on *)
  inbox : value list;  (** objects given by domains *)
  brought : bool;  (** a domain has given objects in the present round *)
  finalised : bool;  (** finalisers have been taken in this cycle *)
  revived : value list;  (** objects kept by finalisers, still to be traced *)
  ephemerons : value list;
      (** marked ephemerons whose data is not traced yet *)
  looked : value list;
      (** ephemerons whose keys were unmarked at the last look *)
  again : bool;  (** an object has been traced since the round of looks began *)
  decided : bool;  (** unmarked objects are dead *)
  walking : value;  (** the continuation whose stack is being walked *)
  stranded : bool;
      (** a continuation that was set apart has become reachable by all *)
  broken : string;  (** an error met by a step, or [""] *)
}

(** {1 Pointers} *)

(** The location of a pointer. *)
type place =
  | In of value * int
  | Static_at
  | Reg of int
  | Record of int
  | Dls of int
  | Root
  | Told of int
      (** the heap: a leaf, or -1 for the frozen heap; a weak pointer *)
  | Last of int  (** likewise *)
  | Remembered of int  (** the leaf that remembers the field *)
  | Busy of int
  | Pool
