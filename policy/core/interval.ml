type t = { least : int option; most : int option }

let unbounded = { least = None; most = None }
let exactly i = { least = Some i; most = Some i }
let at_least i = { least = Some i; most = None }
let both f a b = match (a, b) with Some a, Some b -> Some (f a b) | _ -> None

let hull a b =
  { least = both Int.min a.least b.least; most = both Int.max a.most b.most }

let either f a b =
  match (a, b) with
  | Some a, Some b -> Some (f a b)
  | (Some _ as known), None | None, known -> known

let meet a b =
  let least = either Int.max a.least b.least
  and most = either Int.min a.most b.most in
  match (least, most) with
  | Some l, Some m when l > m -> None
  | _ -> Some { least; most }

let widen before now =
  let kept keeps before now =
    match (before, now) with
    | Some b, Some n when keeps b n -> before
    | _ -> None
  in
  {
    least = kept ( <= ) before.least now.least;
    most = kept ( >= ) before.most now.most;
  }

(* {1 Arithmetic} *)

let enough = 1 lsl 60
let fits = function Some i when abs i >= enough -> None | i -> i

let sum a b =
  {
    least = fits (both ( + ) a.least b.least);
    most = fits (both ( + ) a.most b.most);
  }

let opposite a =
  { least = Option.map Int.neg a.most; most = Option.map Int.neg a.least }

(* Numbers with both infinities: a number that does not fit becomes an
   infinity. *)
type extended = Lowest | Finite of int | Highest

let times a b =
  let sign = function Lowest -> -1 | Finite i -> compare i 0 | Highest -> 1 in
  match (a, b) with
  | Finite 0, _ | _, Finite 0 -> Finite 0
  | Finite a, Finite b when abs b < enough / abs a -> Finite (a * b)
  | _ -> if sign a * sign b > 0 then Highest else Lowest

let ends a =
  ( (match a.least with Some i -> Finite i | None -> Lowest),
    match a.most with Some i -> Finite i | None -> Highest )

let finite = function Finite i -> Some i | Lowest | Highest -> None

let lesser a b =
  match (a, b) with
  | Lowest, _ | _, Lowest -> Lowest
  | Highest, other | other, Highest -> other
  | Finite a, Finite b -> Finite (Int.min a b)

let negative = function
  | Lowest -> Highest
  | Finite i -> Finite (-i)
  | Highest -> Lowest

let greater a b = negative (lesser (negative a) (negative b))

let product a b =
  let al, am = ends a and bl, bm = ends b in
  let corners = [ times al bl; times al bm; times am bl; times am bm ] in
  let pick f = finite (List.fold_left f (List.hd corners) corners) in
  { least = pick lesser; most = pick greater }

(* The square of the member nearest to 0 is the least. That member is 0 unless
   all members are on one side of 0. *)
let square a =
  let beyond = function Some i -> Int.max i 0 | None -> 0 in
  let nearest = Int.max (beyond a.least) (beyond (Option.map Int.neg a.most)) in
  {
    (product a a) with
    least = finite (times (Finite nearest) (Finite nearest));
  }

(* Among the divisors of one sign, those nearest to 0 and farthest from 0 give
   the extremes. A divisor of 0 gives 0. *)
let rec quotient a b =
  match (b.least, b.most) with
  | Some l, _ when l >= 1 ->
      let toward_0 i = match b.most with Some m -> i / m | None -> 0 in
      let least i = if i < 0 then i / l else toward_0 i
      and most i = if i > 0 then i / l else toward_0 i in
      { least = Option.map least a.least; most = Option.map most a.most }
  | _, Some m when m <= -1 -> opposite (quotient a (opposite b))
  | _ ->
      let by_positive =
        match b.most with
        | Some m when m < 1 -> exactly 0
        | Some _ | None -> quotient a { b with least = Some 1 }
      and by_negative =
        match b.least with
        | Some l when l > -1 -> exactly 0
        | Some _ | None -> quotient a { b with most = Some (-1) }
      in
      hull (exactly 0) (hull by_positive by_negative)

(* A remainder is nearer to 0 than the divisor, unless the divisor may be 0, and
   no farther from 0 than the dividend. *)
let remainder a b =
  let below_divisor =
    match (b.least, b.most) with
    | Some l, Some m when l > 0 || m < 0 -> Some (max (abs l) (abs m) - 1)
    | _ -> None
  in
  let nearer i = match below_divisor with Some top -> min i top | None -> i in
  let most =
    match a.most with
    | Some m -> Some (nearer (max 0 m))
    | None -> below_divisor
  and least =
    match a.least with
    | Some l -> Some (-nearer (max 0 (-l)))
    | None -> Option.map Int.neg below_divisor
  in
  { least; most }

let is_natural a = match a.least with Some l -> l >= 0 | None -> false

(* A conjunction has no bit outside of a natural operand. *)
let bit_and a b =
  match (is_natural a, is_natural b) with
  | true, true -> { least = Some 0; most = either Int.min a.most b.most }
  | true, false -> { least = Some 0; most = a.most }
  | false, true -> { least = Some 0; most = b.most }
  | false, false -> { least = None; most = both Int.max a.most b.most }

(* Sets all bits up to the highest bit of a natural number. *)
let rec filled i = if i land (i + 1) = 0 then i else filled (i lor (i lsr 1))

let bit_or a b =
  if is_natural a && is_natural b then
    {
      least = both Int.max a.least b.least;
      most = fits (Option.map filled (both Int.max a.most b.most));
    }
  else { least = both Int.min a.least b.least; most = None }

(* {1 Comparisons} *)

let below a = { least = None; most = Option.map Int.pred a.most }
let above a = { least = Option.map Int.succ a.least; most = None }
