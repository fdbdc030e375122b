(** The thieves of load balancing, and where they lurk until they are let in.
    Internal: see {!Load_balancing} for what they are for.

    A {e home}, a vproc, that has nothing to do has one thief out: it lurks, or
    somebody has let it in. The thief visits that one, delivers to its home what
    it has taken there, or goes back to lurk if there was nothing.

    {b Roles.} {!starves} and {!eats}: the home; {!visit}: its thief, let in by
    another; {!let_in} and {!clear}: anybody. Lock-free, O(1); nothing waits.

    {b Memory ordering}: what is done before a thief lurks happens before what
    is done once it is let in.

    Model-checked (test/sched/model): a home that starves has its one thief out,
    whatever comes from elsewhere meanwhile; one that does not is not delivered
    to, but by a thief that has begun to take; no thief is lost or let in twice.
    Tested: random programs against a model, on one domain and on two, and homes
    on several that are fed in turn (test/sched/stm). *)

type 'thief t
(** Where they lurk. *)

type home

val create : unit -> 'thief t
val home : unit -> home

val starves : 'thief t -> home -> (unit -> 'thief) -> unit
(** The home has nothing to do: it makes a thief and lets it lurk, unless the
    last one is still out. *)

val eats : home -> unit
(** It has something to do: what its thief finds from now on stays there. *)

val let_in : 'thief t -> 'thief option
(** The one that came last. The caller must see to it that it does {!visit}, or
    that the scheduler ends. *)

val visit :
  'thief t ->
  home ->
  take:(unit -> 'loot option) ->
  deliver:('loot -> unit) ->
  (unit -> 'thief) ->
  unit
(** By the thief: [take]s if its home still starves, and [deliver]s; then it is
    back, and if its home starves it makes the next one. *)

val clear : 'thief t -> 'thief list
(** All that lurk. *)
