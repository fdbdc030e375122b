(* Terms are built only through the simplifying constructors below. *)

module Whole = Dromos_policy_core.Whole

type sort = Int | Bool
type kind = Name | Word | Value | Hidden

type var = {
  name : string;
  base : string;
  sort : sort;
  members : string array;
  kind : kind;
}

type symbol = { symbol : string; arity : int; result : sort }

type t = { hash : int; size : int; node : node }

and node =
  | Int_literal of int
  | Bool_literal of bool
  | Variable of var
  | Apply of symbol * t list
  | Op of op * t list

(* [Div] is Euclidean division. *)
and op = Not | And | Or | Ite | Eq | Le | Lt | Add | Mul | Div

exception Too_large

let largest = 200_000

(* {1 Nodes} *)

let mix h x = ((h * 65599) + x) land max_int
let hash_all = List.fold_left (fun h t -> mix h t.hash)

let hash_of = function
  | Int_literal i -> mix 1 i
  | Bool_literal b -> mix 2 (Bool.to_int b)
  | Variable v -> mix 3 (Hashtbl.hash v.name)
  | Apply (f, ts) -> hash_all (mix 4 (Hashtbl.hash f.symbol)) ts
  | Op (op, ts) -> hash_all (mix 5 (Hashtbl.hash op)) ts

let size_of = function
  | Int_literal _ | Bool_literal _ | Variable _ -> 1
  | Apply (_, ts) | Op (_, ts) -> List.fold_left (fun n t -> n + t.size) 1 ts

let make node =
  let size = size_of node in
  if size > largest then raise Too_large;
  { hash = hash_of node; size; node }

let rec equal a b =
  a == b
  || a.hash = b.hash && a.size = b.size
     &&
     match (a.node, b.node) with
     | Apply (f, xs), Apply (g, ys) -> f = g && List.equal equal xs ys
     | Op (f, xs), Op (g, ys) -> f = g && List.equal equal xs ys
     | x, y -> x = y

let rank = function
  | Int_literal _ -> 0
  | Bool_literal _ -> 1
  | Variable _ -> 2
  | Apply _ -> 3
  | Op _ -> 4

(* A total order, the same on every run. *)
let rec order a b =
  if equal a b then 0
  else
    match (a.node, b.node) with
    | Apply (f, xs), Apply (g, ys) when f = g -> List.compare order xs ys
    | Op (f, xs), Op (g, ys) when f = g -> List.compare order xs ys
    | Apply (f, _), Apply (g, _) -> compare f g
    | Op (f, _), Op (g, _) -> compare f g
    | (Int_literal _ as x), (Int_literal _ as y)
    | (Bool_literal _ as x), (Bool_literal _ as y)
    | (Variable _ as x), (Variable _ as y) ->
        compare x y
    | x, y -> Int.compare (rank x) (rank y)

module Table = Hashtbl.Make (struct
  type nonrec t = t

  let equal = equal
  let hash t = t.hash
end)

let op o ts = make (Op (o, ts))
let int i = make (Int_literal i)
let bool b = make (Bool_literal b)
let true_ = bool true
let false_ = bool false
let none = int (-1)
let variable v = make (Variable v)

let individual name =
  variable { name; base = name; sort = Int; members = [||]; kind = Name }

let apply f args = make (Apply (f, args))

(* {1 Simplifying constructors} *)

let not_ t =
  match t.node with
  | Bool_literal b -> bool (not b)
  | Op (Not, [ t ]) -> t
  | Op (Le, [ a; b ]) -> op Lt [ b; a ]
  | Op (Lt, [ a; b ]) -> op Le [ b; a ]
  | _ -> op Not [ t ]

(* Makes And and Or. [unit] is the neutral value; its negation decides the
   result. Linear in the operands, since long chains are made in one call. *)
let junction o unit ts =
  let flat t = match t.node with Op (p, ts) when p = o -> ts | _ -> [ t ] in
  let seen = Table.create 8 in
  let first t =
    t.node <> Bool_literal unit
    && (not (Table.mem seen t))
    && begin
         Table.add seen t ();
         true
       end
  in
  let ts = List.filter first (List.concat_map flat ts) in
  let decided t = t.node = Bool_literal (not unit) || Table.mem seen (not_ t) in
  if List.exists decided ts then bool (not unit)
  else match ts with [] -> bool unit | [ t ] -> t | ts -> op o ts

let and_ = junction And true
let or_ = junction Or false
let implies a b = or_ [ not_ a; b ]

