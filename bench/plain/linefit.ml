type points = { x : floatarray; y : floatarray }
type sums = { x : float; y : float; xx : float; xy : float }

let random n =
  let x i = float_of_int (Rng.below 1024 i) in
  let y i = (3. *. x i) +. float_of_int (Rng.below 64 (i + n)) in
  { x = Float.Array.init n x; y = Float.Array.init n y }

let sums (points : points) lo hi =
  let sx = ref 0. and sy = ref 0. and sxx = ref 0. and sxy = ref 0. in
  for i = lo to hi - 1 do
    let x = Float.Array.unsafe_get points.x i in
    let y = Float.Array.unsafe_get points.y i in
    sx := !sx +. x;
    sy := !sy +. y;
    sxx := !sxx +. (x *. x);
    sxy := !sxy +. (x *. y)
  done;
  { x = !sx; y = !sy; xx = !sxx; xy = !sxy }

let join (a : sums) (b : sums) =
  { x = a.x +. b.x; y = a.y +. b.y; xx = a.xx +. b.xx; xy = a.xy +. b.xy }

let slope n (s : sums) =
  let n = float_of_int n in
  ((n *. s.xy) -. (s.x *. s.y)) /. ((n *. s.xx) -. (s.x *. s.x))
