open Dromos_policy_core
open Dromos_policy_syntax
open Knowledge

let start =
  { moved = None; filled = false; empty = []; full = []; holds = []; set = [] }

(* More paths than people write; each path costs little. *)
let most_paths = 1024

exception Too_many of Core.place

let distinct at paths =
  let paths = List.sort_uniq compare paths in
  if List.compare_length_with paths most_paths > 0 then raise (Too_many at);
  paths

let is_local (local : Core.local option) (other : Core.local) =
  match local with
  | Some local -> local.local_id = other.local_id
  | None -> false

let hold known (local : Core.local) value =
  let known =
    {
      known with
      set = List.filter (fun (who, _) -> who <> local.local_id) known.set;
    }
  in
  match local.local_ty with
  | Core.Thread | Core.Core | Core.Group | Core.Domain ->
      let others = List.remove_assoc local.local_id known.holds in
      {
        known with
        holds = List.sort compare ((local.local_id, value) :: others);
      }
  | _ -> known

(* The paths of a block by the kind of end: the last statement, [break] or
   [return]. *)
type ended = {
  through : Knowledge.t list;
  broken : Knowledge.t list;
  returned : (Knowledge.t * value * Core.place) list;
}

let nothing = { through = []; broken = []; returned = [] }
let goes_on through = { nothing with through }

let together a b =
  {
    through = a.through @ b.through;
    broken = a.broken @ b.broken;
    returned = a.returned @ b.returned;
  }

let with_ x xs = List.sort_uniq compare (x :: xs)
let without x xs = List.filter (fun y -> y <> x) xs

let touch known id =
  let forget = function
    | local, (Picked other | Chosen other) when other = id -> (local, Unsure)
    | held -> held
  in
  {
    known with
    empty = without id known.empty;
    full = without id known.full;
    holds = List.map forget known.holds;
  }

let arrives known (state : Core.state) =
  let into known id =
    let known = touch known id in
    { known with full = with_ id known.full }
  in
  match state.container with
  | Core.One displaced -> into (touch known displaced) state.state_id
  | _ -> into known state.state_id

(* {1 Functions that are entered} *)

let tracked = function
  | Core.Thread | Core.Core | Core.Group | Core.Domain -> true
  | _ -> false

(* True if a function moves threads, or returns a thread, core, group or domain.
   Other functions need not be entered. *)
let enters (f : Core.func) =
  f.effects.updates
  || match f.result with Some ty -> tracked ty | None -> false

let observing (e : Core.expression) =
  let found = ref false in
  let key (k : Core.key) =
    match k.by with
    | Core.By_cload | Core.By_count -> true
    | Core.Attribute _ -> false
  in
  Walk.expression
    (fun e ->
      match e.it with
      | Core.Cload _ | Core.Runnable _ | Core.Count _ | Core.Idle_cores
      | Core.Active_cores
      | Core.Read (Some { it = Core.Waker; _ }, _) ->
          found := true
      | Core.First (_, order) when List.exists key order -> found := true
      | Core.Call (f, _) when f.effects.observes -> found := true
      | _ -> ())
    e;
  !found

(* {1 Expressions} *)

let is_none (e : Core.expression) =
  match e.it with
  | Core.No_thread | Core.No_core | Core.No_group | Core.No_domain -> true
  | _ -> false

(* The initial value of an attribute of such a type is none. *)
let may_be_none = function
  | Core.Core | Core.Group | Core.Domain -> true
  | _ -> false

