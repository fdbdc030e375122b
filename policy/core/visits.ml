open Core

let expression = Walk.expression

(* [entered]: the functions met before. *)
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
    (fun ({ what; _ } as statement) ->
      s what;
      List.iter visit (Walk.expressions statement);
      match what with
      | If (_, a, b) ->
          inner a;
          inner b
      | Foreach { body; _ } -> inner body
      | _ -> ())
    b

let block ~statement ~expression b =
  statements ~statement ~expression ~entered:(ref []) b

let policy ~statement ~expression p =
  let entered = ref [] in
  let block = statements ~statement ~expression ~entered in
  (* An expression is visited as a statement, for the functions called in it. *)
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

let uses_topology ?(also = []) p =
  let found = ref false in
  let expression e =
    match e.it with
    | Groups_of _ | Domains_of _ | Cores_of _ -> found := true
    | Read (_, { ty = Group | Domain | Groups | Domains; _ }) -> found := true
    | _ -> ()
  in
  policy ~statement:ignore ~expression p;
  List.iter (block ~statement:ignore ~expression) also;
  !found

let exists ?(statement = fun _ -> false) ?(expression = fun _ -> false) b =
  let found = ref false in
  let notes holds x = if holds x then found := true in
  block b ~statement:(notes statement) ~expression:(notes expression);
  !found

let draws p =
  let found = ref false in
  policy ~statement:ignore p ~expression:(fun e ->
      match e.it with Any _ -> found := true | _ -> ());
  !found

let steals b = exists b ~statement:(function Steal_for _ -> true | _ -> false)
let moves b = exists b ~statement:(function Move _ -> true | _ -> false)

let functions b =
  let found = ref [] in
  let rec block b =
    Walk.block b ~statement:ignore ~expression:(fun e ->
        match e.it with
        | Call (f, _) when not (List.memq f !found) ->
            block f.func_body;
            found := f :: !found
        | _ -> ())
  in
  block b;
  List.rev !found
