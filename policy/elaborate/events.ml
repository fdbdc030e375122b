open Dromos_policy_core

let all =
  [
    ("new", Core.New);
    ("unblock", Core.Unblock);
    ("block", Core.Block);
    ("terminate", Core.Terminate);
    ("yield", Core.Yield);
    ("tick", Core.Tick);
    ("schedule", Core.Schedule);
    ("detach", Core.Detach);
    ("balancing", Core.Balancing);
    ("newly_idle", Core.Newly_idle);
    ("enter_idle", Core.Enter_idle);
    ("exit_idle", Core.Exit_idle);
    ("entry", Core.Entry);
    ("exit", Core.Exit);
  ]

let text event = fst (List.find (fun (_, other) -> other = event) all)

let of_thread = function
  | Core.New | Core.Unblock | Core.Block | Core.Terminate | Core.Yield
  | Core.Tick | Core.Schedule | Core.Detach | Core.Attach | Core.Withdraw ->
      true
  | Core.Balancing | Core.Newly_idle | Core.Enter_idle | Core.Exit_idle
  | Core.Entry | Core.Exit ->
      false

let target = function
  | Core.Schedule -> Core.Core
  | event -> if of_thread event then Core.Thread else Core.Core

let may_observe = function
  | Core.New | Core.Unblock | Core.Balancing | Core.Newly_idle -> true
  | _ -> false
