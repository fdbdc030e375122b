open Types

external stack : unit -> int = "dromos_carried_stack" [@@noalloc]

let own_stack fiber = fiber.base <- stack ()
let under_handler fiber = stack () <> fiber.base
let asks_by fiber ask = fiber.asks <- ask
let[@inline] is_branch fiber = fiber.asks != Nobody.no_fork

(* {1 Messages} *)

(* [true] while [describe] calls [Printexc.to_string]: the printer below then
   leaves the exception to the standard library. *)
let asking = Domain.DLS.new_key (fun () -> false)

let describe e =
  Domain.DLS.set asking true;
  let text = Printexc.to_string e in
  Domain.DLS.set asking false;
  text

let hint =
  "the effect has no handler where it was performed; in a run of Dromos a \
   handler around async, Scope.fork, Dag.run, blocking or Dromos.run itself is \
   not in force in what they start: install it inside the task's function"

let () =
  Printexc.register_printer (function
    | Effect.Unhandled eff as e when not (Domain.DLS.get asking) ->
        let advice = Option.value (Foreign.advice eff) ~default:hint in
        Some (Printf.sprintf "%s: %s" (describe e) advice)
    | _ -> None)

let told = Atomic.make false

let tell eff =
  if Debug_mode.on && not (Atomic.exchange told true) then
    Dromos_service.Message.tell Warning Advice
      (Printf.sprintf
         "dromos: %s performed in a branch that another worker runs waits \
          until the branches to its left are over, for the handler around the \
          fork; a handler inside the branch does not wait\n"
         (describe (Effect.Unhandled eff)))

(* {1 Asking} *)

(* A branch that was cancelled has gone on without the answer. *)
let block fiber eff resume =
  let { node; shield; _ } = fiber in
  let perform () =
    if shield > 0 || not (Dromos_sync.Author.Once.is_closed node) then
      ignore
        (resume
           (match Effect.perform eff with
           | v -> Ok v
           | exception (Effect.Unhandled _ as e) ->
               Error (Foreign.refused eff e, Printexc.get_raw_backtrace ())
           | exception e -> Error (e, Printexc.get_raw_backtrace ()))
          : bool)
  in
  tell eff;
  Waiting.reason fiber "the handler of an effect, around the fork";
  fiber.asks perform;
  None
