let set a i x =
  let a = Array.copy a in
  a.(i) <- x;
  a

let iter map f s =
  let see place v =
    f place v;
    v
  in
  ignore (map see s)

type numbers = { order : int array; number : int array }

let breadth_first n roots others fields =
  let number = Array.make (n + 1) 0 and order = Array.make n 0 in
  let met = ref 0 and next = ref 0 in
  let meet v =
    if v > 0 && number.(v) = 0 then begin
      order.(!met) <- v;
      incr met;
      number.(v) <- !met
    end
  in
  let rest () =
    while !next < !met do
      Array.iter meet (fields order.(!next));
      incr next
    done
  in
  roots meet;
  rest ();
  List.iter meet others;
  rest ();
  { order = Array.sub order 0 !met; number }

let key s = Digest.string (Marshal.to_string s [ Marshal.No_sharing ])
