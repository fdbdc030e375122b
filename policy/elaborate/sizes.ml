open Dromos_policy_core
open Dromos_policy_syntax

let most = 4_000
let deepest = 5_000

(* The sum, cut off just above the limit: a number that is doubled often enough
   would overflow. *)
let add size more = min (most + 1) (size + more)

let rec block known body =
  let size = ref 0 in
  let count more = size := add !size more in
  Walk.block body
    ~statement:(fun (_ : Core.statement) -> count 1)
    ~expression:(fun (e : Core.expression) ->
      match e.it with Core.Call (f, _) -> count (func known f) | _ -> ());
  !size

and func known (f : Core.func) =
  match Hashtbl.find_opt known f.func_id with
  | Some (size, _) -> size
  | None ->
      let size = block known f.func_body in
      Hashtbl.replace known f.func_id (size, f.func_body);
      size

let rec depth (e : Core.expression) =
  1 + List.fold_left (fun d e -> max d (depth e)) 0 (Walk.operands e)

(* The expressions of a block that are too deep. *)
let too_deep body =
  let found = ref [] in
  Walk.block body ~expression:ignore ~statement:(fun s ->
      found :=
        List.filter (fun e -> depth e > deepest) (Walk.expressions s) @ !found);
  List.rev_map
    (fun (e : Core.expression) ->
      Fault.error e.at
        (Printf.sprintf "operators are nested more than %d deep here" deepest)
        ~hint:"name the inner parts: functions, variables")
    !found

let value (e : Core.expression) : Core.block =
  [ { what = Core.Return (Some e); stands_at = e.at } ]

let phases (steal : Core.steal) =
  let core = steal.by_core in
  let groups (g : Core.steal_group) =
    g.can_steal_group.admits :: g.select_group :: Option.to_list g.group_until
  in
  (core.steal_place, core.take)
  :: List.map
       (fun (e : Core.expression) -> (e.at, value e))
       (core.can_steal_core.admits :: core.select_core
        :: (Option.to_list core.enough @ Option.to_list core.until)
       @ Option.fold ~none:[] ~some:groups steal.by_group)

let check (policy : Core.policy) =
  let known = Hashtbl.create 16 in
  let handlers =
    List.map
      (fun (h : Core.handler) -> (h.handler_place, h.handler_body))
      policy.handlers
  and methods =
    List.map
      (fun (f : Core.func) -> (f.func_place, f.func_body))
      policy.interface
  and conditions =
    List.filter_map
      (function
        | Core.Exempt { condition; _ } | Core.Exempt_waiting { condition; _ } ->
            Some (condition.at, value condition)
        | Core.Within _ -> None)
      policy.relaxations
  in
  let bodies =
    handlers @ methods @ conditions
    @ Option.fold ~none:[] ~some:phases policy.steal
  in
  let too_long (at, body) =
    if block known body <= most then None
    else
      Some
        (Fault.error at
           (Printf.sprintf
              "with its functions written out this has more than %d statements"
              most)
           ~hint:"keep what a function returns in a variable")
  in
  let faults = List.filter_map too_long bodies in
  let called = Hashtbl.fold (fun _ (_, body) all -> body :: all) known [] in
  faults @ List.concat_map too_deep (List.map snd bodies @ called)
