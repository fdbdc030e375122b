type t = { xs : float array; ys : float array; masses : float array }

type tree =
  | Empty
  | Body of int
  | Square of {
      side : float;
      x : float;
      y : float;
      mass : float;
      parts : parts;
    }

and parts = { nw : tree; ne : tree; sw : tree; se : tree }

let random n =
  let coordinate k i =
    float_of_int (Rng.below 1_000_000 ((3 * i) + k)) /. 1e6
  in
  {
    (* Denser towards a corner. *)
    xs = Array.init n (fun i -> coordinate 0 i ** 2.);
    ys = Array.init n (fun i -> coordinate 1 i ** 2.);
    masses = Array.init n (fun i -> 0.5 +. coordinate 2 i);
  }

let weight t = function
  | Empty -> (0., 0., 0.)
  | Body i -> (t.masses.(i), t.xs.(i), t.ys.(i))
  | Square { mass; x; y; _ } -> (mass, x, y)

let square t side parts =
  let add (m, x, y) part =
    let m', x', y' = weight t part in
    (m +. m', x +. (m' *. x'), y +. (m' *. y'))
  in
  let mass, x, y =
    List.fold_left add (0., 0., 0.) [ parts.nw; parts.ne; parts.sw; parts.se ]
  in
  Square { side; x = x /. mass; y = y /. mass; mass; parts }

(* Two bodies at the same place cannot be separated: below the smallest side,
   only the first body counts. *)
let smallest = 1e-9

let rec build t x y side = function
  | [] -> Empty
  | [ i ] -> Body i
  | i :: _ when side < smallest -> Body i
  | bodies ->
      let half = side /. 2. in
      let west i = t.xs.(i) < x +. half and north i = t.ys.(i) < y +. half in
      let west, east = List.partition west bodies in
      let nw, sw = List.partition north west in
      let ne, se = List.partition north east in
      square t side
        {
          nw = build t x y half nw;
          ne = build t (x +. half) y half ne;
          sw = build t x (y +. half) half sw;
          se = build t (x +. half) (y +. half) half se;
        }

let tree t = build t 0. 0. 1. (List.init (Array.length t.xs) Fun.id)
let theta = 0.5
let softening = 1e-6

let accelerate t tree result i =
  let px = t.xs.(i) and py = t.ys.(i) in
  let ax = ref 0. and ay = ref 0. in
  let pull m x y =
    let dx = x -. px and dy = y -. py in
    let d2 = (dx *. dx) +. (dy *. dy) +. softening in
    let f = m /. (d2 *. sqrt d2) in
    ax := !ax +. (f *. dx);
    ay := !ay +. (f *. dy)
  in
  let rec visit = function
    | Empty -> ()
    | Body j -> if j <> i then pull t.masses.(j) t.xs.(j) t.ys.(j)
    | Square { side; x; y; mass; parts } ->
        let dx = x -. px and dy = y -. py in
        if side *. side < theta *. theta *. ((dx *. dx) +. (dy *. dy)) then
          pull mass x y
        else begin
          visit parts.nw;
          visit parts.ne;
          visit parts.sw;
          visit parts.se
        end
  in
  visit tree;
  result.(2 * i) <- !ax;
  result.((2 * i) + 1) <- !ay
