(* Each task has a frontier of its own, and gives half of a grown frontier away: U. A.
   Acar, A. Charguéraud and M. Rainey, Fast parallel graph-search with splittable and
   catenable frontiers, SC 2015, with lists as frontiers. A vertex belongs to the first
   task that puts a record into the table; concurrent tasks find the record while the
   first task runs. *)

type visit = { vertex : int; from : visit option }
type frontier = { visits : visit list; size : int }

let patience = 256

let split { visits; size } =
  let rec go n front back =
    match back with
    | x :: back when n > 0 -> go (n - 1) (x :: front) back
    | _ -> (front, back)
  in
  let half = size / 2 in
  let front, back = go half [] visits in
  ({ visits = front; size = half }, { visits = back; size = size - half })

let claim seen from frontier w =
  match Atomic.get seen.(w) with
  | Some _ -> frontier
  | None ->
      let visit = { vertex = w; from = Some from } in
      if Atomic.compare_and_set seen.(w) None (Some visit) then
        { visits = visit :: frontier.visits; size = frontier.size + 1 }
      else frontier

let expand graph seen visit frontier =
  let frontier = ref frontier in
  for k = 0 to Graph.degree graph visit.vertex - 1 do
    let w = Graph.neighbour graph visit.vertex k in
    frontier := claim seen visit !frontier w
  done;
  !frontier

let search (module F : Program.Fork) graph start =
  let n = Graph.vertices graph in
  let seen = F.Array.init n (fun _ -> Atomic.make None) in
  let rec go frontier steps =
    match frontier.visits with
    | [] -> ()
    | _ :: _ :: _ when steps >= patience ->
        let a, b = split frontier in
        let (), () = F.both (fun () -> go a 0) (fun () -> go b 0) in
        ()
    | visit :: rest ->
        let rest = { visits = rest; size = frontier.size - 1 } in
        go (expand graph seen visit rest) (steps + 1)
  in
  let first = { vertex = start; from = None } in
  Atomic.set seen.(start) (Some first);
  go { visits = [ first ]; size = 1 } 0;
  let reached_from slot =
    match Atomic.get slot with
    | Some { from = Some visit; _ } -> visit.vertex
    | Some { vertex; from = None } -> vertex
    | None -> -1
  in
  F.Array.map reached_from seen

let program : Program.t =
  {
    name = "reachability";
    about =
      "the vertices that can be reached in a graph, by a search without rounds";
    entangled = true;
    allocates = true;
    size_is = "vertices";
    size = 1_000_000;
    tiny = 3_000;
    prepare =
      (fun n ->
        let graph = Graph.directed n in
        fun fork () ->
          let from = search fork graph 0 in
          fun () ->
            Bench_plain.Checksum.ints
              (Array.map (fun v -> if v < 0 then 0 else 1) from));
  }
