open Dromos_policy_core.Core
open Expr

let sprintf = Printf.sprintf

(* {1 Questions about blocks} *)

let rec exists p block =
  List.exists
    (fun s ->
      p s.what
      ||
      match s.what with
      | If (_, a, b) -> exists p a || exists p b
      | Foreach { body; _ } -> exists p body
      | _ -> false)
    block

let returns = exists (function Return _ -> true | _ -> false)

(* True if the block breaks out of its own loop. *)
let rec breaks block =
  List.exists
    (fun s ->
      match s.what with
      | Break -> true
      | If (_, a, b) -> breaks a || breaks b
      | _ -> false)
    block

(* True if the end of the block is never reached. *)
let rec leaves = function
  | [] -> false
  | [ { what = Return _ | Break; _ } ] -> true
  | [ { what = If (_, a, b); _ } ] -> leaves a && leaves b
  | _ :: rest -> leaves rest

let rec assigned block =
  List.concat_map
    (fun s ->
      match s.what with
      | Set_local (l, _) -> [ (l, s) ]
      | If (_, a, b) -> assigned a @ assigned b
      | Foreach { body; _ } -> assigned body
      | _ -> [])
    block

(* {1 Blocks}

   [ending] gives the value at the end of the block, and the value of a
   [Return]. *)

type ending =
  | Nothing  (** a handler: both values are [()] *)
  | Result  (** a function with a result, whose end is not reached *)
  | Found of ending  (** a loop that may return: the values are options *)

let fallen_off = function
  | Nothing -> "()"
  | Result -> "assert false"
  | Found _ -> "None"

let returned context ending value =
  match (ending, value) with
  | Nothing, _ -> "()"
  | Result, Some e -> expression context e
  | Result, None -> "()"
  | Found _, None -> "Some ()"
  | Found _, Some e -> sprintf "Some %s" (operand context e)

let indent text =
  String.concat "\n"
    (List.map (fun l -> "  " ^ l) (String.split_on_char '\n' text))

let set context how owner a e =
  from_the_left context [ owner; e ] (fun operands ->
      sprintf "%s m %s %s %s" how (List.hd operands) (Names.of_attribute a)
        (as_word e (List.nth operands 1)))

let simple_statement context s =
  match s.what with
  | Set_local (l, e) ->
      sprintf "%s := %s" (Names.of_local context.names l) (expression context e)
  | Set (Some o, ({ owner = Of_thread; _ } as a), e) ->
      set context "set_thread_word" o a e
  | Set (Some o, ({ owner = Of_core; _ } as a), e) ->
      set context "set_core_word" o a e
  | Set (Some o, ({ owner = Of_group; _ } as a), e) ->
      set context "set_group_word" o a e
  | Set (Some o, ({ owner = Of_domain; _ } as a), e) ->
      set context "set_domain_word" o a e
  | Set (_, a, e) ->
      sprintf "set_global_word m %s %s" (Names.of_attribute a) (word context e)
  | Move { thread; core; state } ->
      let state = Names.of_state state in
      from_the_left context [ thread; core ] (fun operands ->
          let thread = List.hd operands and core = List.nth operands 1 in
          match context.moving with
          | Placing -> sprintf "place m %s %s %s" thread core state
          | Local -> sprintf "move m %s %s %s" core thread state
          | Taking -> sprintf "choose v %s" state)
  | Steal_for { group; core } ->
      let core = operand context core in
      let group = Option.fold ~none:core ~some:(operand context) group in
      sprintf "steal_for m %s %s" group core
  | Do e -> sprintf "ignore (%s : _)" (expression context e)
  | Break -> "raise_notrace Exit"
  | If _ | Foreach _ | Return _ -> assert false

let rec block context ending = function
  | [] -> fallen_off ending
  | [ { what = Break; _ } ] -> "raise_notrace Exit"
  | { what = Return e; _ } :: _ -> returned context ending e
  | { what = Set_local (l, e); _ } :: rest
    when not (List.mem l.local_id context.mutable_locals) ->
      sprintf "let %s = %s in\n%s"
        (Names.of_local context.names l)
        (expression context e)
        (block context ending rest)
  | ({ what = Set_local (l, e); _ } as s) :: rest
    when List.memq s context.declarations ->
      sprintf "let %s = ref %s in\n%s"
        (Names.of_local context.names l)
        (operand context e)
        (block context ending rest)
  | { what = If (c, a, b); _ } :: rest -> if_ context ending c a b rest
  | { what = Foreach _ as loop; _ } :: rest -> foreach context ending loop rest
  | s :: [] when ending = Nothing -> simple_statement context s
  | s :: rest ->
      sprintf "%s;\n%s" (simple_statement context s) (block context ending rest)

