open Heap_suite
open Bench_plain

let holds what b = if not b then failwith what
let parallel f = Dromos.run ~workers:4 (fun () -> f Forks.dromos)

(* {1 Positions of points} *)

(* The determinant itself, for coordinates small enough to fit. *)
let plain (p : Plane.points) a b c d =
  let at v = (p.x.(v) - p.x.(d), p.y.(v) - p.y.(d)) in
  let (ax, ay), (bx, by), (cx, cy) = (at a, at b, at c) in
  let far x y = (x * x) + (y * y) in
  (far ax ay * ((bx * cy) - (by * cx)))
  + (far bx by * ((cx * ay) - (cy * ax)))
  + (far cx cy * ((ax * by) - (ay * bx)))

let holds_sign p sign =
  holds "the sign" (Int.compare (Plane.in_circle p 0 1 2 3) 0 = sign);
  holds "the exact sign"
    (Int.compare (Plane.in_circle_exactly p 0 1 2 3) 0 = sign)

let small_circles () =
  for i = 0 to 20_000 do
    let bits = 2 + (i mod 11) in
    let coordinate k = Rng.below (1 lsl bits) ((8 * i) + k) in
    let p : Plane.points =
      {
        x = Array.init 4 coordinate;
        y = Array.init 4 (fun k -> coordinate (4 + k));
      }
    in
    holds_sign p (Int.compare (plain p 0 1 2 3) 0)
  done

(* Three points on a circle too large for floating point, and a fourth point on the
   circle, a step inside and a step outside. *)
let large_circles () =
  let on =
    [| (5, 0); (4, 3); (3, 4); (0, 5); (-3, 4); (-4, -3); (0, -5); (4, -3) |]
  in
  let scale = Plane.limit / 10 in
  let check a b c (dx, dy) step sign =
    let corner i = (scale * fst on.(i), scale * snd on.(i)) in
    let four =
      [|
        corner a;
        corner b;
        corner c;
        ( (scale * dx) + (step * compare dx 0),
          (scale * dy) + (step * compare dy 0) );
      |]
    in
    let p : Plane.points = { x = Array.map fst four; y = Array.map snd four } in
    holds_sign p sign
  in
  for a = 0 to 5 do
    for b = a + 1 to 6 do
      for c = b + 1 to 7 do
        Array.iter
          (fun d ->
            check a b c d 0 0;
            check a b c d (-1) 1;
            check a b c d 1 (-1))
          on
      done
    done
  done

(* {1 Triangulations} *)

let random bits n =
  let step = 1 lsl (24 - bits) in
  let coordinate k =
    Array.init n (fun i -> step * Rng.below (1 lsl bits) ((2 * i) + k))
  in
  Delaunay.corners { x = coordinate 0; y = coordinate 1 }

let triangles mesh =
  let all = ref [] in
  Mesh.iter mesh (fun t -> all := t :: !all);
  !all

let distinct (p : Plane.points) =
  let n = Array.length p.x - 3 in
  List.length
    (List.sort_uniq compare (List.init n (fun v -> (p.x.(v), p.y.(v)))))

(* All points lie in one triangle and no edge occurs twice, so Euler's formula gives the
   number of triangles. *)
let well_made (p : Plane.points) mesh =
  let all = triangles mesh in
  holds "Euler" (List.length all = (2 * distinct p) + 1);
  List.iter
    (fun (t : Mesh.triangle) ->
      holds "counter-clockwise" (Plane.left_of p t.a t.b t.c > 0);
      List.iter
        (fun (u, v, (next : Mesh.triangle)) ->
          if next.a >= 0 then begin
            let back =
              if next.a = v then (next.b, next.ab, next.c)
              else if next.b = v then (next.c, next.bc, next.a)
              else (next.a, next.ca, next.b)
            in
            let u', t', opposite = back in
            holds "neighbours" (u' = u && t' == t);
            holds "Delaunay" (Plane.in_circle p t.a t.b t.c opposite <= 0)
          end)
        [ (t.a, t.b, t.ab); (t.b, t.c, t.bc); (t.c, t.a, t.ca) ])
    all

let empty_circles (p : Plane.points) mesh =
  List.iter
    (fun (t : Mesh.triangle) ->
      for v = 0 to Array.length p.x - 1 do
        holds "an empty circle" (Plane.in_circle p t.a t.b t.c v <= 0)
      done)
    (triangles mesh)

let triangulate p = parallel (fun fork -> Delaunay.triangulate fork p)

(* On coarse grids many points share a circle, a line, or a place. *)
let small () =
  List.iter
    (fun bits ->
      List.iter
        (fun n ->
          let p = random bits n in
          let mesh = triangulate p in
          well_made p mesh;
          empty_circles p mesh)
        [ 0; 1; 2; 3; 10; 100; 300 ])
    [ 1; 3; 5; 24 ]

let large () =
  List.iter
    (fun bits ->
      let p = random bits 6_000 in
      let mesh = triangulate p in
      well_made p mesh;
      let corners m =
        let at (t : Mesh.triangle) = (t.a, t.b, t.c) in
        List.map at (triangles m)
      in
      let one = Delaunay.triangulate Forks.sequential p in
      let in_order (a, b, c) =
        if a < b && a < c then (a, b, c)
        else if b < c then (b, c, a)
        else (c, a, b)
      in
      let sorted m = List.sort compare (List.map in_order (corners m)) in
      holds "as one task does it" (sorted mesh = sorted one))
    [ 24; 8 ]

let tests =
  let case name f = Alcotest.test_case name `Quick f in
  [
    case "small circles" small_circles;
    case "large circles" large_circles;
    case "small triangulations" small;
    case "large triangulations" large;
  ]
