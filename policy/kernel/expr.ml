open Dromos_policy_core.Core

let sprintf = Printf.sprintf

type sites = {
  mutable orders : int;
  mutable snapshots : int;
  mutable fresh : int;
}

type context = {
  where : Words.where;
  locals : (int, string) Hashtbl.t;
  sites : sites;
}

let refuse at what = raise (Words.Not_compiled (at, what))

let fresh context base =
  context.sites.fresh <- context.sites.fresh + 1;
  sprintf "%s__%d" base context.sites.fresh

let local context l =
  match Hashtbl.find_opt context.locals l.local_id with
  | Some name -> name
  | None -> Words.of_policy l.local_name

(* The precedence of an expression. *)
type level = Atom | Unary | Product | Sum | Comparison | Both | Either | Loose

let operator = function
  | Add -> "+"
  | Sub -> "-"
  | Mul -> "*"
  | Div -> "/"
  | Mod -> "%"
  | And -> "&&"
  | Or -> "||"
  | Eq -> "=="
  | Ne -> "!="
  | Lt -> "<"
  | Le -> "<="
  | Gt -> ">"
  | Ge -> ">="
  | Bit_and -> "&"
  | Bit_or -> "|"

(* C leaves the order of operands open; a policy evaluates them from left to
   right. *)
let ordered = Dromos_policy_core.Walk.in_order

let suffix at keys =
  match List.length keys with
  | 1 -> ""
  | 2 -> "2"
  | 3 -> "3"
  | n -> refuse at (sprintf "an order of %d keys" n)

let rec at context most e =
  let level, text = written context e in
  if compare level most <= 0 then text else "(" ^ text ^ ")"

and operand context e = at context Atom e
and expression context e = at context Loose e

and observed context name c =
  match context.where with
  | Taking -> sprintf "seen_%s(e, %s)" name c
  | Placing | Local -> sprintf "%s(%s)" name c

