(** Fiber-local storage: what a fiber carries with it wherever it runs, such as
    the request it works for. Programs call it [Dromos.Fls].

    Unlike [Domain.DLS] it is stable over waits, migration and preemption. What
    is made begins with what its maker has at that moment: tasks ([async],
    [Scope], [Dag] vertices, fibers of [Sched] and their kin), branches of forks
    and bodies of parallel loops, the function given to [Dromos.blocking], the
    first fiber of a run that such a function starts. Storage is immutable, so
    what is bound later is not seen by what was made before.

    {[
      # let request : string Dromos.Fls.key = Dromos.Fls.new_key ()
        let who () = Option.value (Dromos.Fls.find request) ~default:"nobody"
      val request : string Dromos_sched.Fls.key = <abstr>
      val who : unit -> string = <fun>
      # Dromos.run @@ fun () ->
        Dromos.Fls.let_ request "alice" @@ fun () ->
        let task = Dromos.async who in
        Dromos.Fls.let_ request "bob" @@ fun () ->
        (Dromos.await task, Dromos.Par.List.map (fun () -> who ()) [ (); () ])
      - : string * string list = ("alice", ["bob"; "bob"])
    ]}

    {b Outside fibers} a thread has no storage: {!find} answers [None] there. A
    function in [Dromos.blocking] has a storage of its own, which begins as its
    caller's and is dropped when it returns; {!val-within} makes one for any
    other thread. Lwt's thread has one for each chain of callbacks, see
    [Dromos_lwt].

    Cost: a look-up is logarithmic in the number of keys of the fiber; {!let_}
    and {!set} are one insertion. Nothing waits. Forks and tasks cost the same
    whatever is bound.

    Source: Manticore, section 2.3; keys are those of hmap. *)

type storage = Hmap.t
type 'a key = 'a Hmap.key

val empty : storage

val new_key : unit -> 'a key
(** Of one purpose; a program makes it once, at the top of a module. From
    anywhere. *)

val find : 'a key -> 'a option
(** The caller's; [None] if it has none. From anywhere. *)

val let_ : 'a key -> 'a -> (unit -> 'b) -> 'b
(** [let_ key v f] is [f ()] with [key] bound to [v] meanwhile, for [f] and for
    all that is made in it. Branches that were forked before it do not see it,
    even if they begin meanwhile. From anywhere. *)

val set : 'a key -> 'a -> unit
(** From now on, to the end of the fiber or of the {!let_} around the caller.
    Raises {!Dromos_fiber.Misplaced} on a thread without storage, and in Lwt
    code, where only {!let_} can bind.

    In a branch of a fork or the body of a parallel loop use {!let_}: such code
    may or may not be run by the fiber that forked, which then has the value
    after the fork too. *)

val remove : 'a key -> unit
(** As {!set}. *)

(** {1 Storage as a value} *)

val current : unit -> storage
(** All that the caller has. From anywhere. *)

val within : storage -> (unit -> 'a) -> 'a
(** [within storage f] is [f ()] with that storage in place of the caller's:
    takes one's bindings to a thread, a domain or a callback. From anywhere. *)

val add : 'a key -> 'a -> storage -> storage

(** {1 For schedulers} *)

val find_in : Fiber.ready -> 'a key -> 'a option
(** That of a fiber in a scheduler's hands. *)

val set_in : Fiber.ready -> 'a key -> 'a -> unit
(** By the scheduler that holds it. *)

(** {1 For bridges} *)

type outside = Fiber.outside = {
  read : unit -> storage;
  write : (storage -> unit) option;  (** [None]: {!set} is refused *)
  within : 'a. storage -> (unit -> 'a) -> 'a;
}
(** What has storage where there is no fiber. *)

val provide : outside -> unit -> unit
(** [provide outside] has the calling thread use that from now on outside
    fibers, until the function that it returns is called, on the same thread. *)
