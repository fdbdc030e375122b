open Dromos_policy_core
open Dromos_policy_syntax

(* The states that the code looks at, also in functions. *)
let looked_at bodies =
  let found = Hashtbl.create 8 in
  let expression (e : Core.expression) =
    match e.it with
    | Core.Threads_in (_, state) -> Hashtbl.replace found state.state_id ()
    | _ -> ()
  in
  List.iter (Visits.block ~statement:ignore ~expression) bodies;
  fun (state : Core.state) -> Hashtbl.mem found state.state_id

let schedule policy =
  Option.fold ~none:[]
    ~some:(fun (h : Core.handler) -> [ h.handler_body ])
    (Query.handler policy Core.Schedule)

let unused_steal (policy : Core.policy) =
  let steals = ref false in
  List.iter
    (Walk.block
       ~expression:(fun e ->
         (* A function that updates may steal: the check does not look
            closer. *)
         match e.it with
         | Core.Call (f, _) when f.effects.updates -> steals := true
         | _ -> ())
       ~statement:(fun s ->
         match s.what with Core.Steal_for _ -> steals := true | _ -> ()))
    (List.map (fun h -> h.Core.handler_body) policy.handlers);
  match policy.steal with
  | Some steal when not !steals ->
      [
        Fault.warning steal.by_core.steal_place "nothing is ever stolen"
          ~hint:"call `steal_for(c)` in `On synchronized balancing`";
      ]
  | _ -> []

let check (policy : Core.policy) =
  let entered = Query.entered policy in
  let looked = looked_at (schedule policy) in
  let of_state (state : Core.state) =
    if not (List.memq state entered) then
      [
        Fault.warning state.state_place
          (Printf.sprintf "no thread ever comes to `%s`" state.state_name)
          ~hint:"leave it out, or move threads there";
      ]
    else if state.state_class = Core.Ready && not (looked state) then
      [
        Fault.error state.state_place
          (Printf.sprintf "threads that wait in `%s` never run" state.state_name)
          ~hint:
            (Printf.sprintf "`schedule` should look there: `first(%s)`"
               state.state_name);
      ]
    else []
  in
  List.concat_map of_state (Array.to_list policy.states) @ unused_steal policy
