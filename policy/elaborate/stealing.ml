open Dromos_policy_core
open Dromos_policy_syntax

(* A core, group or thread may have several names: the names in [steal], in the
   filter and in [steal_thread]. *)
let bind scope binding names =
  let step (scope, seen) (name : Ast.name) =
    if List.mem name.text seen then (scope, seen)
    else (Scope.with_local scope name binding, name.text :: seen)
  in
  fst (List.fold_left step (scope, []) names)

let value (name : Ast.name) (local : Core.local) =
  Scope.Value (Scope.at name.at local.local_ty (Core.Local local))

let bind_local scope local = function
  | [] -> scope
  | name :: _ as names -> bind scope (value name local) names

(* The names of parameters with the wanted types, in this order. *)
let parameters scope at ~shape wanted given =
  let ty (p : Ast.parameter) = Scope.ty scope p.p_ty in
  if List.map ty given <> wanted then
    Fault.fail at "unexpected parameters" ~hint:("write `" ^ shape ^ "`");
  List.map (fun (p : Ast.parameter) -> p.p_name) given

(* The parameters of a filter are the source and the destination, or the
   source alone. In a filter with one parameter the names in [elsewhere]
   stand for the destination and, in a filter of cores, so does [self], as in
   the paper. The names in [dst] always stand for the destination. *)
let filter scope ~ty ~dst ~elsewhere ~shape (f : Ast.filter) =
  let given = f.filter_params in
  let alone = List.compare_length_with given 1 = 0 in
  let wanted = if alone && elsewhere <> [] then [ ty ] else [ ty; ty ] in
  match parameters scope f.filter_at ~shape wanted given with
  | [] -> assert false
  | source :: second ->
      let names = if alone then dst @ elsewhere else dst @ second in
      let filter_source = Scope.fresh scope source.text ty in
      let filter_destination =
        Scope.fresh scope (List.hd (names @ [ source ])).text ty
      in
      let inner =
        bind_local
          (bind_local scope filter_source [ source ])
          filter_destination names
      in
      let self = Scope.at source.at ty (Core.Local filter_destination) in
      let inner =
        if alone && ty = Core.Core then Scope.with_here inner (Some self)
        else inner
      in
      let admits = Typing.expression inner ~expected:Core.Bool f.test in
      ({ Core.filter_source; filter_destination; admits }, names)

let select scope ~set ~ty (f : Ast.filter) (s : Ast.select) =
  let filtered = Scope.at f.passed.at set Core.Filtered in
  let inner = Scope.with_local scope f.passed (Scope.Value filtered) in
  Typing.expression inner ~expected:ty s.pick

let nothing_after (after : Ast.stmt list) =
  match after with
  | [] -> ()
  | first :: _ ->
      Fault.fail first.s_at "nothing can follow `steal_thread` in `do`"
        ~hint:"do it in `steal_thread`, or after `steal_for`"

let migrate_names scope (m : Ast.migrate) =
  let parameters = parameters scope m.migrate_at in
  match m.migrate_params with
  | [ _; _; _ ] as given -> (
      let shape = "steal_thread(group g, core dst, thread t)" in
      match parameters ~shape [ Core.Group; Core.Core; Core.Thread ] given with
      | [ group; core; thread ] -> ([ group ], core, thread)
      | _ -> assert false)
  | given -> (
      let shape = "steal_thread(core dst, thread t)" in
      match parameters ~shape [ Core.Core; Core.Thread ] given with
      | [ core; thread ] -> ([], core, thread)
      | _ -> assert false)

(* [scope] already has the names of the groups, if there are any. *)
let by_core scope header (core : Ast.steal_core) =
  nothing_after core.after;
  let groups, last, thread = migrate_names scope core.migrate in
  let can_steal_core, names =
    filter scope ~ty:Core.Core ~dst:header ~elsewhere:(header @ [ last ])
      ~shape:"can_steal_core(core src, core dst)" core.filter
  in
  let names = names @ [ last ] in
  let local (name : Ast.name) ty = Scope.fresh scope name.text ty in
  let destination = local last Core.Core in
  let source = local core.select.picked Core.Core in
  let candidate = local thread Core.Thread in
  let with_destination = bind_local scope destination names in
  let both = bind_local with_destination source [ core.select.picked ] in
  let expression scope e = Typing.expression scope ~expected:Core.Bool e in
  ( {
      Core.can_steal_core;
      select_core =
        select with_destination ~set:Core.Cores ~ty:Core.Core core.filter
          core.select;
      source;
      destination;
      candidate;
      take =
        Statements.block
          (bind_local both candidate [ thread ])
          core.migrate.taking;
      enough = Option.map (expression both) core.migrate.enough;
      repeated = core.repeated;
      until = Option.map (expression with_destination) core.until;
      steal_place = core.migrate.migrate_at;
    },
    groups,
    names )

let header scope (steal : Ast.steal) =
  let given = steal.steal_params in
  match (steal.by_group, given) with
  | _, [] -> ([], [])
  | None, _ ->
      ( [],
        parameters scope steal.steal_at ~shape:"steal(core dst)" [ Core.Core ]
          given )
  | Some _, _ -> (
      match
        parameters scope steal.steal_at ~shape:"steal(group g, core dst)"
          [ Core.Group; Core.Core ] given
      with
      | [ group; core ] -> ([ group ], [ core ])
      | _ -> assert false)

let steal scope (steal : Ast.steal) : Core.steal =
  let scope = Scope.with_here scope None in
  let group_header, core_header = header scope steal in
  match steal.by_group with
  | None -> (
      match by_core scope core_header steal.by_core with
      | by_core, [], _ -> { by_group = None; by_core }
      | _, group :: _, _ ->
          Fault.fail group.at "there are no groups here"
            ~hint:"write `steal_thread(core dst, thread t)`")
  | Some g ->
      nothing_after g.group_after;
      let more, _, _ = migrate_names scope steal.by_core.migrate in
      let can_steal_group, names =
        filter scope ~ty:Core.Group ~dst:group_header
          ~elsewhere:(group_header @ more)
          ~shape:"can_steal_group(group src, group dst)" g.group_filter
      in
      let names = names @ more in
      let text = function (name : Ast.name) :: _ -> name.text | [] -> "g" in
      let destination_group = Scope.fresh scope (text names) Core.Group in
      let source_group =
        Scope.fresh scope g.group_select.picked.text Core.Group
      in
      let with_destination = bind_local scope destination_group names in
      let both =
        bind_local with_destination source_group [ g.group_select.picked ]
      in
      let by_core, _, cores = by_core both core_header steal.by_core in
      (* The condition may name the destination core: it is evaluated after a
         search among the cores of a group, for that core. *)
      let at_end = bind_local with_destination by_core.destination cores in
      let group_until =
        Option.map (Typing.expression at_end ~expected:Core.Bool) g.group_until
      in
      {
        by_group =
          Some
            {
              can_steal_group;
              select_group =
                select with_destination ~set:Core.Groups ~ty:Core.Group
                  g.group_filter g.group_select;
              source_group;
              destination_group;
              group_repeated = g.group_repeated;
              group_until;
            };
        by_core;
      }
