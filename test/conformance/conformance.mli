(** The contract of {!Dromos_suspend} as a suite of tests that any scheduler can
    be given to.

    It knows nothing but the effect: what its tasks wait with is made from
    {!Dromos_suspend.suspend} alone. *)

type scheduler = {
  name : string;
  run : (unit -> unit) -> unit;
      (** Calls the function as a task; returns, or raises its exception, when
          it is over. The other tasks that it forks are over by then, or end
          without further help. *)
  fork : (unit -> unit) -> unit -> unit;
      (** Called in a task: makes another one, and returns what cancels it. The
          task may let out the exception that cancels it; no other. *)
  cancels : bool;
      (** [false]: the scheduler has no cancellation, {!fork} returns [ignore],
          and what the contract says of it is not tested. *)
}

val cases : scheduler -> unit Alcotest.test_case list
(** For a suite under {!Watch.suite}: a lost wake-up is a test that hangs. *)

val failures : scheduler -> (string * string) list
(** The same tests, run here and now: those that fail, and why. Without a watch
    over it, a lost wake-up hangs. *)
