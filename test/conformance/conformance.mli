(** The contract of {!Dromos_suspend} as a suite of tests for any scheduler.

    The suite knows only the effect: the waits of its tasks are made from
    {!Dromos_suspend.suspend} alone. *)

type scheduler = {
  name : string;
  run : (unit -> unit) -> unit;
      (** Calls the function as a task. When the task is over, returns, or
          raises the task's exception. The tasks that the task forks are over by
          then, or end without further help. *)
  fork : (unit -> unit) -> unit -> unit;
      (** Called in a task: makes a second task, and returns a function to
          cancel it. The second task may let out the exception of its
          cancellation, and no further exception. *)
  cancels : bool;
      (** [false]: the scheduler has no cancellation, {!fork} returns [ignore],
          and the suite skips the tests of cancellation. *)
}

val cases : scheduler -> unit Alcotest.test_case list
(** Run the cases under {!Watch.suite}: a lost wake-up hangs a test. *)

val failures : scheduler -> (string * string) list
(** Runs the tests at once; returns the failed tests, with the reasons. Without
    a watchdog, a lost wake-up hangs. *)
