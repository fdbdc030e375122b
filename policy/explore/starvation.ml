(* States are found breadth first. Whenever their number has doubled, the strongly
   connected components among the states in which thread 0 waits are computed
   (Tarjan, SIAM J. Comput. 1972). *)

type outcome = Never | Starves of Trace.t | Cut_off
type t = { outcome : outcome; states : int }
type edge = { move : Instance.move; towards : int; parts : Solo.part list }

type node = {
  key : string;
  parent : (int * Instance.move) option;
  queued : bool;  (** thread 0 is ready *)
  waits : bool;  (** the thread is ready and not exempt *)
  mutable edges : edge list;
  mutable entered : (int * Instance.move) option;
      (** the edge from a state in which the thread was not ready *)
}

type graph = {
  solo : Solo.t;
  ids : (string, int) Hashtbl.t;
  nodes : node Dynarray.t;
  before : Machine.state;
  after : Machine.state;
}

let the_thread = 0
let node g i = Dynarray.get g.nodes i

let add g s ~parent =
  let key = Solo.key g.solo s in
  match Hashtbl.find_opt g.ids key with
  | Some id -> id
  | None ->
      let id = Dynarray.length g.nodes in
      Hashtbl.add g.ids key id;
      Dynarray.add_last g.nodes
        {
          key;
          parent;
          queued = Solo.queued g.solo s the_thread;
          waits = Solo.waits g.solo s the_thread;
          edges = [];
          entered = None;
        };
      id

let expand g id =
  let from = node g id in
  Solo.restore g.solo from.key g.before;
  Solo.moves g.solo g.before (fun move ->
      Array.blit g.before 0 g.after 0 (Array.length g.before);
      Solo.apply g.solo g.after move;
      let towards = add g g.after ~parent:(Some (id, move)) in
      let reached = node g towards in
      if reached.queued && (not from.queued) && reached.entered = None then
        reached.entered <- Some (id, move);
      let parts = Solo.part_of g.solo g.before move in
      from.edges <- { move; towards; parts } :: from.edges);
  from.edges <- List.rev from.edges

(* {1 Shortest ways} *)

(* The shortest way from one of the nodes [from] to an edge for which [stop] is
   true, along edges for which [through] is true. The result is the first node
   of the way, and the edges, each with the node before. *)
let way g ~from ~through ~stop =
  let came = Hashtbl.create 64 and queue = Queue.create () in
  let enter i how =
    if not (Hashtbl.mem came i) then begin
      Hashtbl.add came i how;
      Queue.add i queue
    end
  in
  let rec back i edges =
    match Hashtbl.find came i with
    | None -> (i, edges)
    | Some (before, edge) -> back before ((before, edge) :: edges)
  in
  List.iter (fun i -> enter i None) from;
  let rec go () =
    match Queue.take_opt queue with
    | None -> None
    | Some i -> (
        match List.find_opt (stop i) (node g i).edges with
        | Some edge when through edge ->
            let first, edges = back i [ (i, edge) ] in
            Some (first, edges)
        | Some _ | None ->
            List.iter
              (fun edge ->
                if through edge then enter edge.towards (Some (i, edge)))
              (node g i).edges;
            go ())
  in
  go ()

(* The states in which thread 0 waits, and was never exempt since it became
   ready; and the first states of such waits. *)
let waiting g =
  let found = Hashtbl.create 1024 in
  let rec visit = function
    | [] -> ()
    | i :: rest ->
        if (node g i).waits && not (Hashtbl.mem found i) then begin
          Hashtbl.add found i ();
          visit
            (List.rev_append
               (List.map (fun e -> e.towards) (node g i).edges)
               rest)
        end
        else visit rest
  in
  let entries = ref [] in
  Dynarray.iteri
    (fun i n -> if n.entered <> None then entries := i :: !entries)
    g.nodes;
  let entries = List.rev !entries in
  visit entries;
  (found, List.filter (fun i -> (node g i).waits) entries)

(* {1 Strongly connected parts} *)

(* Calls [f] with each component. The stack of calls is explicit, as a component
   may be as large as the graph. *)
let components g among f =
  let index = Hashtbl.create 1024 and low = Hashtbl.create 1024 in
  let on_stack = Hashtbl.create 1024 in
  let stack = Stack.create () and calls = Stack.create () in
  let lower i n = Hashtbl.replace low i (min n (Hashtbl.find low i)) in
  let enter i =
    let n = Hashtbl.length index in
    Hashtbl.add index i n;
    Hashtbl.add low i n;
    Hashtbl.add on_stack i ();
    Stack.push i stack;
    Stack.push (i, ref (node g i).edges) calls
  in
  let rec pop root members =
    let i = Stack.pop stack in
    Hashtbl.remove on_stack i;
    if i = root then i :: members else pop root (i :: members)
  in
  let step (i, edges) =
    match !edges with
    | { towards; _ } :: rest ->
        edges := rest;
        if Hashtbl.mem among towards then
          if not (Hashtbl.mem index towards) then enter towards
          else if Hashtbl.mem on_stack towards then
            lower i (Hashtbl.find index towards)
    | [] ->
        ignore (Stack.pop calls : int * edge list ref);
        if Hashtbl.find low i = Hashtbl.find index i then f (pop i []);
        Option.iter
          (fun (caller, _) -> lower caller (Hashtbl.find low i))
          (Stack.top_opt calls)
  in
  Hashtbl.iter
    (fun i () ->
      if not (Hashtbl.mem index i) then begin
        enter i;
        while not (Stack.is_empty calls) do
          step (Stack.top calls)
        done
      end)
    among

