(** From a syntax tree to a policy that all back ends accept, or to all that is
    wrong with it.

    Checked are names, types, that every division is by a constant and no
    function calls itself, which states there are, what each handler may look at
    ({!Phases}) and where it leaves its thread ({!Moves}). After this a policy
    can still be wrong about work conservation, and about nothing else that
    doc/policy/reference.md calls checked.

    {[
      # open Dromos_policy_syntax;;
      # open Dromos_policy_elaborate;;
      # let text = "scheduler x = { }";;
      val text : string = "scheduler x = { }"
      # match Elaborate.policy (Result.get_ok (Parse.string text)) with
        | Ok { policy; _ } -> print_endline policy.policy_name
        | Error faults ->
          List.iter (fun fault -> print_endline (Fault.to_string fault)) faults;;
      policy:1:11: no state is for the thread that runs
        declare one in `core`: `threads = { RUNNING thread current; ... }`
      policy:1:11: no state is for threads that wait to run
        declare one in `core`: `threads = { READY set<thread> ready; ... }`
      policy:1:11: nothing handles `new`, `unblock`, `block`, `terminate`, `schedule`
        add `On ... { ... }` to `handler (thread_event e)`
      - : unit = ()
    ]}

    Pure, but for {!file}; linear in the text but for the paths of handlers,
    which are followed up to a bound. Each check is tested by what it says
    (policy/test/front/errors.expected). *)

open Dromos_policy_core
open Dromos_policy_syntax

type checked = { policy : Core.policy; warnings : Fault.t list }

val most : int
(** Faults reported for one policy: 20. *)

val policy : Ast.t -> (checked, Fault.t list) result
(** The faults by place, never none. Raises nothing. *)

val file : string -> (checked, string * Fault.t list) result
(** From a file, through [Parse.file]; with the source, [""] if it could not be
    read. *)