(* An [if] after an [else] continues the chain; [text] was made from [code]. *)
and otherwise code text =
  match code with [ { what = If _; _ } ] -> text | _ -> begun text

(* A single call needs no begin and end. *)
and begun text =
  if String.contains text '\n' || String.starts_with ~prefix:"if " text then
    sprintf "begin\n%s\nend" (indent text)
  else text

and if_ context ending c a b rest =
  let condition = expression context c in
  (* [a] and [b], each continued to the end by [ending]. *)
  let choose ending a b =
    let then_ = begun (block context ending a) in
    match (block context ending b, ending) with
    | "()", Nothing -> sprintf "if %s then %s" condition then_
    | text, _ ->
        sprintf "if %s then %s\nelse %s" condition then_ (otherwise b text)
  in
  if not (returns a || returns b) then
    match rest with
    | [] when ending = Nothing -> choose Nothing a b
    | _ -> sprintf "%s;\n%s" (choose Nothing a b) (block context ending rest)
  else if leaves a then choose ending a (b @ rest)
  else if leaves b then choose ending (a @ rest) b
  else choose ending (a @ rest) (b @ rest)

and foreach context ending loop rest =
  match loop with
  | Foreach { each; among; order; body } -> (
      let among =
        match (among.ty_of, order) with
        | Threads, [] -> all_threads context among
        | Threads, _ ->
            let what =
              "a loop over threads in another order than their queue's"
            in
            raise (Not_compiled (among.at, what))
        | _, [] -> operand context among
        | _ ->
            sprintf "(ordered %s %s)" (operand context among)
              (keys context order)
      in
      let name = Names.of_local context.names each in
      let over f mode =
        sprintf "%s\n  (fun %s ->\n%s)\n  %s" f name
          (indent (indent (block context mode body)))
          among
      in
      if returns body && breaks body then
        raise
          (Not_compiled (each_place body, "a loop with both break and return"))
      else if returns body then
        match (ending, rest) with
        | Found _, [] -> over "List.find_map" ending
        | Found _, _ ->
            sprintf "match %s with\n| Some _ as found -> found\n| None ->\n%s"
              (over "List.find_map" ending)
              (indent (block context ending rest))
        | (Nothing | Result), _ ->
            sprintf "match %s with\n| Some found -> found\n| None ->\n%s"
              (over "List.find_map" (Found ending))
              (indent (block context ending rest))
      else
        let here =
          if breaks body then
            sprintf "(try %s\nwith Exit -> ())" (over "List.iter" Nothing)
          else over "List.iter" Nothing
        in
        match rest with
        | [] when ending = Nothing -> here
        | _ -> sprintf "%s;\n%s" here (block context ending rest))
  | _ -> assert false

and each_place = function
  | s :: _ -> s.stands_at
  | [] -> { file = ""; line = 1; column = 0; last_line = 1; last_column = 0 }

(* A variable with more than one assignment becomes a reference; its first
   assignment makes the reference. A parameter with an assignment becomes a
   reference at the start of the body. *)
let body names moving ~result ~parameters code =
  let all = assigned code in
  let is l (x, _) = x.local_id = l.local_id in
  let is_parameter l =
    List.exists (fun p -> p.local_id = l.local_id) parameters
  in
  let again (l, _) = List.length (List.filter (is l) all) > 1 in
  let changed =
    List.sort_uniq
      (fun a b -> Int.compare a.local_id b.local_id)
      (List.filter_map
         (fun ((l, _) as x) ->
           if is_parameter l || again x then Some l else None)
         all)
  in
  let declaration l =
    if is_parameter l then None else Some (snd (List.find (is l) all))
  in
  let context =
    {
      names;
      moving;
      mutable_locals = List.map (fun l -> l.local_id) changed;
      declarations = List.filter_map declaration changed;
    }
  in
  let reference l =
    let name = Names.of_local names l in
    sprintf "let %s = ref %s in\n" name name
  in
  String.concat "" (List.map reference (List.filter is_parameter changed))
  ^ block context (match result with None -> Nothing | Some _ -> Result) code