let members_of members =
  let inside = Hashtbl.create (List.length members) in
  List.iter (fun i -> Hashtbl.add inside i ()) members;
  inside

(* The component with the earliest state, among the components that have all
   parts. *)
let best g among =
  let needed = Solo.parts g.solo in
  let best = ref None in
  components g among (fun members ->
      let first = List.fold_left min max_int members in
      let earlier =
        match !best with None -> true | Some (b, _) -> first < b
      in
      if earlier then begin
        let inside = members_of members in
        let has part =
          List.exists
            (fun i ->
              List.exists
                (fun e -> Hashtbl.mem inside e.towards && List.mem part e.parts)
                (node g i).edges)
            members
        in
        if List.for_all has needed then best := Some (first, inside)
      end);
  !best

(* {1 The run} *)

let rec to_root g i moves =
  match (node g i).parent with
  | None -> (i, moves)
  | Some (before, move) -> to_root g before (move :: moves)

(* A cycle through the component, from [start] back to [start], that has all
   parts. *)
let round g inside start =
  let through e = Hashtbl.mem inside e.towards in
  let rec go at missing edges =
    let stop _ e =
      through e
      &&
      match missing with
      | [] -> e.towards = start
      | missing -> List.exists (fun part -> List.mem part e.parts) missing
    in
    if missing = [] && at = start && edges <> [] then edges
    else
      match way g ~from:[ at ] ~through ~stop with
      | None -> failwith "Starvation: a part that is not connected"
      | Some (_, found) ->
          let parts = List.concat_map (fun (_, e) -> e.parts) found in
          let missing = List.filter (fun p -> not (List.mem p parts)) missing in
          let _, last = List.nth found (List.length found - 1) in
          go last.towards missing (edges @ found)
  in
  List.map (fun (_, e) -> e.move) (go start (Solo.parts g.solo) [])

(* The moves from the state in which thread 0 becomes ready to the node
   [start]. *)
let until_there g among entries start =
  if List.mem start entries then (start, [])
  else
    let through e = Hashtbl.mem among e.towards in
    match way g ~from:entries ~through ~stop:(fun _ e -> e.towards = start) with
    | Some (entry, edges) -> (entry, List.map (fun (_, e) -> e.move) edges)
    | None -> failwith "Starvation: a state that cannot be reached"

let trace g among entries (start, inside) =
  let entry, waited = until_there g among entries start in
  let before, move = Option.get (node g entry).entered in
  let root, moves = to_root g before [] in
  let prefix = moves @ [ move ] in
  let since = List.length prefix in
  let from = since + List.length waited in
  let initial = Machine.initial g.solo.instance.machine in
  Solo.restore g.solo (node g root).key initial;
  Trace.of_run g.solo initial
    (prefix @ waited @ round g inside start)
    (Starves { thread = the_thread; since; from })

let look_for g =
  let among, entries = waiting g in
  Option.map (trace g among entries) (best g among)

(* {1 The search} *)

exception Stop of outcome

let first_look = 250

let run ?(until = infinity) ?(most = 200_000) (solo : Solo.t) =
  let machine = solo.instance.machine in
  let g =
    {
      solo;
      ids = Hashtbl.create 4096;
      nodes = Dynarray.create ();
      before = Machine.initial machine;
      after = Machine.initial machine;
    }
  in
  let found () = Option.iter (fun t -> raise (Stop (Starves t))) (look_for g) in
  let cut_off () =
    found ();
    raise (Stop Cut_off)
  in
  let rec go next ~look_at =
    if next = look_at then found ();
    let look_at = if next = look_at then 2 * look_at else look_at in
    if next = Dynarray.length g.nodes then found ()
    else if Dynarray.length g.nodes > most then cut_off ()
    else if next land 31 = 0 && Sys.time () >= until then cut_off ()
    else begin
      expand g next;
      go (next + 1) ~look_at
    end
  in
  let outcome =
    match
      Solo.starts solo (fun s -> ignore (add g s ~parent:None : int));
      go 0 ~look_at:first_look
    with
    | () -> Never
    | exception Stop outcome -> outcome
  in
  { outcome; states = Dynarray.length g.nodes }