and written context e : level * string =
  let expression = expression context in
  let atom format = Printf.ksprintf (fun text -> (Atom, text)) format in
  match e.it with
  | Int_value n ->
      ( (if n < 0 then Unary else Atom),
        sprintf "%d%s" n (if abs n > 0x3fffffff then "LL" else "") )
  | Bool_value b -> atom "%b" b
  | Member (enum, i) -> (Atom, Words.of_member enum i)
  | No_thread -> (Atom, "0")
  | No_core | No_group | No_domain -> (Unary, "-1")
  | Local l -> (Atom, local context l)
  | Self -> (Atom, "e->self")
  | Target -> (Atom, "e->target")
  | Waker -> (Atom, "e->waker")
  | Read (of_, a) -> (Atom, read context e.at of_ a)
  | Cload c -> (Atom, observed context "cload" (expression c))
  | Runnable c -> (Atom, observed context "runnable" (expression c))
  | Count (c, state) ->
      let c = expression c and state = Words.of_state state in
      if context.where = Taking then atom "seen_count(e, %s, %s)" c state
      else atom "count(%s, %s)" c state
  | Threads_in (c, state) ->
      atom "first_thread(%s, %s)" (expression c) (Words.of_state state)
  | First (among, []) when among.ty_of = Threads -> written context among
  | First (among, order) when among.ty_of = Threads ->
      let c, state = queue context among in
      let t = fresh context "t" in
      atom "LEAST_THREAD%s(%s, %s, %s, %s)" (suffix e.at order) t c state
        (String.concat ", " (List.map (thread_key t) order))
  | First (among, order) ->
      among_all context among (fun ~for_ ~i ~member ->
          match order with
          | [] -> sprintf "FIRST(%s, %s, %s)" for_ i member
          | _ ->
              sprintf "LEAST%s(%s, %s, %s, %s)" (suffix e.at order) for_ i
                member
                (String.concat ", " (List.map (core_key context i) order)))
  | Any among when among.ty_of = Threads ->
      let c, state = queue context among in
      atom "ANY_THREAD(%s, %s, %s)" (fresh context "t") c state
  | Any among ->
      among_all context among (fun ~for_ ~i ~member ->
          sprintf "ANY(%s, %s, %s)" for_ i member)
  | Empty ({ ty_of = Threads; _ } as among) ->
      (Unary, "!" ^ operand context among)
  | Empty among ->
      let _, text =
        among_all context among (fun ~for_ ~i ~member ->
            sprintf "EXISTS(%s, %s, %s)" for_ i member)
      in
      (Unary, "!" ^ text)
  | Valid ({ ty_of = Thread | Threads; _ } as a) ->
      (Comparison, sprintf "%s > 0" (at context Sum a))
  | Valid a -> (Comparison, sprintf "%s >= 0" (at context Sum a))
  | In (a, ({ ty_of = Threads; _ } as among)) ->
      let c, state = queue context among in
      atom "thread_in(%s, %s, %s)" (expression a) c state
  | In (a, ({ ty_of = Thread; _ } as slot)) ->
      (Comparison, sprintf "%s == %s" (at context Sum a) (at context Sum slot))
  | In (a, among) ->
      let i = fresh context "i" in
      let bind, _, member = members context among i in
      let served =
        if among.ty_of = Cores then sprintf "serves(%s) && " i
        else sprintf "%s >= 0 && " i
      in
      atom "({ %ss64 %s = %s; %s(%s); })" bind i (expression a) served member
  | Not a -> (Unary, "!" ^ at context Unary a)
  | Minus a -> (Unary, "-" ^ operand context a)
  | Operation (((Div | Mod) as op), a, b) ->
      let name = if op = Div then "quotient" else "remainder" in
      in_order context [ a; b ] (function
        | [ a; b ] -> (Atom, sprintf "%s(%s, %s)" name a b)
        | _ -> assert false)
  | Operation (((And | Or) as op), a, b) -> operation context op a b
  | Operation (op, a, b) when ordered [ a; b ] ->
      in_order context [ a; b ] (function
        | [ a; b ] -> (Loose, sprintf "%s %s %s" a (operator op) b)
        | _ -> assert false)
  | Operation (op, a, b) -> operation context op a b
  | If_else (c, a, b) ->
      ( Loose,
        sprintf "%s ? %s : %s" (at context Either c) (at context Either a)
          (at context Either b) )
  | Call (f, args) ->
      in_order context args (fun args ->
          ( Atom,
            sprintf "%s(%s)"
              (Words.of_function context.where f)
              (String.concat ", " ("e" :: args)) ))
  | All_cores | Idle_cores | Active_cores | Filtered | Cores_of _ | Groups_of _
  | Domains_of _ | Those _ ->
      refuse e.at "a set that a function returns"

(* The operands: declarations to go before, which fix the order of evaluation
   where needed, and a text for each operand. *)
and operands context es =
  if not (ordered es) then ("", List.map (expression context) es)
  else
    let names = List.map (fun _ -> fresh context "operand") es in
    let bind name e = sprintf "s64 %s = %s; " name (expression context e) in
    (String.concat "" (List.map2 bind names es), names)

and in_order context es make =
  match operands context es with
  | "", texts -> make texts
  | binds, names -> (Atom, sprintf "({ %s%s; })" binds (snd (make names)))

and operation context op a b =
  let left, right, level =
    match op with
    | Mul | Div | Mod -> (Product, Unary, Product)
    | Add | Sub -> (Sum, Product, Sum)
    | Eq | Ne | Lt | Le | Gt | Ge -> (Sum, Sum, Comparison)
    | And -> (Both, Comparison, Both)
    (* Clang warns about a conjunction in a disjunction without parentheses. *)
    | Or -> (Comparison, Comparison, Either)
    | Bit_and | Bit_or -> (Atom, Atom, Loose)
  in
  ( level,
    sprintf "%s %s %s" (at context left a) (operator op) (at context right b) )

(* {1 Sets}

   For a set: the declarations to go before, the macro for a loop over the
   members, and the condition that [i] is a member. *)

