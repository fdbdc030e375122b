open Dromos_policy_core.Core

exception Not_compiled of place * string

type context = {
  names : Names.t;
  moving : Names.moving;
  mutable_locals : int list;
  declarations : statement list;
}

let sprintf = Printf.sprintf

let operator = function
  | Add -> "+"
  | Sub -> "-"
  | Mul -> "*"
  | Div -> "/"
  | Mod -> "mod"
  | And -> "&&"
  | Or -> "||"
  | Eq -> "="
  | Ne -> "<>"
  | Lt -> "<"
  | Le -> "<="
  | Gt -> ">"
  | Ge -> ">="
  | Bit_and -> "land"
  | Bit_or -> "lor"

(* The precedence of an expression. An operand is put in parentheses if it binds
   less tightly than its place demands. *)
type level =
  | Atom
  | Application
  | Product
  | Sum
  | Comparison
  | Both
  | Either
  | Loose

let level_of = function
  | Mul | Div | Mod | Bit_and | Bit_or -> Product
  | Add | Sub -> Sum
  | Eq | Ne | Lt | Le | Gt | Ge -> Comparison
  | And -> Both
  | Or -> Either

(* While threads are taken, observations of the destination count the taken
   threads too. *)
let observed context name c =
  match context.moving with
  | Taking -> sprintf "seen_%s m v %s" name c
  | Placing | Local -> sprintf "%s m %s" name c

(* The cores whose word is 0, or not. *)
let counted_cores context relation =
  ( Application,
    sprintf "List.filter (fun c -> %s %s 0) (cores m)"
      (observed context "runnable" "c")
      relation )

let thread_keys order =
  let key { direction; by } =
    let text =
      match by with
      | Attribute a -> sprintf "thread_word t %s" (Names.of_attribute a)
      | By_cload | By_count -> "0"
    in
    match direction with Lowest -> text | Highest -> sprintf "-(%s)" text
  in
  sprintf "[| %s |]" (String.concat "; " (List.map key order))

(* OCaml mostly evaluates operands from the right; a policy evaluates them from
   the left. *)
let ordered = Dromos_policy_core.Walk.in_order

(* No policy has names with a quote. *)
let operand_name i = sprintf "operand%d'" (i + 1)

let rec at context most e =
  let level, text = written context e in
  if compare level most <= 0 then text else "(" ^ text ^ ")"

and operand context e = at context Atom e
and expression context e = at context Loose e

and written context e =
  let operand = operand context in
  let call format = Printf.ksprintf (fun text -> (Application, text)) format in
  match e.it with
  | Int_value n -> (Atom, if n < 0 then sprintf "(%d)" n else string_of_int n)
  | Bool_value b -> (Atom, string_of_bool b)
  | Member (enum, i) -> (Atom, Names.of_member enum i)
  | No_thread -> call "none m"
  | No_core | No_group | No_domain -> (Atom, "(-1)")
  | Local l ->
      let name = Names.of_local context.names l in
      ( Atom,
        if List.mem l.local_id context.mutable_locals then "!" ^ name else name
      )
  | Self -> (Atom, "self")
  | Target -> (Atom, "target")
  | Waker -> (Atom, "waker")
  | Read (of_, ({ ty = Bool; _ } as a)) ->
      (Comparison, read context e.at of_ a ^ " <> 0")
  | Read (of_, a) -> (Application, read context e.at of_ a)
  | Cload c -> (Application, observed context "cload" (operand c))
  | Runnable c -> (Application, observed context "runnable" (operand c))
  | Count (c, state) ->
      call "%s %s" (observed context "count" (operand c)) (Names.of_state state)
  | Threads_in (c, state) ->
      call "first_thread m %s %s" (operand c) (Names.of_state state)
  | Cores_of ({ ty_of = Group; _ } as g) ->
      call "cores_of_group m %s" (operand g)
  | Cores_of d | Groups_of d -> call "cores_of_domain m %s" (operand d)
  | All_cores -> call "cores m"
  | Idle_cores -> counted_cores context "="
  | Active_cores -> counted_cores context "<>"
  | Filtered -> (Atom, "filtered")
  | Domains_of c -> call "domains m %s" (operand c)
  | Those { each; among; holds } ->
      call "List.filter (fun %s -> %s) %s"
        (Names.of_local context.names each)
        (expression context holds) (operand among)
  | First (among, []) when among.ty_of = Threads -> written context among
  | First (among, order) when among.ty_of = Threads ->
      call "least_thread m %s (fun t -> %s)"
        (all_threads context among)
        (thread_keys order)
  | First (among, order) ->
      call "first_core %s %s" (operand among) (keys context order)
  | Any ({ ty_of = Threads; _ } as among) ->
      call "any_thread m %s" (all_threads context among)
  | Any among -> call "any_core m %s" (operand among)
  | Empty ({ ty_of = Threads; _ } as among) ->
      call "not (valid m %s)" (operand among)
  | Empty among -> (Comparison, sprintf "%s = []" (at context Application among))
  | Valid ({ ty_of = Thread | Threads; _ } as a) ->
      call "valid m %s" (operand a)
  | Valid a -> (Comparison, sprintf "%s >= 0" (at context Application a))
  | In (a, ({ ty_of = Threads; _ } as among)) ->
      call "among %s %s" (operand a) (all_threads context among)
  | In (a, ({ ty_of = Thread; _ } as slot)) ->
      let side = at context Application in
      (Comparison, sprintf "%s == %s" (side a) (side slot))
  | In (a, among) -> call "List.mem %s %s" (operand a) (operand among)
  | Not a -> call "not %s" (operand a)
  | Minus a -> (Product, sprintf "-%s" (operand a))
  | Operation (((Div | Mod) as op), a, ({ it = Int_value _; _ } as b)) ->
      operation context op a b
  | Operation (((Div | Mod) as op), a, b) ->
      let divided = if op = Div then "quotient" else "remainder" in
      let applied operands = String.concat " " (divided :: operands) in
      if ordered [ a; b ] then in_order context [ a; b ] applied
      else (Application, applied [ operand a; operand b ])
  | Operation (((Eq | Ne) as op), ({ ty_of = Thread; _ } as a), b) ->
      let same = if op = Eq then "==" else "!=" in
      if ordered [ a; b ] then in_order context [ a; b ] (infix same)
      else
        let side = at context Application in
        (Comparison, sprintf "%s %s %s" (side a) same (side b))
  | Operation (((And | Or) as op), a, b) -> operation context op a b
  | Operation (op, a, b) when ordered [ a; b ] ->
      in_order context [ a; b ] (infix (operator op))
  | Operation (op, a, b) -> operation context op a b
  | If_else (c, a, b) ->
      let side = at context Either in
      ( Loose,
        sprintf "if %s then %s else %s" (expression context c) (side a) (side b)
      )
  | Call (f, args) ->
      let name = Names.of_function context.moving f in
      let given =
        match context.moving with
        | Taking -> "m v self target"
        | Placing | Local -> "m self target"
      in
      let applied args = String.concat " " (name :: given :: args) in
      if ordered args then in_order context args applied
      else (Application, applied (List.map operand args))