let rec value rules known (e : Core.expression) : (Knowledge.t * value) list =
  match e.it with
  | Core.Target -> [ (known, if e.ty_of = Core.Core then Own else Target) ]
  | Core.Self -> [ (known, Own) ]
  | Core.No_thread | Core.No_core | Core.No_group | Core.No_domain ->
      [ (known, Nobody) ]
  | Core.Local local ->
      let value =
        if is_local rules.destination local then Destination
        else if is_local rules.offered local then Target
        else
          Option.value ~default:Other
            (List.assoc_opt local.local_id known.holds)
      in
      [ (known, value) ]
  | Core.First ({ it = Core.Threads_in (core, state); _ }, _)
  | Core.Any { it = Core.Threads_in (core, state); _ } ->
      let id = state.state_id in
      value rules known core
      |> List.map (fun (known, core) ->
             ( known,
               if core <> Own then Unsure
               else if List.mem id known.empty then Nobody
               else if List.mem id known.full then Chosen id
               else Picked id ))
  | Core.Threads_in (core, { state_class = Core.Running; _ }) ->
      value rules known core
      |> List.map (fun (known, core) ->
             (known, if core = Own then rules.running else Unsure))
  | (Core.First (among, _) | Core.Any among) when e.ty_of <> Core.Thread ->
      members rules known among
      |> List.map (fun (known, sure) -> (known, if sure then Other else Maybe))
  | Core.Read (Some owner, attribute) when may_be_none attribute.ty ->
      value rules known owner
      |> List.map (fun (known, whose) ->
             let key = (subject owner whose, attribute.id) in
             (known, if List.mem key known.set then Other else Maybe))
  | Core.Read (None, { ty; _ }) when may_be_none ty -> [ (known, Maybe) ]
  | Core.Read (_, { ty = Core.Thread; _ }) ->
      (* The thread may stand anywhere by now. *)
      operands rules [ known ] (Walk.operands e)
      |> List.map (fun known -> (known, Other))
  | Core.If_else (condition, yes, no) ->
      let branch truth e =
        List.concat_map
          (fun known -> value rules known e)
          (refine rules known condition truth)
      in
      branch true yes @ branch false no
  | Core.Call (f, arguments) when enters f -> enter rules known f arguments
  | _ ->
      let known = operands rules [ known ] (Walk.operands e) in
      List.map
        (fun known -> (known, if e.ty_of = Core.Thread then Unsure else Other))
        known

(* True in the result if a set of cores, groups or domains surely has a member.
   There are always cores, and anything that has a core, or is a group, has
   some. *)
and members rules known (among : Core.expression) =
  match among.it with
  | Core.All_cores | Core.Filtered -> [ (known, true) ]
  | Core.Cores_of of_what | Core.Groups_of of_what | Core.Domains_of of_what ->
      value rules known of_what
      |> List.map (fun (known, v) -> (known, v <> Maybe && v <> Nobody))
  | _ ->
      List.map
        (fun known -> (known, false))
        (operands rules [ known ] [ among ])

(* The owner of an attribute, as a number: [-1] is the target, [-2] the own
   core, [-3] an unknown owner, and any other number the local that holds the
   owner. *)
and subject (owner : Core.expression) = function
  | Target -> -1
  | Own -> -2
  | _ -> ( match owner.it with Core.Local local -> local.local_id | _ -> -3)

and operands rules paths es =
  List.fold_left
    (fun paths e ->
      List.concat_map (fun known -> List.map fst (value rules known e)) paths)
    paths es

and enter rules known f arguments =
  let bind paths (parameter, argument) =
    List.concat_map
      (fun known ->
        List.map
          (fun (known, value) -> hold known parameter value)
          (value rules known argument))
      paths
  in
  let paths =
    List.fold_left bind [ known ] (List.combine f.parameters arguments)
  in
  let ended = block rules (distinct f.func_place paths) f.func_body in
  let through = List.map (fun known -> (known, Other)) ended.through in
  through @ List.map (fun (known, value, _) -> (known, value)) ended.returned

