(** Questions that every back end asks about a policy. *)

open Core

val event_name : event -> string
(** The event's name in policies; [Withdraw] is a [detach]. *)

val load : policy -> attribute option
(** The thread attribute [load]. Without this attribute every load is 1. *)

val affinity : policy -> func option
(** [bool can_run(thread t, core c)]: whether the thread may run on the core.
    Without the function a thread may run on all cores. Elaboration refuses a
    function that reads more than attributes of the system. *)

val reactions : policy -> handler list
(** The handlers run by machines and hubs: the handlers of the policy, and the
    functions of the interface as handlers of [Attach] and [Withdraw]. If only
    the handlers have a [detach], or only the interface has one, this [detach]
    serves both events. *)

val handler : policy -> event -> handler option

val runnable : state -> bool
(** True for [Running] and [Ready] states, whose threads count in [count(c)] and
    [cload]. *)

val displaced_to : state -> int option
(** The number of the state to which a [Ready] state of one thread moves its
    thread when another thread comes; None for other states. *)

val running : policy -> state
(** The only state of class [Running]. *)

val ready : policy -> state list
(** The queues, in the order of declaration: [steal_thread] is offered the
    threads in this order. *)

val entered : policy -> state list
(** The states to which a statement of a handler, of the interface or of
    [steal_thread] moves or displaces threads. A queue outside of the list is
    always empty. Linear in the policy. *)

val may_wait : policy -> expression list
(** The conditions of [exempt waiting]. A ready thread that satisfies one of the
    conditions may wait for ever. *)

val rounds : policy -> int
(** The number of idle rounds of [conserve within]; 0 without such a relaxation.
*)