let ite c a b =
  match (c.node, a.node, b.node) with
  | Bool_literal true, _, _ -> a
  | Bool_literal false, _, _ -> b
  | _ when equal a b -> a
  | _, Bool_literal true, _ -> or_ [ c; b ]
  | _, Bool_literal false, _ -> and_ [ not_ c; b ]
  | _, _, Bool_literal true -> or_ [ not_ c; a ]
  | _, _, Bool_literal false -> and_ [ c; a ]
  | _ -> op Ite [ c; a; b ]

let eq a b =
  match (a.node, b.node) with
  | Int_literal i, Int_literal j -> bool (i = j)
  | Bool_literal true, _ -> b
  | _, Bool_literal true -> a
  | Bool_literal false, _ -> not_ b
  | _, Bool_literal false -> not_ a
  | _ -> (
      match order a b with
      | 0 -> true_
      | n when n < 0 -> op Eq [ a; b ]
      | _ -> op Eq [ b; a ])

let le a b =
  match (a.node, b.node) with
  | Int_literal i, Int_literal j -> bool (i <= j)
  | _ -> if equal a b then true_ else op Le [ a; b ]

let lt a b =
  match (a.node, b.node) with
  | Int_literal i, Int_literal j -> bool (i < j)
  | _ -> if equal a b then false_ else op Lt [ a; b ]

(* Terms are unbounded integers: a sum that does not fit into an integer here
   is left to the prover. *)
let add ts =
  let flat t = match t.node with Op (Add, ts) -> ts | _ -> [ t ] in
  let sum, rest =
    List.fold_left
      (fun (sum, rest) t ->
        match t.node with
        | Int_literal i -> (
            match Whole.add sum i with
            | Some sum -> (sum, rest)
            | None -> (sum, t :: rest))
        | _ -> (sum, t :: rest))
      (0, []) (List.concat_map flat ts)
  in
  match List.rev (if sum = 0 then rest else int sum :: rest) with
  | [] -> int 0
  | [ t ] -> t
  | ts -> op Add ts

let mul a b =
  match (a.node, b.node) with
  | Int_literal i, Int_literal j -> (
      match Whole.mul i j with Some n -> int n | None -> op Mul [ a; b ])
  | Int_literal 0, _ | _, Int_literal 0 -> int 0
  | Int_literal 1, _ -> b
  | _, Int_literal 1 -> a
  | _ -> op Mul [ a; b ]

let neg t = mul (int (-1)) t
let sub a b = if equal a b then int 0 else add [ a; neg b ]

(* Euclid's division by a positive divisor rounds down, so the two signs of the
   dividend are treated apart. *)
let rec quotient a k =
  if k < 0 then neg (quotient a (-k))
  else
    match a.node with
    | Int_literal i -> int (i / k)
    | _ when k = 1 -> a
    | _ ->
        let down t = op Div [ t; int k ] in
        ite (le (int 0) a) (down a) (neg (down (neg a)))

let remainder a k = sub a (mul (int k) (quotient a k))

(* {1 Division by a term} *)

let divided = { symbol = "quotient"; arity = 2; result = Int }
let rest_of_division = { symbol = "remainder"; arity = 2; result = Int }

(* [of_signs a b fact]: the facts of [a] and [b] for each combination of signs.
   A negative operand is replaced by its opposite. *)
let of_signs a b fact =
  let signed t = [ (le (int 0) t, t, true); (le t (int 0), neg t, false) ] in
  List.concat_map
    (fun (sign_of_a, size_of_a, positive) ->
      List.concat_map
        (fun (sign_of_b, size_of_b, same) ->
          let same = positive = same in
          List.map
            (fun fact -> implies (and_ [ sign_of_a; sign_of_b ]) fact)
            (fact ~positive ~same size_of_a size_of_b))
        (signed b))
    (signed a)

let quotient_facts a b q =
  implies (eq b (int 0)) (eq q (int 0))
  :: of_signs a b (fun ~positive:_ ~same a b ->
         let q = if same then q else neg q in
         [
           le (int 0) q;
           le q a;
           implies (eq b (int 1)) (eq q a);
           implies (lt a b) (eq q (int 0));
           implies (and_ [ le (int 1) b; le b a ]) (le (int 1) q);
         ])