and infix operator operands = String.concat (" " ^ operator ^ " ") operands

and in_order context es text =
  let bind i e =
    sprintf "let %s = %s in " (operand_name i) (expression context e)
  in
  let names = List.mapi (fun i _ -> operand_name i) es in
  (Loose, String.concat "" (List.mapi bind es) ^ text names)

(* A queue, for which [written] gives the first thread only. *)
and all_threads context among =
  match among.it with
  | Threads_in (c, state) ->
      sprintf "(threads m %s %s)" (operand context c) (Names.of_state state)
  | _ -> raise (Not_compiled (among.at, "a queue that is not one core's"))

(* [left] and [right] are the levels down to which operands need no parentheses.
   Sums associate to the left, logical operators to the right. Products and
   comparisons within operands of their own level get parentheses. *)
and operation context op a b =
  let level = level_of op in
  let left, right =
    match level with
    | Product -> (Application, Application)
    | Sum -> (Sum, Product)
    | Comparison -> (Sum, Sum)
    | Both -> (Comparison, Both)
    | Either -> (Both, Either)
    | Atom | Application | Loose -> (Atom, Atom)
  in
  ( level,
    sprintf "%s %s %s" (at context left a) (operator op) (at context right b) )

and read context place of_ a =
  let word = Names.of_attribute a in
  match (a.owner, of_) with
  | Of_thread, Some t -> sprintf "thread_word %s %s" (operand context t) word
  | Of_core, Some c -> sprintf "core_word m %s %s" (operand context c) word
  | Of_group, Some g -> sprintf "group_word m %s %s" (operand context g) word
  | Global, _ when a.system && a.name = "now" -> "now m"
  | Global, _ when a.system && a.name = "random" -> "random m"
  | Of_domain, Some d -> sprintf "domain_word m %s %s" (operand context d) word
  | Global, _ -> sprintf "global_word m %s" word
  | (Of_thread | Of_core | Of_group | Of_domain), None ->
      raise (Not_compiled (place, "an attribute of nothing"))

and keys context order =
  let key { direction; by } =
    let text =
      match by with
      | By_cload -> observed context "cload" "c"
      | By_count -> observed context "runnable" "c"
      | Attribute a -> sprintf "core_word m c %s" (Names.of_attribute a)
    in
    match direction with
    | Lowest -> sprintf "(fun c -> %s)" text
    | Highest -> sprintf "(fun c -> -(%s))" text
  in
  sprintf "[ %s ]" (String.concat "; " (List.map key order))

let as_word e text =
  match e.ty_of with Bool -> sprintf "(Bool.to_int %s)" text | _ -> text

let word context e = as_word e (operand context e)

let from_the_left context es text =
  if ordered es then "(" ^ snd (in_order context es text) ^ ")"
  else text (List.map (operand context) es)
