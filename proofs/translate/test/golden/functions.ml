(* Functions, local ones, recursion, labels, sequences, conditionals. *)
let nothing _ () = ()
let apply f x = f x
let twice f = apply f (apply f 1)
let named ~first ~second = first - second
let call () = named ~second:1 ~first:2
let compose f g = fun x -> f (g x)
let drop f = ignore (f 1)
let dropping = ignore
let rec sum n = if n = 0 then 0 else n + sum (n - 1)

let local n =
  let square x = x * x in
  let rec power x n = if n = 0 then 1 else x * power x (n - 1) in
  let _ = square n in
  let () = nothing 0 () in
  power n (square 2)

let sign n = if n < 0 then -1 else if n = 0 then 0 else 1
let when_positive n f = if n > 0 then f n

let both f g =
  f ();
  if g () then begin
    f ();
    f ()
  end;
  g ()

let rec even n = if n = 0 then true else odd (n - 1)
and odd n = if n = 0 then false else even (n - 1)

let rec last n () = if n = 0 then () else skip 0 n
and skip _ n = last (n - 1) ()
