(* Both functions return the sign of a determinant. The determinant of [left_of] has 55
   bits and is computed directly. The determinant of [in_circle] has 111 bits: [in_circle]
   first computes in floating point, and exactly only if the result is closer to 0 than
   the possible error. *)

type points = { x : int array; y : int array }

let limit = 1 lsl 27

let left_of { x; y } a b c =
  ((x.(b) - x.(a)) * (y.(c) - y.(a))) - ((y.(b) - y.(a)) * (x.(c) - x.(a)))

let half = 28
let low v = v land ((1 lsl half) - 1)
let high v = v asr half

(* The sign of [a * p + b * q + c * r], for factors of at most 56 bits. The digits are
   to the base 2 to the power of 28; at the end all digits except the first are
   non-negative. *)
let exact_sign a p b q c r =
  let first = (high a * high p) + (high b * high q) + (high c * high r)
  and second =
    (high a * low p)
    + (low a * high p)
    + (high b * low q)
    + (low b * high q)
    + (high c * low r)
    + (low c * high r)
  and third = (low a * low p) + (low b * low q) + (low c * low r) in
  let second = second + high third in
  let first = first + high second in
  if first <> 0 then first else low second lor low third

(* Calls [decide] with the terms of the determinant, relative to the fourth point: for each
   of the three points its squared distance, and the determinant of the other two. *)
let[@inline] terms { x; y } a b c d decide =
  let ax = x.(a) - x.(d) and ay = y.(a) - y.(d) in
  let bx = x.(b) - x.(d) and by = y.(b) - y.(d) in
  let cx = x.(c) - x.(d) and cy = y.(c) - y.(d) in
  let far_a = (ax * ax) + (ay * ay)
  and far_b = (bx * bx) + (by * by)
  and far_c = (cx * cx) + (cy * cy) in
  let bc = (bx * cy) - (by * cx)
  and ca = (cx * ay) - (cy * ax)
  and ab = (ax * by) - (ay * bx) in
  decide far_a bc far_b ca far_c ab

let sign far_a bc far_b ca far_c ab =
  let p = float_of_int far_a *. float_of_int bc
  and q = float_of_int far_b *. float_of_int ca
  and r = float_of_int far_c *. float_of_int ab in
  let sum = p +. q +. r in
  (* Three roundings in each product, two in the sum. *)
  let error = (Float.abs p +. Float.abs q +. Float.abs r) *. 0x1p-50 in
  if sum > error then 1
  else if sum < -.error then -1
  else exact_sign far_a bc far_b ca far_c ab

let in_circle points a b c d = terms points a b c d sign
let in_circle_exactly points a b c d = terms points a b c d exact_sign
