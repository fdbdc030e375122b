open Core

let event_name : event -> string = function
  | New -> "new"
  | Unblock -> "unblock"
  | Block -> "block"
  | Terminate -> "terminate"
  | Yield -> "yield"
  | Tick -> "tick"
  | Schedule -> "schedule"
  | Detach -> "detach"
  | Balancing -> "balancing"
  | Newly_idle -> "newly_idle"
  | Enter_idle -> "enter_idle"
  | Exit_idle -> "exit_idle"
  | Entry -> "entry"
  | Exit -> "exit"
  | Attach -> "attach"
  | Withdraw -> "detach"

let load policy =
  Array.find_opt
    (fun a -> a.owner = Of_thread && a.name = "load")
    policy.attributes

let affinity policy =
  Array.find_opt
    (fun f ->
      f.func_name = "can_run" && f.result = Some Bool
      && List.map (fun l -> l.local_ty) f.parameters = [ Thread; Core ])
    policy.functions

let interface policy name =
  List.find_opt (fun f -> f.func_name = name) policy.interface

(* The parameter of the function is bound to the event's thread. *)
let of_interface policy event name =
  let named f =
    let bind l =
      let target = { it = Target; ty_of = Thread; at = f.func_place } in
      { what = Set_local (l, target); stands_at = f.func_place }
    in
    {
      event;
      is_synchronized = false;
      handler_body = List.map bind f.parameters @ f.func_body;
      handler_place = f.func_place;
    }
  in
  Option.to_list (Option.map named (interface policy name))

let reactions policy =
  let has event handlers = List.exists (fun h -> h.event = event) handlers in
  let alike event other handlers =
    match List.find_opt (fun h -> h.event = other) handlers with
    | Some h when not (has event handlers) -> { h with event } :: handlers
    | Some _ | None -> handlers
  in
  policy.handlers
  @ of_interface policy Attach "attach"
  @ of_interface policy Withdraw "detach"
  |> alike Detach Withdraw |> alike Withdraw Detach

let handler policy event =
  List.find_opt (fun h -> h.event = event) policy.handlers

let runnable state =
  match state.state_class with
  | Running | Ready -> true
  | Blocked | Terminated -> false

let of_class policy c =
  List.filter (fun s -> s.state_class = c) (Array.to_list policy.states)

let displaced_to state =
  match state.container with
  | One into -> Some into
  | Slot | Queue _ | Nowhere -> None

let running policy = List.hd (of_class policy Running)
let ready policy = of_class policy Ready

let entered policy =
  let found = Array.map (fun _ -> false) policy.states in
  let statement = function
    | Move { state; _ } ->
        found.(state.state_id) <- true;
        Option.iter (fun into -> found.(into) <- true) (displaced_to state)
    | _ -> ()
  in
  let walk = Visits.block ~statement ~expression:ignore in
  List.iter (fun h -> walk h.handler_body) (reactions policy);
  Option.iter (fun s -> walk s.by_core.take) policy.steal;
  List.filter (fun s -> found.(s.state_id)) (Array.to_list policy.states)

let may_wait policy =
  List.filter_map
    (function
      | Exempt_waiting { condition; _ } -> Some condition
      | Exempt _ | Within _ -> None)
    policy.relaxations

let rounds policy =
  List.fold_left
    (fun n -> function
      | Within { rounds; _ } -> max n rounds | Exempt _ | Exempt_waiting _ -> n)
    0 policy.relaxations
