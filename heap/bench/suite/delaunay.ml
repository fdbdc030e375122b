(* Tasks insert points in rounds; a round adds a 64th of the points already inserted. In a
   round every point finds and reserves the triangles that it would change. A point that
   holds all its triangles changes them; the other points come again in the next round: G.
   E. Blelloch, J. T. Fineman, P. B. Gibbons and J. Shun, Internally deterministic
   parallel algorithms can be fast, PPoPP 2012. Triangles are mutable, made by tasks, and
   linked to triangles of concurrent tasks.

   A walk from a near point finds the triangle of a new point. A grid finds the near
   point; a new grid is made whenever the number of points has doubled. *)

open Bench_plain

let side = 1 lsl 24

let corners (p : Plane.points) : Plane.points =
  {
    x = Array.append p.x [| -2 * side; 3 * side; side / 2 |];
    y = Array.append p.y [| -side; -side; 4 * side |];
  }

(* {1 Near points} *)

(* The number of cells per side, and a point in each cell, or -1. *)
type grid = { across : int; cells : int array }

let cell grid (p : Plane.points) v =
  let part z = z * grid.across / side in
  (part p.y.(v) * grid.across) + part p.x.(v)

(* A cell keeps any one of its points. *)
let make_grid (module F : Program.Fork) mesh count =
  let across = Int.max 1 (int_of_float (sqrt (float_of_int count /. 2.))) in
  let grid = { across; cells = Array.make (across * across) (-1) } in
  F.for_ 0 count (fun v ->
      if Mesh.contains mesh v then grid.cells.(cell grid mesh.points v) <- v);
  grid

(* The finest grid comes first. The result is a corner if all cells are empty. *)
let rec near (p : Plane.points) grids v =
  match grids with
  | [] -> Array.length p.x - 1
  | grid :: coarser ->
      let found = grid.cells.(cell grid p v) in
      if found >= 0 then found else near p coarser v

(* {1 Rounds} *)

let round (module F : Program.Fork) (mesh : Mesh.t) grids batch =
  let holes =
    F.Array.map
      (fun v ->
        let near = near mesh.points grids v in
        let hole = Mesh.dig mesh v (Mesh.locate mesh v ~near) in
        Mesh.reserve hole;
        hole)
      batch
  in
  let filled = F.Array.map (Mesh.fill mesh) holes in
  let left =
    F.Array.init (Array.length batch) (fun i ->
        if filled.(i) then -1 else batch.(i))
  in
  F.Array.filter (fun v -> v >= 0) left

let triangulate (module F : Program.Fork) points =
  let mesh = Mesh.create points in
  let n = Array.length points.x - 3 in
  (* [next] is the first point not tried yet; the grids know the points below [known]. *)
  let rec go left next grids known =
    let inserted = next - Array.length left in
    if inserted < n then
      if inserted > 2 * known then
        go left next (make_grid (module F) mesh next :: grids) inserted
      else
        let size = (inserted / 64) + 1 in
        let fresh = Int.max 0 (Int.min (size - Array.length left) (n - next)) in
        let batch = Array.append left (Array.init fresh (( + ) next)) in
        go (round (module F) mesh grids batch) (next + fresh) grids known
  in
  go [||] 0 [] 8;
  mesh

let checksum n mesh =
  let triangles = ref 0 and sum = ref 0 in
  Mesh.iter mesh (fun t ->
      incr triangles;
      (* The sum of edge hashes does not depend on which corner comes first. *)
      let edge u v = Rng.hash ((u * (n + 3)) + v) in
      sum := !sum + edge t.a t.b + edge t.b t.c + edge t.c t.a);
  Checksum.ints [| !triangles; !sum land max_int |]

let program : Program.t =
  {
    name = "delaunay";
    about = "the Delaunay triangulation of points, all tasks changing one mesh";
    entangled = true;
    allocates = true;
    size_is = "points";
    size = 200_000;
    tiny = 1_000;
    prepare =
      (fun n ->
        let coordinate k =
          Array.init n (fun i -> Rng.below side ((2 * i) + k))
        in
        let points = corners { x = coordinate 0; y = coordinate 1 } in
        fun fork () ->
          let mesh = triangulate fork points in
          fun () -> checksum n mesh);
  }