let remainder_facts a b r =
  implies (eq b (int 0)) (eq r a)
  :: of_signs a b (fun ~positive ~same:_ a b ->
         let r = if positive then r else neg r in
         [
           le (int 0) r;
           le r a;
           implies (le (int 1) b) (lt r b);
           implies (lt a b) (eq r a);
         ])

(* {1 Variables and symbols} *)

let rec walk f t =
  f t;
  match t.node with
  | Apply (_, ts) | Op (_, ts) -> List.iter (walk f) ts
  | Int_literal _ | Bool_literal _ | Variable _ -> ()

let gather pick ts =
  let seen = Hashtbl.create 16 and found = ref [] in
  let note t =
    match pick t with
    | Some x when not (Hashtbl.mem seen x) ->
        Hashtbl.add seen x ();
        found := x :: !found
    | Some _ | None -> ()
  in
  List.iter (walk note) ts;
  List.rev !found

let variables =
  gather (fun t -> match t.node with Variable v -> Some v | _ -> None)

let symbols =
  gather (fun t -> match t.node with Apply (f, _) -> Some f | _ -> None)

let smt_name name =
  "|" ^ String.map (function '|' | '\\' -> '!' | c -> c) name ^ "|"

let op_smt = function
  | Not -> "not"
  | And -> "and"
  | Or -> "or"
  | Ite -> "ite"
  | Eq -> "="
  | Le -> "<="
  | Lt -> "<"
  | Add -> "+"
  | Mul -> "*"
  | Div -> "div"

let add_smt out t =
  let text = Buffer.add_string out in
  let rec term t =
    match t.node with
    | Int_literal i when i < 0 ->
        (* The least integer has no opposite: the sign is cut off the text. *)
        let digits = string_of_int i in
        text "(- ";
        text (String.sub digits 1 (String.length digits - 1));
        text ")"
    | Int_literal i -> text (string_of_int i)
    | Bool_literal b -> text (string_of_bool b)
    | Variable v -> text (smt_name v.name)
    | Apply (f, []) -> text (smt_name f.symbol)
    | Apply (f, ts) -> call (smt_name f.symbol) ts
    | Op (o, ts) -> call (op_smt o) ts
  and call f ts =
    text "(";
    text f;
    List.iter
      (fun t ->
        text " ";
        term t)
      ts;
    text ")"
  in
  term t

let smt t =
  let out = Buffer.create 256 in
  add_smt out t;
  Buffer.contents out

let infix op ts = "(" ^ String.concat (" " ^ op ^ " ") ts ^ ")"

let rec whyml ~name t =
  let w = whyml ~name in
  match t.node with
  | Int_literal i when i < 0 -> Printf.sprintf "(%d)" i
  | Int_literal i -> string_of_int i
  | Bool_literal b -> string_of_bool b
  | Variable { sort = Bool; name = n; _ } -> "(" ^ name n ^ " = True)"
  | Variable v -> name v.name
  | Apply (f, ts) ->
      "(" ^ String.concat " " (name f.symbol :: List.map w ts) ^ ")"
  | Op (Not, [ t ]) -> "(not " ^ w t ^ ")"
  | Op (And, ts) -> infix "/\\" (List.map w ts)
  | Op (Or, ts) -> infix "\\/" (List.map w ts)
  | Op (Ite, [ c; a; b ]) ->
      Printf.sprintf "(if %s then %s else %s)" (w c) (w a) (w b)
  | Op (Eq, ts) ->
      infix (if List.exists boolean ts then "<->" else "=") (List.map w ts)
  | Op (Le, ts) -> infix "<=" (List.map w ts)
  | Op (Lt, ts) -> infix "<" (List.map w ts)
  | Op (Add, ts) -> infix "+" (List.map w ts)
  | Op (Mul, ts) -> infix "*" (List.map w ts)
  | Op (Div, ts) -> "(div " ^ String.concat " " (List.map w ts) ^ ")"
  | Op ((Not | Ite), _) -> assert false

and boolean t =
  match t.node with
  | Bool_literal _
  | Variable { sort = Bool; _ }
  | Apply ({ result = Bool; _ }, _) ->
      true
  | Op ((Not | And | Or | Eq | Le | Lt), _) -> true
  | Op (Ite, [ _; a; _ ]) -> boolean a
  | Int_literal _ | Variable _ | Apply _ | Op _ -> false

let named pick some t =
  match t.node with
  | Variable v -> pick v
  | Int_literal -1 -> "none"
  | _ -> "some " ^ some

let called some t = named (fun v -> v.base) some t
let distinct_name some t = named (fun v -> v.name) some t
