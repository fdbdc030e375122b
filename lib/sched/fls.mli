(** Fiber-local storage: values that a fiber carries wherever it runs, for
    example the request for which the fiber works. Programs use [Dromos.Fls].

    Unlike [Domain.DLS], fiber-local storage is stable over waits, migration and
    preemption. New code starts with the storage of its maker at the time it is
    made: tasks ([async], [Scope], [Dag] vertices, fibers of [Sched] and their
    kin), branches of forks and bodies of parallel loops, the function given to
    [Dromos.blocking], and the first fiber of a run started by the function.
    Storage is immutable, so a task does not see values that its maker binds
    later.

    {[
      # let request : string Dromos.Fls.key = Dromos.Fls.new_key ()
        let who () = Option.value (Dromos.Fls.find_opt request) ~default:"none"
      val request : string Dromos_sched.Fls.key = <abstr>
      val who : unit -> string = <fun>
      # Dromos.run @@ fun () ->
        Dromos.Fls.let_ request "alice" @@ fun () ->
        let task = Dromos.async who in
        Dromos.Fls.let_ request "bob" @@ fun () ->
        (Dromos.await task, Dromos.Par.List.map (fun () -> who ()) [ (); () ])
      - : string * string list = ("alice", ["bob"; "bob"])
    ]}

    {b Outside fibers} a thread has no storage, and {!find_opt} returns [None].
    A function in [Dromos.blocking] starts with its caller's storage, and the
    function's changes are dropped when it returns. {!val-within} gives storage
    to any other thread. Lwt's thread has storage for each chain of callbacks,
    see [Dromos_lwt].

    Cost: a look-up is logarithmic in the number of keys of the fiber; {!let_}
    and {!set} are one insertion. No function waits. Forks and tasks cost the
    same with any number of keys.

    Source: Manticore, section 2.3; keys are those of hmap. *)

type storage = Hmap.t
type 'a key = 'a Hmap.key

val empty : storage

val new_key : unit -> 'a key
(** A new key. A program makes a key for each purpose, once, at the top of a
    module. From anywhere. *)

val find_opt : 'a key -> 'a option
(** The caller's value of the key; [None] without a value. From anywhere. *)

val let_ : 'a key -> 'a -> (unit -> 'b) -> 'b
(** [let_ key v f] is [f ()] with [key] bound to [v] during the call, for [f]
    and for all tasks made in [f]. Branches that were forked before the call do
    not see the binding, even if they begin during the call. From anywhere. *)

val set : 'a key -> 'a -> unit
(** Binds the key from now on, until the end of the fiber or of the {!let_}
    around the caller. Raises {!Dromos_fiber.Misplaced} on a thread without
    storage, and in Lwt code, where only {!let_} can bind.

    In a branch of a fork, or in the body of a parallel loop, use {!let_}. The
    fiber that forked may run such code itself, and would then keep the value
    after the fork. *)

val remove : 'a key -> unit
(** Removes the key's value, with the rules of {!set}. *)

(** {1 Storage as a value} *)

val current : unit -> storage
(** All values of the caller. From anywhere. *)

val within : storage -> (unit -> 'a) -> 'a
(** [within storage f] is [f ()] with the given storage in place of the
    caller's: carries values to a thread, a domain or a callback. From anywhere.
*)

val add : 'a key -> 'a -> storage -> storage

(** {1 For schedulers} *)

val find_opt_in : Dromos_fiber.Types.handle -> 'a key -> 'a option
(** The value of a fiber whose handle the scheduler holds. *)

val set_in : Dromos_fiber.Types.handle -> 'a key -> 'a -> unit
(** Sets a value of the fiber. Call [set_in] in the scheduler that holds the
    handle. *)

(** {1 For bridges} *)

type outside = Dromos_fiber.Types.outside = {
  read : unit -> storage;
  write : (storage -> unit) option;  (** [None]: {!set} is refused *)
  within : 'a. storage -> (unit -> 'a) -> 'a;
}
(** Storage for code outside fibers. *)

val provide : outside -> unit -> unit
(** [provide outside] makes the calling thread use [outside] wherever it runs
    outside fibers. The result is a function that ends the use; call the
    function on the same thread. *)
