(** The thieves of load balancing, and the list where they wait to be let in.
    Internal: see {!Load_balancing} for their purpose.

    A {e home} is a vproc. A home without work {e starves}, and has one thief
    out. The states of the thief:

    {v
    at home --starves--> waiting --let_in--> visiting --visit ends--> at home
    v}

    A visiting thief takes work from the vproc that has let it in, and delivers
    the work to its home. If the home starves when its thief is back, a new
    thief waits.

    {b Roles.} The home calls {!starves} and {!eats}. A thief that has been let
    in calls {!visit}. Any thread calls {!let_in} and {!clear}. Lock-free, O(1);
    no function waits.

    {b Memory ordering}: actions before a thief waits happen before the actions
    after its [let_in].

    Model-checked (test/sched/model): a home that starves has its one thief out,
    whatever work arrives from elsewhere meanwhile; a home that does not starve
    gets no delivery, except from a thief that has begun to take; no thief is
    lost or let in twice. Tested: random programs against a model, on one domain
    and on two, and homes on several domains that are fed in turn
    (test/sched/stm). *)

type 'thief t
(** The waiting thieves. *)

type home

val create : unit -> 'thief t
val home : unit -> home

val starves : 'thief t -> home -> (unit -> 'thief) -> unit
(** The home has no work: makes a thief and lets the thief wait, unless the last
    thief is still out. *)

val eats : home -> unit
(** The home has work. From now on its thief takes no work. *)

val let_in : 'thief t -> 'thief option
(** Takes the thief that came last. The caller must make the thief call
    {!visit}, or the scheduler must end. *)

val visit :
  'thief t ->
  home ->
  take:(unit -> 'loot option) ->
  deliver:('loot -> unit) ->
  (unit -> 'thief) ->
  unit
(** Called by the thief: calls [take] if the home still starves, and [deliver]
    if [take] has found work. Then the thief is back, and makes the next thief
    if the home starves. *)

val clear : 'thief t -> 'thief list
(** Takes all waiting thieves. *)
