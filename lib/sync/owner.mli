(** Who holds what has an owner. For authors of structures.

    An owner is a {!Dromos_suspend.self}: of the task itself where its scheduler
    tells tasks apart, of its thread where there is none, {!nobody} where the
    caller cannot be told from its neighbours; then nothing is checked.

    {b A field of this type is a plain one.} Only the holder writes it: itself
    after it acquired, {!nobody} before it releases. Who reads its own identity
    there has thus written it itself, and not overwritten it since (a task's own
    writes are never read out of order, and schedulers order what a task does on
    one domain before what it does on the next): it is the holder. Who reads
    another one's, or {!nobody}, is not; whose name it reads may be out of date,
    and is only for people. *)

type t = int

val nobody : t
val self : unit -> t

val pp : ?name:string -> t -> string
(** ["fiber 7"], with [name], or the one that {!set_name} tells if that is not
    given, ["thread 0"], ["nobody"]. *)

val set_name : (t -> string) -> unit
(** For schedulers: the name of a task, [""] if it has none or is not known. It
    may be called from any thread. Process wide. *)

val set_hint : (unit -> string) -> unit
(** For schedulers: what {!waits_for_itself} adds for a thread, [""] or a
    clause: whether several tasks are one owner there. Process wide. *)

val is : t -> t -> bool
(** Whether they are the same, and somebody. *)

val waits_for_itself : string -> string option -> t -> 'a
(** Raises [Invalid_argument]: in this call, on the structure of this name,
    somebody would wait for what it holds itself. *)

val check : string -> string option -> holder:t -> t -> unit
(** Raises [Invalid_argument] unless the second is the holder, or one of the two
    is {!nobody}. *)

val not_held : string -> string option -> t -> 'a
(** Raises [Invalid_argument]: what was to be released is not held. *)