(* The paths on which the condition has the given truth value. *)
and refine rules known (e : Core.expression) truth =
  let tested of_what truth =
    value rules known of_what
    |> List.filter_map (fun (known, value) ->
           match (value, truth) with
           | Picked id, true -> Some { known with full = with_ id known.full }
           | Picked id, false ->
               Some
                 {
                   known with
                   empty = with_ id known.empty;
                   full = without id known.full;
                 }
           | Nobody, true | (Chosen _ | Target | Own), false -> None
           | Maybe, _ -> Some (tested_core rules known of_what truth)
           | _ -> Some known)
    |> List.map (settle of_what)
  in
  match e.it with
  | Core.Bool_value value -> if value = truth then [ known ] else []
  | Core.Not a -> refine rules known a (not truth)
  | Core.Valid a -> tested a truth
  | Core.Operation (Core.Eq, a, b) when is_none b -> tested a (not truth)
  | Core.Operation (Core.Ne, a, b) when is_none b -> tested a truth
  | Core.Empty { it = Core.Threads_in ({ it = Core.Self; _ }, state); _ } ->
      let id = state.state_id in
      if truth then
        if List.mem id known.full then []
        else [ { known with empty = with_ id known.empty } ]
      else if List.mem id known.empty then []
      else [ { known with full = with_ id known.full } ]
  | Core.Operation (Core.And, a, b) when truth -> both rules known a b true
  | Core.Operation (Core.Or, a, b) when not truth -> both rules known a b false
  | Core.Operation (Core.And, a, b) ->
      refine rules known a false @ both_ways rules known a true b false
  | Core.Operation (Core.Or, a, b) ->
      refine rules known a true @ both_ways rules known a false b true
  | _ -> List.map fst (value rules known e)

and both rules known a b truth = both_ways rules known a truth b truth

and both_ways rules known a of_a b of_b =
  List.concat_map
    (fun known -> refine rules known b of_b)
    (refine rules known a of_a)

and tested_core rules known (e : Core.expression) truth =
  match e.it with
  | Core.Local local -> hold known local (if truth then Other else Nobody)
  | Core.Read (Some owner, attribute) when truth -> (
      match value rules known owner with
      | [ (known, whose) ] -> (
          match subject owner whose with
          | -3 -> known
          | who -> { known with set = with_ (who, attribute.id) known.set })
      | _ -> known)
  | _ -> known

(* A variable that was tested now holds the result of the test. *)
and settle (e : Core.expression) known =
  match e.it with
  | Core.Local local -> (
      match List.assoc_opt local.local_id known.holds with
      | Some (Picked id) when List.mem id known.empty -> hold known local Nobody
      | Some (Picked id) when List.mem id known.full ->
          hold known local (Chosen id)
      | _ -> known)
  | _ -> known

(* {1 Statements} *)

and block rules paths statements =
  List.fold_left
    (fun before (s : Core.statement) ->
      let after =
        List.map (fun known -> one rules known s) before.through
        |> List.fold_left together nothing
      in
      let through = distinct s.stands_at after.through in
      { (together { before with through = [] } after) with through })
    { nothing with through = paths }
    statements

and one rules known (s : Core.statement) =
  decr rules.budget;
  if !(rules.budget) < 0 then raise (Too_many s.stands_at);
  look rules known s;
  match s.what with
  | Core.Set_local (local, e) ->
      goes_on
        (List.map
           (fun (known, value) -> hold known local value)
           (value rules known e))
  | Core.Move { thread; core; state } ->
      value rules known thread
      |> List.concat_map (fun (known, thread) ->
             List.concat_map
               (fun (known, core) -> rules.judge known s thread core state)
               (value rules known core))
      |> goes_on
  | Core.If (condition, yes, no) ->
      let branch truth body =
        block rules
          (distinct s.stands_at (refine rules known condition truth))
          body
      in
      together (branch true yes) (branch false no)
  | Core.Foreach { each; among; body; _ } ->
      foreach rules known s each among body
  | Core.Break -> { nothing with broken = [ known ] }
  | Core.Return None ->
      { nothing with returned = [ (known, Other, s.stands_at) ] }
  | Core.Return (Some e) ->
      let returned =
        List.map
          (fun (known, value) -> (known, value, s.stands_at))
          (value rules known e)
      in
      { nothing with returned }
  | Core.Set (_, ({ ty = Core.Core; _ } as attribute), _) ->
      let other (_, id) = id <> attribute.id in
      operands rules [ known ] (Walk.expressions s)
      |> List.map (fun known ->
             { known with set = List.filter other known.set })
      |> goes_on
  | Core.Set _ | Core.Do _ | Core.Steal_for _ ->
      goes_on (operands rules [ known ] (Walk.expressions s))

