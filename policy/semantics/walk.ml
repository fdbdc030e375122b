open Core

let rec expression f e =
  f e;
  let go = expression f in
  match e.it with
  | Int_value _ | Bool_value _ | Member _ | No_thread | No_core | Local _ | Self
  | Target | All_cores | Idle_cores | Active_cores | Filtered
  | Read (None, _) ->
      ()
  | Read (Some e, _)
  | Cload e
  | Runnable e
  | Count (e, _)
  | Threads_in (e, _)
  | Cores_of e
  | Groups_of e
  | Domains_of e
  | First (e, _)
  | Empty e
  | Valid e
  | Not e
  | Minus e ->
      go e
  | In (a, b) | Operation (_, a, b) ->
      go a;
      go b
  | If_else (a, b, c) ->
      go a;
      go b;
      go c
  | Call (_, es) -> List.iter go es

(* [entered]: functions that were met. *)
let rec statements ~statement:s ~expression:f ~entered b =
  let visit e =
    expression
      (fun e ->
        f e;
        match e.it with
        | Call (g, _) when not (List.memq g !entered) ->
            entered := g :: !entered;
            statements ~statement:s ~expression:f ~entered g.func_body
        | _ -> ())
      e
  in
  let inner = statements ~statement:s ~expression:f ~entered in
  List.iter
    (fun { what; _ } ->
      s what;
      match what with
      | Set_local (_, e) | Return (Some e) | Do e -> visit e
      | Set (o, _, e) ->
          Option.iter visit o;
          visit e
      | Move { thread; core; _ } ->
          visit thread;
          visit core
      | If (e, a, b) ->
          visit e;
          inner a;
          inner b
      | Foreach { among; body; _ } ->
          visit among;
          inner body
      | Steal_for { group; core } ->
          Option.iter visit group;
          visit core
      | Break | Return None -> ())
    b

let block ~statement ~expression b =
  statements ~statement ~expression ~entered:(ref []) b

let policy ~statement ~expression p =
  let entered = ref [] in
  let block = statements ~statement ~expression ~entered in
  (* An expression is visited as a statement, for the functions it calls. *)
  let one e = block [ { what = Do e; stands_at = e.at } ] in
  List.iter (fun h -> block h.handler_body) p.handlers;
  Array.iter (fun a -> if a.is_lazy then Option.iter one a.initial) p.attributes;
  Option.iter
    (fun { by_group; by_core } ->
      one by_core.can_steal_core.admits;
      one by_core.select_core;
      block by_core.take;
      Option.iter one by_core.enough;
      Option.iter one by_core.until;
      Option.iter
        (fun g ->
          one g.can_steal_group.admits;
          one g.select_group;
          Option.iter one g.group_until)
        by_group)
    p.steal