and members context among i =
  let allowed text =
    if context.where <> Placing then text
    else
      match text with
      | "true" -> sprintf "allowed(e->target, %s)" i
      | text -> sprintf "allowed(e->target, %s) && %s" i text
  in
  let of_ e make =
    match e.it with
    | Local _ | Self -> ("", make (expression context e))
    | _ ->
        let name = fresh context "of" in
        (sprintf "s64 %s = %s; " name (expression context e), make name)
  in
  match among.it with
  | All_cores -> ("", "FOR_CORES", allowed "true")
  | Idle_cores ->
      ("", "FOR_CORES", allowed ("!" ^ observed context "runnable" i))
  | Active_cores ->
      ("", "FOR_CORES", allowed (observed context "runnable" i ^ " > 0"))
  | Filtered when among.ty_of = Cores ->
      ("", "FOR_CORES", sprintf "bit(e->filtered, %s, MAX_CORES)" i)
  | Filtered ->
      ("", "FOR_GROUPS", sprintf "bit(e->filtered_groups, %s, MAX_GROUPS)" i)
  | Cores_of ({ ty_of = Group; _ } as g) ->
      let bind, text = of_ g (fun g -> sprintf "GROUP_HAS(%s, %s)" g i) in
      (bind, "FOR_CORES", allowed text)
  | Cores_of d ->
      let bind, text = of_ d (fun d -> sprintf "DOMAIN_HAS(%s, %s)" d i) in
      (bind, "FOR_CORES", allowed text)
  | Groups_of d ->
      let bind, text =
        of_ d (fun d -> sprintf "DOMAIN_HAS_GROUP(%s, %s)" d i)
      in
      (bind, "FOR_GROUPS", text)
  | Domains_of c ->
      let bind, text = of_ c (fun c -> sprintf "DOMAIN_HAS(%s, %s)" i c) in
      (bind, "FOR_DOMAINS", text)
  | If_else (c, a, b) ->
      let name = fresh context "if" in
      let bind_a, for_, a = members context a i in
      let bind_b, _, b = members context b i in
      ( sprintf "s64 %s = %s; %s%s" name (expression context c) bind_a bind_b,
        for_,
        sprintf "(%s ? %s : %s)" name a b )
  | _ -> refuse among.at "a set that a function returns"

and among_all context among make =
  let i = fresh context "i" in
  let bind, for_, member = members context among i in
  let text = make ~for_ ~i ~member in
  (Atom, if bind = "" then text else sprintf "({ %s%s; })" bind text)

and queue context among =
  match among.it with
  | Threads_in (c, state) -> (expression context c, Words.of_state state)
  | _ -> refuse among.at "a queue that is not one core's"

and directed direction text =
  match direction with Lowest -> text | Highest -> sprintf "-(%s)" text

and core_key context i { direction; by } =
  directed direction
    (match by with
    | By_cload -> observed context "cload" i
    | By_count -> observed context "runnable" i
    | Attribute a -> sprintf "core_word(%s, %s)" i (Words.of_attribute a))

and thread_key t { direction; by } =
  directed direction
    (match by with
    | Attribute a -> sprintf "thread_word(%s, %s)" t (Words.of_attribute a)
    | By_cload | By_count -> "0")

and read context place of_ a =
  let word = Words.of_attribute a in
  let of_word kind e =
    sprintf "%s_word(%s, %s)" kind (expression context e) word
  in
  match (a.owner, of_) with
  | Of_thread, Some t -> of_word "thread" t
  | Of_core, Some c -> of_word "core" c
  | Of_group, Some g -> of_word "group" g
  | Of_domain, Some d -> of_word "domain" d
  | Global, _ when a.system && a.name = "now" -> "now(e)"
  | Global, _ when a.system && a.name = "random" -> "random(e)"
  | Global, _ -> sprintf "global_word(%s)" word
  | (Of_thread | Of_core | Of_group | Of_domain), None ->
      refuse place "an attribute of nothing"
