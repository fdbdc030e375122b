open Ast

let deepest = 200

exception Too_deep of place

let rec statement depth { s; s_at } =
  if depth > deepest then raise (Too_deep s_at);
  match s with
  | If (_, yes, no) ->
      block (depth + 1) yes;
      Option.iter (otherwise depth) no
  | Foreach (_, _, _, body) | Block body -> block (depth + 1) body
  | _ -> ()

and otherwise depth no =
  match no.body with
  | [ ({ s = If _; _ } as next) ] -> statement depth next
  | _ -> block (depth + 1) no

and block depth { body; _ } = List.iter (statement depth) body

let func f = block 0 f.f_body

let steal s =
  block 0 s.by_core.migrate.taking;
  List.iter (statement 0) s.by_core.after;
  Option.iter (fun g -> List.iter (statement 0) g.group_after) s.by_group

let declaration { d; _ } =
  match d with
  | Function f -> func f
  | Interface functions -> List.iter func functions.items
  | Handler { events; _ } ->
      List.iter (fun e -> block 0 e.reaction) events.items
  | Steal s -> steal s
  | Core items ->
      List.iter (function Core_steal s -> steal s | _ -> ()) items.items
  | _ -> ()

let too_deep ast =
  match List.iter declaration ast.declarations with
  | () -> None
  | exception Too_deep place -> Some place
