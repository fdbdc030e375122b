(** Questions that every back end asks about a policy. *)

open Core

val load : policy -> attribute option
(** The thread attribute [load]; without it every thread's load is 1. *)

val affinity : policy -> func option
(** [bool can_run(thread t, core c)]: on which cores a thread may run. A thread
    may run on all cores of a policy without the function. Elaboration refuses a
    function that asks for more than attributes of the system. *)

val reactions : policy -> handler list
(** The handlers that machines and hubs run: those of the policy, and the
    functions of the interface as handlers of [Attach] and [Withdraw]. A
    [detach] that only the handlers have, or only the interface, serves both
    events. *)

val handler : policy -> event -> handler option

val runnable : state -> bool
(** Threads in a [Running] or [Ready] state count in [count(c)] and [cload]. *)

val displaced_to : state -> int option
(** The number of the state to which a [Ready] state of one thread moves its
    thread when another thread comes; None of other states. *)

val running : policy -> state
(** The one state of class [Running]. *)

val ready : policy -> state list
(** The queues, in the order of declaration, in which [steal_thread] is offered
    the threads. *)

val entered : policy -> state list
(** The states to which a statement of a handler, of the interface or of
    [steal_thread] moves or displaces threads. A queue that is not in the list
    is always empty. Linear in the policy. *)

val may_wait : policy -> expression list
(** The conditions of [exempt waiting]. A ready thread of which one condition
    holds may wait for ever. *)

val rounds : policy -> int
(** The number of idle rounds of [conserve within]; 0 without the promise. *)
