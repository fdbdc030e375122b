open Dromos_policy_core.Core

let sprintf = Printf.sprintf

(* The policy's names in the phases: the groups, if the policy steals by groups,
   the destination and the source. *)
type names = {
  source_group : string;
  destination_group : string;
  source : string;
  destination : string;
}

let names_of known { by_group; by_core } =
  let local = Names.of_local (Functions.names known) in
  let group f = Option.fold ~none:"_" ~some:(fun g -> local (f g)) by_group in
  {
    source_group = group (fun g -> g.source_group);
    destination_group = group (fun g -> g.destination_group);
    source = local by_core.source;
    destination = local by_core.destination;
  }

(* The functions needed by an expression, and a function with its value. *)
let by_expression known moving head e =
  let context =
    {
      Expr.names = Functions.names known;
      moving;
      mutable_locals = [];
      declarations = [];
    }
  in
  let returned = [ { what = Return (Some e); stands_at = e.at } ] in
  Functions.needed known moving returned
  @ [ sprintf "%s\n  %s" head (Expr.expression context e) ]

let heading ?(self = "-1") name parameters =
  sprintf "let %s m %s =\n  let self = %s and target = none m in" name
    (String.concat " " parameters)
    self

let seen n ~target =
  String.concat "\n"
    [
      sprintf "  let %s = source v and %s = destination v in" n.source
        n.destination;
      sprintf "  let %s = source_group v and %s = destination_group v in"
        n.source_group n.destination_group;
      sprintf "  let self = %s and target = %s in" n.destination target;
    ]

let of_filter known name ~before { filter_source; filter_destination; admits }
    () =
  let local = Names.of_local (Functions.names known) in
  let destination = local filter_destination in
  by_expression known Names.Local
    (heading name ~self:destination
       (before @ [ local filter_source; destination ]))
    admits

let until known name parameters ~self condition () =
  match condition with
  | None -> [ sprintf "let %s _ %s = false" name parameters ]
  | Some e ->
      by_expression known Names.Local (heading name [ parameters ] ~self) e

(* The parts are made in the order of the text, because a function stands before
   its first caller. *)
let in_order parts = List.concat_map (fun part -> part ()) parts

let steal_thread known n s () =
  let candidate = Names.of_local (Functions.names known) s.candidate in
  let code = Functions.body known Taking ~result:None ~parameters:[] s.take in
  Functions.needed known Taking s.take
  @ [
      sprintf "let steal_thread m v %s =\n%s\n%s" candidate
        (seen n ~target:candidate) (Functions.indent code);
    ]

let enough known n s () =
  match s.enough with
  | None -> [ "let enough _ _ = false" ]
  | Some e ->
      by_expression known Taking
        (sprintf "let enough m v =\n%s" (seen n ~target:"none m"))
        e

let of_core known n s =
  let groups = [ n.source_group; n.destination_group ] in
  let all = groups @ [ n.destination ] in
  let select () =
    let parameters = all @ [ "filtered" ] in
    by_expression known Local
      (heading "select_core" parameters ~self:n.destination)
      s.select_core
  in
  in_order
    [
      of_filter known "can_steal_core" ~before:groups s.can_steal_core;
      select;
      steal_thread known n s;
      enough known n s;
      until known "until" (String.concat " " all) ~self:n.destination s.until;
    ]

let of_group known n = function
  | None -> [ "let by_group = None" ]
  | Some g ->
      let destination = sprintf "%s %s" n.destination_group n.destination in
      let select () =
        by_expression known Local
          (heading "select_group" [ n.destination_group; "filtered" ])
          g.select_group
      in
      let record () =
        [
          sprintf
            "let by_group =\n\
            \  Some { can_steal_group; select_group; group_repeated = %b; \
             group_until }"
            g.group_repeated;
        ]
      in
      in_order
        [
          of_filter known "can_steal_group" ~before:[] g.can_steal_group;
          select;
          until known "group_until" destination ~self:n.destination
            g.group_until;
          record;
        ]

let definitions known ({ by_group; by_core = s } as steal) =
  let n = names_of known steal in
  let record () =
    [
      sprintf
        "let stealing =\n\
        \  { by_group; can_steal_core; select_core; steal_thread; enough; \
         repeated = %b; until }"
        s.repeated;
    ]
  in
  in_order
    [
      (fun () -> of_core known n s);
      (fun () -> of_group known n by_group);
      record;
    ]
