(** Makes a policy that all back ends accept from a syntax tree, or the list of
    all faults.

    Elaboration checks names and types, refuses a division by the constant 0 and
    a function that calls itself, and checks which states exist, what each
    handler may look at ({!Phases}) and where each handler leaves its thread
    ({!Moves}). An accepted policy can still be wrong about work conservation,
    but about nothing else that doc/policy/reference.md calls checked.

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

    All functions except {!file} are pure. Their time is linear in the text,
    except for the paths of handlers, which are followed up to a bound. The
    tests cover the message of each check (policy/test/front/errors.expected).
*)

open Dromos_policy_core
open Dromos_policy_syntax

type checked = { policy : Core.policy; warnings : Fault.t list }

val most : int
(** The most faults reported for one policy: 20. *)

val policy : Ast.t -> (checked, Fault.t list) result
(** An error has at least one fault; faults are sorted by place. Raises nothing.
*)

val file : string -> (checked, string * Fault.t list) result
(** Reads the file through [Parse.file]. An error has the source text too, [""]
    if the file could not be read. *)
