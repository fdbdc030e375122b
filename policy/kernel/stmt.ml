open Dromos_policy_core.Core
open Expr

let sprintf = Printf.sprintf

type lines = { file : string; text : string array; directives : bool }

(* Indents lines of C that may be indented already. *)
let indent lines =
  List.map (fun l -> if l = "" || l.[0] = '#' then l else "  " ^ l) lines

(* {1 The policy's own lines} *)

let quoted lines (at : place) =
  if at.line >= 1 && at.line <= Array.length lines.text then
    let text = String.trim lines.text.(at.line - 1) in
    String.concat "" (String.split_on_char '*' text)
  else ""

(* Stands for the directive with the number of the next line of the C file. *)
let reset = "#line here"

let numbered ~file text =
  List.mapi
    (fun i line ->
      if line = reset then sprintf "#line %d %S" (i + 2) file else line)
    (String.split_on_char '\n' text)
  |> String.concat "\n"

let comment lines (at : place) =
  if lines.directives then [ sprintf "#line %d %S" at.line lines.file ]
  else
    match quoted lines at with
    | "" -> []
    | text -> [ sprintf "/* %d: %s */" at.line text ]

(* {1 Statements} *)

type state = {
  context : context;
  lines : lines;
  mutable said : int; (* the line of the last comment *)
  mutable names : string list; (* the names declared in this function *)
  keys : attribute list; (* the attributes by which some queue is ordered *)
  again : int list;
      (* the variables that are assigned again, perhaps in a loop *)
}

let is_literal e =
  match e.it with
  | Int_value _ | Bool_value _ | Member _ | No_thread | No_core | No_group
  | No_domain ->
      true
  | _ -> false

let rec assigned b =
  List.concat_map
    (fun s ->
      match s.what with
      | Set_local (l, _) -> [ l.local_id ]
      | If (_, a, b) -> assigned a @ assigned b
      | Foreach { body; _ } -> assigned body
      | _ -> [])
    b

let rec twice = function
  | [] -> []
  | x :: rest -> if List.mem x rest then x :: twice rest else twice rest

let braces head body = (head ^ " {") :: (indent body @ [ "}" ])

let declare state l =
  let plain = Words.of_policy l.local_name in
  let name =
    if List.mem plain state.names then
      sprintf "policy_%s_%d" l.local_name l.local_id
    else plain
  in
  state.names <- name :: state.names;
  Hashtbl.replace state.context.locals l.local_id name;
  name

let set state owner a e =
  let kind =
    match a.owner with
    | Of_thread when List.exists (fun k -> k.id = a.id) state.keys -> "key"
    | Of_thread -> "thread"
    | Of_core -> "core"
    | Of_group -> "group"
    | Of_domain -> "domain"
    | Global -> "global"
  in
  let value = expression state.context e and word = Words.of_attribute a in
  match owner with
  | Some o ->
      sprintf "set_%s_word(%s, %s, %s);" kind
        (expression state.context o)
        word value
  | None -> sprintf "set_global_word(%s, %s);" word value

let move state thread core to_ =
  let context = state.context and to_ = Words.of_state to_ in
  let binds, texts = operands context [ thread; core ] in
  let t = List.nth texts 0 and c = List.nth texts 1 in
  let text =
    match context.where with
    | Words.Placing -> sprintf "choose(%s, %s, %s);" t c to_
    | Local -> sprintf "move(%s, %s, %s);" c t to_
    | Taking -> sprintf "take(e, %s, %s);" t to_
  in
  if binds = "" then text else sprintf "{ %s%s }" binds text

let rec block state b = List.concat_map (statement state) b

and statement state s =
  let head =
    if s.stands_at.line = state.said then []
    else begin
      state.said <- s.stands_at.line;
      comment state.lines s.stands_at
    end
  in
  head @ what state s.what

and what state = function
  | Set_local (l, e) ->
      let value = expression state.context e in
      if Hashtbl.mem state.context.locals l.local_id then
        [ sprintf "%s = %s;" (local state.context l) value ]
      else
        let value =
          if is_literal e && List.mem l.local_id state.again then
            sprintf "HIDDEN(%s)" value
          else value
        in
        [ sprintf "s64 %s = %s;" (declare state l) value ]
  | Set (owner, a, e) -> [ set state owner a e ]
  | Move { thread; core; state = to_ } -> [ move state thread core to_ ]
  | If (c, a, b) -> (
      let head = sprintf "if (%s)" (expression state.context c) in
      let yes = braces head (block state a) in
      match b with [] -> yes | _ -> yes @ braces "else" (block state b))
  | Foreach { each; among; order; body } -> foreach state each among order body
  | Break -> [ "break;" ]
  | Return None -> [ "return;" ]
  | Return (Some e) -> [ sprintf "return %s;" (expression state.context e) ]
  | Steal_for { group; core } ->
      let group =
        Option.fold ~none:"-1" ~some:(expression state.context) group
      in
      [ sprintf "steal_for(e, %s, %s);" group (expression state.context core) ]
  | Do e -> [ expression state.context e ^ ";" ]

and foreach state each among order body =
  let context = state.context in
  if among.ty_of = Threads then begin
    if order <> [] then
      refuse among.at "a loop over threads in another order than their queue's";
    let c, q = queue context among in
    let i = declare state each in
    if Dromos_policy_core.Visits.moves body then begin
      let site = context.sites.snapshots in
      context.sites.snapshots <- site + 1;
      braces
        (sprintf "FOR_SNAPSHOT(%d, %s, %s, %s)" site i c q)
        (block state body)
    end
    else braces (sprintf "FOR_THREADS(%s, %s, %s)" i c q) (block state body)
  end
  else
    (* The set is translated before the member gets its name. *)
    let i = fresh context "i" in
    let bind, for_, member = members context among i in
    let loop =
      match order with
      | [] ->
          let name = declare state each in
          braces
            (sprintf "%s(%s, %s)" for_ i member)
            (sprintf "s64 %s = %s;" name i :: block state body)
      | _ when among.ty_of <> Cores ->
          refuse among.at "an order of groups or domains"
      | _ ->
          let site = context.sites.orders in
          context.sites.orders <- site + 1;
          let keys = List.map (core_key context i) order in
          let k, l =
            match keys with
            | [ k ] -> (k, "0")
            | [ k; l ] -> (k, l)
            | _ -> refuse among.at "a loop in an order of more than two keys"
          in
          let name = declare state each in
          sprintf "ORDER(%d, %s, %s, %s, %s);" site i member k l
          :: braces (sprintf "FOR_ORDERED(%d, %s)" site name) (block state body)
    in
    if bind = "" then loop else braces "" (String.trim bind :: loop)

let body ~lines ~keys context ~parameters b =
  let again = twice (assigned b) in
  let state = { context; lines; said = 0; names = []; keys; again } in
  List.iter (fun l -> ignore (declare state l : string)) parameters;
  block state b
