(* Loops over one-dimensional bigarrays. The kind and the layout are not known here,
   so every access is a call of the runtime's generic access. A chunked range loop
   in code that knows both is ten times faster, as the interface says. Elements of
   all kinds are whole bytes, so domains may write distinct elements at once. *)

module A = Bigarray.Array1

(* The first index. *)
let first (type c) a =
  match (A.layout a : c Bigarray.layout) with
  | Bigarray.C_layout -> 0
  | Bigarray.Fortran_layout -> 1

let range a =
  let lo = first a in
  (lo, lo + A.dim a)

let for_ ?grain a body =
  let lo, hi = range a in
  Par_range.for_ ?grain lo hi body

let for_chunks ?grain a body =
  let lo, hi = range a in
  Par_range.for_chunks ?grain lo hi body

let init ?grain kind layout n f =
  let b = A.create kind layout n in
  for_ ?grain b (fun i -> A.unsafe_set b i (f i));
  b

(* Pieces are filled and copied by the runtime's loops in C. *)
let fill ?grain a v =
  for_chunks ?grain a (fun l h -> A.fill (A.sub a l (h - l)) v)

let blit ?grain a b =
  if A.dim a <> A.dim b then
    invalid_arg
      (Printf.sprintf "Dromos.Par.Bigarray.blit: the lengths are %d and %d"
         (A.dim a) (A.dim b));
  for_chunks ?grain a (fun l h ->
      A.blit (A.sub a l (h - l)) (A.sub b l (h - l)))

let map ?grain kind f a =
  let b = A.create kind (A.layout a) (A.dim a) in
  for_ ?grain a (fun i -> A.unsafe_set b i (f (A.unsafe_get a i)));
  b

let iteri ?grain f a = for_ ?grain a (fun i -> f i (A.unsafe_get a i))

let map_reduce ?grain ~map ~combine zero a =
  let lo, hi = range a in
  let map i = map (A.unsafe_get a i) in
  Par_reduce.map_reduce ?grain lo hi ~map ~combine ~init:zero
