open Heaplang
open Format

let string ppf x = fprintf ppf "\"%s\"%%string" x

let binder ppf = function
  | None -> pp_print_string ppf "BAnon"
  | Some x -> fprintf ppf "(BNamed %a)" string x

let literal ppf = function
  | Int n -> fprintf ppf "(LitV (LitInt (%d)%%Z))" n
  | Bool b -> fprintf ppf "(LitV (LitBool %b))" b
  | Unit -> pp_print_string ppf "(LitV LitUnit)"

let operator = function
  | Plus -> "PlusOp"
  | Minus -> "MinusOp"
  | Times -> "MultOp"
  | Quot -> "QuotOp"
  | Rem -> "RemOp"
  | And -> "AndOp"
  | Or -> "OrOp"
  | Xor -> "XorOp"
  | Shift_left -> "ShiftLOp"
  | Le -> "LeOp"
  | Lt -> "LtOp"
  | Eq -> "EqOp"
  | Offset -> "OffsetOp"

let false_ = Lit (Bool false)
let true_ = Lit (Bool true)

let rec expr ppf e =
  let node name parts =
    fprintf ppf "@[<hov 1>(%s" name;
    List.iter (fprintf ppf "@ %a" expr) parts;
    fprintf ppf ")@]"
  in
  match e with
  | Var x -> fprintf ppf "(Var %a)" string x
  | Global name -> fprintf ppf "(Val %s)" name
  | Lit l -> fprintf ppf "(Val %a)" literal l
  | Constant_l l -> fprintf ppf "(Val (InjLV %a))" literal l
  | Rec (self, params, body) -> abstraction ppf "Rec" self params body
  | App (f, args) -> application ppf f (List.rev args)
  | Op (op, a, b) -> node ("BinOp " ^ operator op) [ a; b ]
  | Not e -> node "UnOp NegOp" [ e ]
  | Neg e -> node "UnOp MinusUnOp" [ e ]
  | And_also (a, b) -> node "If" [ a; b; false_ ]
  | Or_else (a, b) -> node "If" [ a; true_; b ]
  | If (a, b, c) -> node "If" [ a; b; c ]
  | Let (x, bound, body) -> node "App" [ Rec (None, [ x ], body); bound ]
  | Pair (a, b) -> node "Pair" [ a; b ]
  | Fst e -> node "Fst" [ e ]
  | Snd e -> node "Snd" [ e ]
  | Inj_l e -> node "InjL" [ e ]
  | Inj_r e -> node "InjR" [ e ]
  | Case (on, (x, a), (y, b)) ->
      node "Case" [ on; Rec (None, [ x ], a); Rec (None, [ y ], b) ]
  | Ref e -> node "AllocN" [ int 1; e ]
  | Alloc_n (n, v) -> node "AllocN" [ n; v ]
  | Fork e -> node "Fork" [ e ]
  | Load a -> node "Load" [ a ]
  | Store (a, v) -> node "Store" [ a; v ]
  | Na_load a -> expr ppf (global "na_load" [ a ])
  | Na_store (a, v) -> expr ppf (global "na_store" [ a; v ])
  | Cas (a, o, n) -> node "Snd" [ Cmp_xchg (a, o, n) ]
  | Cmp_xchg (a, o, n) -> node "CmpXchg" [ a; o; n ]
  | Xchg (a, v) -> node "Xchg" [ a; v ]
  | Faa (a, n) -> node "FAA" [ a; n ]
  | New_proph -> pp_print_string ppf "NewProph"
  | Resolve (e, p, v) -> node "Resolve" [ e; p; v ]
  | Stuck -> node "App" [ unit; unit ]

(* [App] takes one argument, so the application to the last argument is the
   outermost. *)
and application ppf f reversed =
  match reversed with
  | [] -> expr ppf f
  | last :: before ->
      fprintf ppf "@[<hov 1>(App@ ";
      application ppf f before;
      fprintf ppf "@ %a)@]" expr last

(* [Rec] takes one parameter. [name] is the constructor of the outermost
   abstraction: [Rec] for an expression, [RecV] for a value. *)
and abstraction ppf name self params body =
  match params with
  | [] -> expr ppf body
  | x :: rest ->
      fprintf ppf "@[<hov 1>(%s %a %a@ " name binder self binder x;
      abstraction ppf "Rec" None rest body;
      fprintf ppf ")@]"

let rec value ppf e =
  match e with
  | Lit l -> literal ppf l
  | Constant_l l -> fprintf ppf "(InjLV %a)" literal l
  | Global name -> pp_print_string ppf name
  | Rec (self, params, body) -> abstraction ppf "RecV" self params body
  | Pair (a, b) -> fprintf ppf "(PairV %a %a)" value a value b
  | Inj_l e -> fprintf ppf "(InjLV %a)" value e
  | Inj_r e -> fprintf ppf "(InjRV %a)" value e
  | _ -> assert false

let comparison ppf d =
  fprintf ppf "@[<hov 2>Goal %s =@ %a.@]@.Proof. reflexivity. Qed.@." d.name
    value d.body
