let rec power_of_two_from n least =
  if least <= n then n else power_of_two_from (2 * n) least

let make ~least dummy =
  let length = power_of_two_from 1 least in
  Array.make length dummy

(* In bounds for every [i]. *)
let get slots i = Array.unsafe_get slots (i land (Array.length slots - 1))
let set slots i v = Array.unsafe_set slots (i land (Array.length slots - 1)) v

let rec clear slots dummy i j =
  if i < j then begin
    set slots i dummy;
    clear slots dummy (i + 1) j
  end

let rec copy source target i j =
  if i < j then begin
    let v = get source i in
    set target i v;
    copy source target (i + 1) j
  end

let resize slots dummy i j length =
  let resized = Array.make length dummy in
  copy slots resized i j;
  resized
