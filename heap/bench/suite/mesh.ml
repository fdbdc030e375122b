type triangle = {
  a : int;
  b : int;
  c : int;
  mutable ab : triangle;
  mutable bc : triangle;
  mutable ca : triangle;
  owner : int Atomic.t;
}

type t = { points : Plane.points; home : triangle array }

let nobody = max_int

let rec outside =
  {
    a = -1;
    b = -1;
    c = -1;
    ab = outside;
    bc = outside;
    ca = outside;
    owner = Atomic.make nobody;
  }

let triangle a b c ~ab =
  { a; b; c; ab; bc = outside; ca = outside; owner = Atomic.make nobody }

let create (points : Plane.points) =
  let n = Array.length points.x in
  let home = Array.make n outside in
  let all = triangle (n - 3) (n - 2) (n - 1) ~ab:outside in
  Array.fill home (n - 3) 3 all;
  { points; home }

let contains mesh p = mesh.home.(p) != outside

let locate mesh p ~near =
  let beyond a b = Plane.left_of mesh.points a b p < 0 in
  let rec walk t =
    if beyond t.a t.b then walk t.ab
    else if beyond t.b t.c then walk t.bc
    else if beyond t.c t.a then walk t.ca
    else t
  in
  walk mesh.home.(near)

(* {1 Holes} *)

(* An edge of the rim, counter-clockwise, and the triangle beyond the edge. *)
type edge = { from : int; upto : int; beyond : triangle }
type hole = { point : int; inside : triangle list; rim : edge list }

let dig mesh p t =
  let swallowed t =
    t != outside && Plane.in_circle mesh.points t.a t.b t.c p > 0
  in
  let rec spread hole t =
    let hole = { hole with inside = t :: hole.inside } in
    let hole = cross hole t.a t.b t.ab in
    let hole = cross hole t.b t.c t.bc in
    cross hole t.c t.a t.ca
  and cross hole from upto beyond =
    if List.memq beyond hole.inside then hole
    else if swallowed beyond then spread hole beyond
    else { hole with rim = { from; upto; beyond } :: hole.rim }
  in
  let none = { point = p; inside = []; rim = [] } in
  (* A triangle that contains the point is swallowed, unless the point is one of its
     corners already. *)
  if swallowed t then spread none t else none

let rec least slot p =
  let there = Atomic.get slot in
  if p < there && not (Atomic.compare_and_set slot there p) then least slot p

(* Applies [f] to the triangles that the hole needs. A triangle beyond several edges is
   visited several times. *)
let for_all_needed f hole =
  List.for_all f hole.inside
  && List.for_all (fun e -> e.beyond == outside || f e.beyond) hole.rim

let reserve hole =
  let mark t =
    least t.owner hole.point;
    true
  in
  ignore (for_all_needed mark hole : bool)

let holds hole t = Atomic.get t.owner = hole.point

let give_back hole t =
  if holds hole t then Atomic.set t.owner nobody;
  true

(* Makes [t] the neighbour of [old] along the edge that begins at [corner] in [old]. *)
let link old corner t =
  if old != outside then
    if old.a = corner then old.ab <- t
    else if old.b = corner then old.bc <- t
    else old.ca <- t

(* Builds a star around the point, with a triangle for each edge of the rim. *)
let replace mesh { point = p; rim; _ } =
  let star = List.map (fun e -> triangle e.from e.upto p ~ab:e.beyond) rim in
  List.iter
    (fun t ->
      t.bc <- List.find (fun next -> next.a = t.b) star;
      t.ca <- List.find (fun last -> last.b = t.a) star)
    star;
  List.iter
    (fun t ->
      link t.ab t.b t;
      mesh.home.(t.a) <- t)
    star;
  mesh.home.(p) <- List.hd star

let fill mesh hole =
  let held = for_all_needed (holds hole) hole in
  ignore (for_all_needed (give_back hole) hole : bool);
  if held && hole.rim <> [] then replace mesh hole;
  held

(* {1 Traversal} *)

let around mesh p f =
  let first = mesh.home.(p) in
  let rec go t =
    f t;
    let next = if t.a = p then t.ca else if t.b = p then t.ab else t.bc in
    if next != first then go next
  in
  go first

let iter mesh f =
  let inner = Array.length mesh.home - 3 in
  let any = ref false in
  for p = 0 to inner - 1 do
    if contains mesh p then begin
      any := true;
      around mesh p (fun t -> if p = Int.min t.a (Int.min t.b t.c) then f t)
    end
  done;
  if not !any then f mesh.home.(inner)