(* [cload] counts the load of a thread in a queue, so the load must not be
   set. *)
and weigh rules known (s : Core.statement) =
  match s.what with
  | Core.Set (Some owner, { owner = Of_thread; name = "load"; _ }, _)
    when (not rules.observes_after)
         && List.exists
              (fun (_, whose) -> whose <> Target)
              (value rules known owner) ->
      rules.report
        (Fault.error owner.at
           "the load of another thread is set, which `cload` may count"
           ~hint:"here only the thread of the event is in no queue")
  | _ -> ()

and look rules known s =
  weigh rules known s;
  match known.moved with
  | Some (_, line) when not rules.observes_after -> (
      let after (e : Core.expression) =
        if observing e then
          rules.report
            (Fault.error e.at
               (Printf.sprintf
                  "other cores are looked at after the thread was put on one \
                   (line %d)"
                  line)
               ~hint:"look first, keep what you need in variables, then move")
      in
      List.iter after (Walk.expressions s);
      match s.what with
      | Core.Set (_, { owner = Core.Of_thread; name = "load"; _ }, _) ->
          rules.report
            (Fault.error s.stands_at
               (Printf.sprintf
                  "the load is set after `cload` has counted it (line %d)" line)
               ~hint:"set it before the move")
      | _ -> ())
  | _ -> ()

and foreach rules known s each among body =
  (* The queue of the loop, if it is a queue of the own core. *)
  let queue, known =
    match among.it with
    | Core.Threads_in ({ it = Core.Self; _ }, state) ->
        (Some state.state_id, known)
    | _ -> (None, known)
  in
  let filled_before = known.filled in
  (* A loop goes through the threads that stood in the queue when the loop
     began. Some of these threads may run by now, or stand in another queue. *)
  let within now =
    match queue with
    | Some _ when now.filled && not filled_before -> hold now each Other
    | Some id when now == known ->
        hold { now with full = with_ id now.full } each (Chosen id)
    | Some id -> hold now each (Chosen id)
    | None ->
        hold now each (if each.local_ty = Core.Thread then Unsure else Other)
  in
  let never =
    match queue with
    | None -> [ known ]
    | Some id when List.mem id known.full -> []
    | Some id -> [ { known with empty = with_ id known.empty } ]
  in
  let may_enter =
    match queue with Some id -> not (List.mem id known.empty) | None -> true
  in
  let rec again seen frontier ended =
    match frontier with
    | [] -> ended
    | _ ->
        let turn = block rules (List.map within frontier) body in
        let fresh = List.filter (fun k -> not (List.mem k seen)) turn.through in
        again
          (distinct s.Core.stands_at (fresh @ seen))
          fresh (together ended turn)
  in
  let turns =
    if may_enter then again [ known ] [ known ] nothing else nothing
  in
  {
    through = distinct s.stands_at (never @ turns.through @ turns.broken);
    broken = [];
    returned = turns.returned;
  }

let run rules body =
  match block rules [ start ] body with
  | ended ->
      List.map (fun known -> (known, None)) ended.through
      @ List.map (fun (known, _, at) -> (known, Some at)) ended.returned
  | exception Too_many at ->
      rules.report
        (Fault.error at "there are more paths to here than can be followed"
           ~hint:"write fewer conditions, or fewer calls");
      []
