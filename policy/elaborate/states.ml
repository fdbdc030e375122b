open Dromos_policy_core
open Dromos_policy_syntax

(* All that code reaches, functions too. *)
let reached bodies =
  let seen = Hashtbl.create 16 in
  let filled = Hashtbl.create 8 and looked = Hashtbl.create 8 in
  let rec block body =
    Walk.block body
      ~expression:(fun e ->
        match e.it with
        | Core.Threads_in (_, state) -> Hashtbl.replace looked state.state_id ()
        | Core.Call (f, _) when not (Hashtbl.mem seen f.func_id) ->
            Hashtbl.replace seen f.func_id ();
            block f.func_body
        | _ -> ())
      ~statement:(fun s ->
        match s.what with
        | Core.Move { state; _ } -> Hashtbl.replace filled state.state_id ()
        | _ -> ())
  in
  List.iter block bodies;
  let in_ table (s : Core.state) = Hashtbl.mem table s.state_id in
  (in_ filled, in_ looked)

let bodies (policy : Core.policy) =
  List.map (fun h -> h.Core.handler_body) policy.handlers
  @ List.map (fun f -> f.Core.func_body) policy.interface
  @ Option.fold ~none:[]
      ~some:(fun (s : Core.steal) -> [ s.by_core.take ])
      policy.steal

let schedule policy =
  Option.fold ~none:[]
    ~some:(fun (h : Core.handler) -> [ h.handler_body ])
    (Query.handler policy Core.Schedule)

let unused_steal (policy : Core.policy) =
  let steals = ref false in
  List.iter
    (Walk.block
       ~expression:(fun e ->
         (* Functions that steal set something, or move: look no closer. *)
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
  let moved_to, _ = reached (bodies policy) in
  let displaced_to (state : Core.state) (from : Core.state) =
    Query.displaced_to from = Some state.state_id && moved_to from
  in
  let filled state =
    moved_to state || Array.exists (displaced_to state) policy.states
  in
  let _, looked = reached (schedule policy) in
  let of_state (state : Core.state) =
    if not (filled state) then
      [
        Fault.warning state.state_place
          (Printf.sprintf "no thread ever comes to `%s`" state.state_name)
          ~hint:"leave it out, or move threads there";
      ]
    else if state.state_class = Core.Ready && not (looked state) then
      [
        Fault.error state.state_place
          (Printf.sprintf "who waits in `%s` never runs" state.state_name)
          ~hint:
            (Printf.sprintf "`schedule` should look there: `first(%s)`"
               state.state_name);
      ]
    else []
  in
  List.concat_map of_state (Array.to_list policy.states) @ unused_steal policy
