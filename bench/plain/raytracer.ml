type vec = { x : float; y : float; z : float }

let[@inline] add a b = { x = a.x +. b.x; y = a.y +. b.y; z = a.z +. b.z }
let[@inline] sub a b = { x = a.x -. b.x; y = a.y -. b.y; z = a.z -. b.z }
let[@inline] scale k a = { x = k *. a.x; y = k *. a.y; z = k *. a.z }
let[@inline] dot a b = (a.x *. b.x) +. (a.y *. b.y) +. (a.z *. b.z)
let unit a = scale (1. /. sqrt (dot a a)) a

type sphere = { centre : vec; radius : float; colour : vec; mirror : float }

(* Spheres on a spiral, each smaller than the one before. *)
let spheres =
  Array.init 10 (fun i ->
      let t = float_of_int i in
      let radius = 1. -. (0.07 *. t) in
      {
        centre =
          {
            x = (0.5 +. (0.3 *. t)) *. cos (1.3 *. t);
            y = radius;
            z = 6. +. ((0.5 +. (0.3 *. t)) *. sin (1.3 *. t));
          };
        radius;
        colour =
          {
            x = 0.5 +. (0.5 *. cos t);
            y = 0.5 +. (0.5 *. cos (t +. 2.));
            z = 0.5 +. (0.5 *. cos (t +. 4.));
          };
        mirror = 0.3;
      })

let light = unit { x = -1.; y = 2.; z = -1.5 }
let sky = { x = 0.6; y = 0.75; z = 0.95 }
let black = { x = 0.; y = 0.; z = 0. }

(* The distance at which the ray meets the sphere; infinity if the ray misses
   the sphere. *)
let meets from towards s =
  let to_centre = sub s.centre from in
  let along = dot to_centre towards in
  let beside = dot to_centre to_centre -. (along *. along) in
  let depth = (s.radius *. s.radius) -. beside in
  if depth < 0. then infinity
  else
    let half = sqrt depth in
    if along -. half > 1e-4 then along -. half
    else if along +. half > 1e-4 then along +. half
    else infinity

let nearest from towards =
  let best = ref (-1) and distance = ref infinity in
  for i = 0 to Array.length spheres - 1 do
    let d = meets from towards spheres.(i) in
    if d < !distance then begin
      distance := d;
      best := i
    end
  done;
  (!best, !distance)

let lit at = fst (nearest at light) < 0

let floor_colour at =
  let odd v = int_of_float (Float.floor v) land 1 in
  if odd at.x = odd at.z then { x = 0.9; y = 0.9; z = 0.9 }
  else { x = 0.2; y = 0.2; z = 0.25 }

let rec trace depth from towards =
  let i, distance = nearest from towards in
  let floor = if towards.y < 0. then -.from.y /. towards.y else infinity in
  if i >= 0 && distance < floor then begin
    let s = spheres.(i) in
    let at = add from (scale distance towards) in
    let normal = unit (sub at s.centre) in
    let facing = Float.max 0. (dot normal light) in
    let bright =
      if facing > 0. && lit at then 0.2 +. (0.8 *. facing) else 0.2
    in
    let own = scale ((1. -. s.mirror) *. bright) s.colour in
    if depth = 0 then own
    else
      let back = scale (2. *. dot normal towards) normal in
      let seen = trace (depth - 1) at (unit (sub towards back)) in
      add own (scale s.mirror seen)
  end
  else if floor < 100. then
    let at = add from (scale floor towards) in
    scale (if lit at then 1. else 0.4) (floor_colour at)
  else if Float.is_finite floor then black
  else sky

let byte v = int_of_float (255. *. Float.min 1. (Float.max 0. v))
let eye = { x = 0.; y = 2.5; z = -2. }

let pixel ~size i =
  let at k = (2. *. (float_of_int k +. 0.5) /. float_of_int size) -. 1. in
  let towards = { x = at (i mod size); y = -.at (i / size) -. 0.25; z = 2. } in
  let c = trace 2 eye (unit towards) in
  (byte c.x lsl 16) lor (byte c.y lsl 8) lor byte c.z
