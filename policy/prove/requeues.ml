open Dromos_policy_core
open Core

(* The READY states in which a thread may stand, for a value that names the
   thread. [None] is any READY state. The target of an event stands in no READY
   state. *)
type source = int list option

let any : source = None
let nowhere : source = Some []

let join (a : source) (b : source) : source =
  match (a, b) with
  | Some a, Some b -> Some (List.sort_uniq Int.compare (a @ b))
  | None, _ | _, None -> None

(* By local: the union over all values to which the policy sets the local. *)
type held = (int, source) Hashtbl.t

let rec source (held : held) (e : expression) : source =
  match e.it with
  | Target | No_thread -> nowhere
  | First ({ it = Threads_in (_, state); _ }, _) -> (
      match state.state_class with Ready -> Some [ state.state_id ] | _ -> any)
  | If_else (_, a, b) -> join (source held a) (source held b)
  | Local l -> Option.value (Hashtbl.find_opt held l.local_id) ~default:nowhere
  | Call (f, _) ->
      Blocks.returned f.func_body
      |> List.map (source held)
      |> List.fold_left join nowhere
  | _ -> any

let visit policy ~statement ~expression =
  List.iter
    (fun (_, block) -> Visits.block ~statement ~expression block)
    (Counts.blocks policy)

let rec settle policy held =
  let changed = ref false in
  let add l from =
    let before =
      Option.value (Hashtbl.find_opt held l.local_id) ~default:nowhere
    in
    let after = join before from in
    if after <> before then begin
      changed := true;
      Hashtbl.replace held l.local_id after
    end
  in
  let set l e = if l.local_ty = Thread then add l (source held e) in
  visit policy
    ~statement:(function
      | Set_local (l, e) -> set l e
      | Foreach { each; among; _ } ->
          set each { among with it = First (among, []) }
      | _ -> ())
    ~expression:(fun e ->
      match e.it with
      | Call (f, arguments) -> List.iter2 set f.parameters arguments
      | _ -> ());
  if !changed then settle policy held

let displaced_from policy (state : state) =
  List.filter_map
    (fun s ->
      if Query.displaced_to s = Some state.state_id then Some s.state_id
      else None)
    (Query.ready policy)

let displaced_into policy state = displaced_from policy state <> []

(* The pairs of READY states between which ready threads may be moved or
   displaced. *)
let edges policy =
  let held : held = Hashtbl.create 16 in
  settle policy held;
  let ready = List.map (fun s -> s.state_id) (Query.ready policy) in
  let moved = ref [] in
  let from_ready to_ = function
    | Some from -> List.map (fun from -> (from, to_)) from
    | None -> List.map (fun from -> (from, to_)) ready
  in
  visit policy ~expression:ignore ~statement:(function
    | Move { thread; state = { state_class = Ready; state_id; _ }; _ } ->
        moved := from_ready state_id (source held thread) @ !moved
    | _ -> ());
  List.concat_map
    (fun s ->
      List.map (fun from -> (from, s.state_id)) (displaced_from policy s))
    (Query.ready policy)
  @ !moved

let after edges id =
  List.filter_map
    (fun (from, to_) -> if from = id then Some to_ else None)
    edges

let round policy =
  let edges = lazy (edges policy) in
  fun (state : state) ->
    let seen = Hashtbl.create 8 in
    let rec visit id =
      if not (Hashtbl.mem seen id) then begin
        Hashtbl.replace seen id ();
        go_on id
      end
    and go_on id = List.iter visit (after (Lazy.force edges) id) in
    go_on state.state_id;
    Hashtbl.mem seen state.state_id

(* No way through the states is longer than the number of states. *)
let longest policy =
  let edges = List.sort_uniq compare (edges policy) in
  let ready = Query.ready policy in
  let rec step lengths = function
    | 0 -> lengths
    | n ->
        let length s =
          List.fold_left
            (fun most (t, l) ->
              if List.mem (s.state_id, t.state_id) edges then
                Int.max most (l + 1)
              else most)
            1 lengths
        in
        step (List.map (fun s -> (s, length s)) ready) (n - 1)
  in
  step (List.map (fun s -> (s, 1)) ready) (List.length ready - 1)
  |> List.fold_left (fun most (_, l) -> Int.max most l) 1
