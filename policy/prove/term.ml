(* Terms are built only through the simplifying constructors below. *)

module Whole = Dromos_policy_core.Whole

type sort = Int | Bool

type var = {
  name : string;
  sort : sort;
  members : string array;
  is_name : bool;
}

type symbol = { symbol : string; arity : int; result : sort }

type t =
  | Int_literal of int
  | Bool_literal of bool
  | Variable of var
  | Apply of symbol * t list
  | Op of op * t list

and op = Not | And | Or | Ite | Eq | Le | Lt | Add | Mul | Div

let int i = Int_literal i
let bool b = Bool_literal b
let true_ = Bool_literal true
let false_ = Bool_literal false
let none = Int_literal (-1)
let variable v = Variable v
let apply f args = Apply (f, args)

let not_ = function
  | Bool_literal b -> Bool_literal (not b)
  | Op (Not, [ t ]) -> t
  | Op (Le, [ a; b ]) -> Op (Lt, [ b; a ])
  | Op (Lt, [ a; b ]) -> Op (Le, [ b; a ])
  | t -> Op (Not, [ t ])

(* And and Or: [unit] changes nothing, its negation decides. *)
let junction op unit ts =
  let flat t = match t with Op (o, ts) when o = op -> ts | t -> [ t ] in
  let ts = List.concat_map flat ts in
  let ts = List.filter (fun t -> t <> Bool_literal unit) ts in
  let ts =
    List.fold_left (fun l t -> if List.mem t l then l else t :: l) [] ts
    |> List.rev
  in
  if
    List.exists
      (fun t -> t = Bool_literal (not unit) || List.mem (not_ t) ts)
      ts
  then Bool_literal (not unit)
  else match ts with [] -> Bool_literal unit | [ t ] -> t | ts -> Op (op, ts)

let and_ = junction And true
let or_ = junction Or false
let implies a b = or_ [ not_ a; b ]

let ite c a b =
  match c with
  | Bool_literal true -> a
  | Bool_literal false -> b
  | _ when a = b -> a
  | _ -> (
      match (a, b) with
      | Bool_literal true, b -> or_ [ c; b ]
      | Bool_literal false, b -> and_ [ not_ c; b ]
      | a, Bool_literal true -> or_ [ not_ c; a ]
      | a, Bool_literal false -> and_ [ c; a ]
      | a, b -> Op (Ite, [ c; a; b ]))

let eq a b =
  match (a, b) with
  | Int_literal i, Int_literal j -> bool (i = j)
  | Bool_literal true, t | t, Bool_literal true -> t
  | Bool_literal false, t | t, Bool_literal false -> not_ t
  | a, b -> if a = b then true_ else Op (Eq, [ min a b; max a b ])

let le a b =
  match (a, b) with
  | Int_literal i, Int_literal j -> bool (i <= j)
  | a, b -> if a = b then true_ else Op (Le, [ a; b ])

let lt a b =
  match (a, b) with
  | Int_literal i, Int_literal j -> bool (i < j)
  | a, b -> if a = b then false_ else Op (Lt, [ a; b ])

(* Terms are whole numbers: what does not fit here is left to the prover. *)
let add ts =
  let flat t = match t with Op (Add, ts) -> ts | t -> [ t ] in
  let sum, rest =
    List.fold_left
      (fun (sum, rest) t ->
        match t with
        | Int_literal i -> (
            match Whole.add sum i with
            | Some sum -> (sum, rest)
            | None -> (sum, t :: rest))
        | t -> (sum, t :: rest))
      (0, []) (List.concat_map flat ts)
  in
  match List.rev (if sum = 0 then rest else Int_literal sum :: rest) with
  | [] -> int 0
  | [ t ] -> t
  | ts -> Op (Add, ts)

let mul a b =
  match (a, b) with
  | Int_literal i, Int_literal j -> (
      match Whole.mul i j with Some n -> int n | None -> Op (Mul, [ a; b ]))
  | Int_literal 0, _ | _, Int_literal 0 -> int 0
  | Int_literal 1, t | t, Int_literal 1 -> t
  | a, b -> Op (Mul, [ a; b ])

let neg t = mul (int (-1)) t
let sub a b = if a = b then int 0 else add [ a; neg b ]

(* For positive divisors Euclid's division rounds down, so the two signs of the
   dividend are told apart. *)
let rec quotient a k =
  if k < 0 then neg (quotient a (-k))
  else
    match a with
    | Int_literal i -> int (i / k)
    | _ when k = 1 -> a
    | _ ->
        let down t = Op (Div, [ t; int k ]) in
        ite (le (int 0) a) (down a) (neg (down (neg a)))

let remainder a k = sub a (mul (int k) (quotient a k))

let rec walk f t =
  f t;
  match t with
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

let variables = gather (function Variable v -> Some v | _ -> None)
let symbols = gather (function Apply (f, _) -> Some f | _ -> None)

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

let rec smt t =
  let call f ts = "(" ^ String.concat " " (f :: List.map smt ts) ^ ")" in
  match t with
  | Int_literal i when i < 0 -> Printf.sprintf "(- %d)" (-i)
  | Int_literal i -> string_of_int i
  | Bool_literal b -> string_of_bool b
  | Variable v -> smt_name v.name
  | Apply (f, []) -> smt_name f.symbol
  | Apply (f, ts) -> call (smt_name f.symbol) ts
  | Op (op, ts) -> call (op_smt op) ts

let infix op ts = "(" ^ String.concat (" " ^ op ^ " ") ts ^ ")"

let rec whyml ~name t =
  let w = whyml ~name in
  match t with
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

and boolean = function
  | Bool_literal _
  | Variable { sort = Bool; _ }
  | Apply ({ result = Bool; _ }, _) ->
      true
  | Op ((Not | And | Or | Eq | Le | Lt), _) -> true
  | Op (Ite, [ _; a; _ ]) -> boolean a
  | Int_literal _ | Variable _ | Apply _ | Op _ -> false

let rec say t =
  match t with
  | Int_literal -1 -> "none"
  | Int_literal i -> string_of_int i
  | Bool_literal b -> string_of_bool b
  | Variable v -> v.name
  | Apply (f, ts) -> f.symbol ^ "(" ^ String.concat ", " (List.map say ts) ^ ")"
  | Op (Not, ts) -> "not " ^ String.concat "" (List.map say ts)
  | Op (Ite, [ c; a; b ]) ->
      Printf.sprintf "(if %s then %s else %s)" (say c) (say a) (say b)
  | Op (op, ts) -> infix (op_smt op) (List.map say ts)
