open Ast
open Inline
open Page

(* {1 Statements} *)

(* The statement of a block that needs no braces under an [if]. *)
let short { body; _ } =
  match body with
  | [ { s = If _ | Foreach _ | Block _ | Declare _; _ } ] -> None
  | [ { s; _ } ] -> Some s
  | _ -> None

(* The conditions and blocks of an [if] with its [else if]s, and the last
   [else]. *)
let rec chain condition yes no =
  match no with
  | Some { body = [ { s = If (condition', yes', no'); _ } ]; _ } ->
      let rest, last = chain condition' yes' no' in
      ((condition, yes) :: rest, last)
  | _ -> ([ (condition, yes) ], no)

(* Prints both on one line if they fit. *)
let under page opening body =
  let together =
    on_one_line (fun ppf ->
        opening ppf;
        Format.fprintf ppf " %a" simple body)
  in
  if page.indent + String.length together <= width then line page together
  else begin
    wrapped page opening;
    page.indent <- page.indent + 2;
    wrapped page (fun ppf -> simple ppf body);
    page.indent <- page.indent - 2
  end

let rec statement page { s; s_at } =
  match s with
  | If (condition, yes, no) ->
      item page s_at ~head:(end_of condition.e_at) (fun () ->
          conditional page s_at condition yes no)
  | Foreach (each, among, keys, body) ->
      item page s_at ~head:(end_of among.e_at) (fun () ->
          let opening ppf =
            Format.fprintf ppf "foreach (%s in@ %a%a)" each.text (exp 0) among
              optional_order keys
          in
          match short body with
          | Some body when not (holds_comment page s_at) ->
              under page opening body
          | _ -> braces page opening body)
  | Block body ->
      item page s_at ~head:(start_of s_at) (fun () ->
          braces page (fun _ -> ()) body)
  | _ -> leaf page s_at (fun ppf -> simple ppf s)

and conditional page place condition yes no =
  let branches, last = chain condition yes no in
  let heading word condition ppf =
    Format.fprintf ppf "%s (%a)" word (exp 0) condition
  in
  let all = List.map snd branches @ Option.to_list last in
  let otherwise ppf = text ppf "else" in
  if
    (not (holds_comment page place))
    && List.for_all (fun block -> short block <> None) all
  then begin
    let print opening block = Option.iter (under page opening) (short block) in
    List.iteri
      (fun i (condition, block) ->
        print (heading (if i = 0 then "if" else "else if") condition) block)
      branches;
    Option.iter (print otherwise) last
  end
  else begin
    List.iteri
      (fun i (condition, block) ->
        braces page
          (heading (if i = 0 then "if" else "} else if") condition)
          block ~close:false)
      branches;
    Option.iter
      (fun block ->
        braces page (fun ppf -> text ppf "} else") block ~close:false)
      last;
    line page "}"
  end

and braces ?(close = true) page opening { body; closed } =
  let heading = on_one_line opening in
  let space = if heading = "" then "" else " " in
  if close && body = [] && not (holds_comment page closed) then
    wrapped page (fun ppf ->
        opening ppf;
        text ppf (space ^ "{ }"))
  else begin
    wrapped page (fun ppf ->
        opening ppf;
        text ppf (space ^ "{"));
    indented page ~closes:closed (fun () -> List.iter (statement page) body);
    if close then line page "}"
  end

(* {1 Declarations} *)

let variables page v =
  leaf page v.v_at (fun ppf ->
      Format.fprintf ppf "%a%a %a;" declared v.how ty v.v_ty
        (separated declarator) v.names)

let thread_state page t =
  leaf page t.t_at (fun ppf ->
      Format.fprintf ppf "%a%s" declared t.t_how (class_name t.state_class);
      Option.iter (Format.fprintf ppf " %a" ty) t.t_ty;
      Format.fprintf ppf " %s" t.t_name.text;
      if t.t_order <> [] then Format.fprintf ppf " :@ %a" order t.t_order;
      Option.iter
        (fun ((attribute : name), (value : name)) ->
          Format.fprintf ppf " :@ %s = %s" attribute.text value.text)
        t.t_attribute;
      text ppf ";")

let core_state page c =
  leaf page c.c_at (fun ppf ->
      Format.fprintf ppf "%s%s %a %s;"
        (if c.c_system then "system " else "")
        (if c.active then "active" else "sleeping")
        ty c.c_ty c.c_name.text)

let block_of page heading { items; closes } print =
  if items = [] && not (holds_comment page closes) then
    line page (heading ^ " { }")
  else begin
    line page (heading ^ " {");
    indented page ~closes (fun () -> List.iter (print page) items);
    line page "}"
  end

let func page f =
  item page f.f_at ~head:(end_of f.f_name.at) (fun () ->
      braces page
        (fun ppf ->
          Format.fprintf ppf "%a %s%a" ty f.result f.f_name.text parameters
            f.parameters)
        f.f_body)

(* {1 Stealing} *)

let filter page word f =
  item page f.filter_at ~head:(end_of f.filter_at) (fun () ->
      wrapped page (fun ppf ->
          Format.fprintf ppf "%s%a {" word parameters f.filter_params);
      page.indent <- page.indent + 2;
      wrapped page (fun ppf -> exp 0 ppf f.test);
      page.indent <- page.indent - 2;
      line page ("} => " ^ f.passed.text))

let select page word s =
  item page s.select_at ~head:(end_of s.select_at) (fun () ->
      let together =
        Printf.sprintf "%s() { %s } => %s" word (expression s.pick)
          s.picked.text
      in
      if page.indent + String.length together <= width then line page together
      else begin
        line page (word ^ "() {");
        page.indent <- page.indent + 2;
        wrapped page (fun ppf -> exp 0 ppf s.pick);
        page.indent <- page.indent - 2;
        line page ("} => " ^ s.picked.text)
      end)

let migrate page m =
  let head =
    match m.migrate_params with
    | first :: _ -> end_of first.p_name.at
    | [] -> start_of m.migrate_at
  in
  item page m.migrate_at ~head (fun () ->
      braces page ~close:false
        (fun ppf ->
          Format.fprintf ppf "steal_thread%a" parameters m.migrate_params)
        m.taking;
      wrapped page (fun ppf -> Format.fprintf ppf "}%a" until m.enough))

(* Prints [do { ... } until (...)], or the inner part alone if it is not
   repeated. *)
let loop page ~repeated ~closes ~after condition print =
  if repeated then begin
    line page "do {";
    indented page ~closes (fun () ->
        print ();
        List.iter (statement page) after);
    wrapped page (fun ppf -> Format.fprintf ppf "}%a" until condition)
  end
  else print ()

let steal_core page c =
  filter page "can_steal_core" c.filter;
  loop page ~repeated:c.repeated ~closes:c.done_at ~after:c.after c.until
    (fun () ->
      select page "select_core" c.select;
      migrate page c.migrate)

let steal_group page g core =
  filter page "can_steal_group" g.group_filter;
  loop page ~repeated:g.group_repeated ~closes:g.group_done_at
    ~after:g.group_after g.group_until (fun () ->
      select page "select_group" g.group_select;
      steal_core page core);
  if not g.group_repeated then
    Option.iter
      (fun _ ->
        (* The [until] follows the brace of the part printed last. *)
        Buffer.truncate page.out (Buffer.length page.out - 1);
        raw page (on_one_line (fun ppf -> until ppf g.group_until)))
      g.group_until

let steal page s =
  wrapped page (fun ppf ->
      text ppf "steal";
      if s.steal_params <> [] then parameters ppf s.steal_params;
      text ppf " = {");
  let closes =
    {
      s.steal_at with
      line = s.steal_at.last_line;
      column = max 0 (s.steal_at.last_column - 1);
    }
  in
  indented page ~closes (fun () ->
      match s.by_group with
      | None -> steal_core page s.by_core
      | Some g -> steal_group page g s.by_core);
  line page "}"

(* {1 The whole} *)

let event page e =
  item page e.event_at ~head:(end_of e.event.at) (fun () ->
      braces page
        (fun ppf ->
          Format.fprintf ppf "On %s%s"
            (if e.synchronized then "synchronized " else "")
            e.event.text)
        e.reaction)

let core_item page = function
  | Core_variables v -> variables page v
  | Core_threads (states, place) ->
      item page place ~head:(start_of place) (fun () ->
          block_of page "threads =" states thread_state)
  | Core_steal s ->
      item page s.steal_at ~head:(start_of s.steal_at) (fun () -> steal page s)

let owner = function
  | Of_thread -> "thread"
  | Of_group -> "group"
  | Of_domain -> "domain"

let declaration page { d; d_at } =
  let open_item print = item page d_at ~head:(start_of d_at) print in
  match d with
  | Const { system; ty = t; name; value } ->
      leaf page d_at (fun ppf ->
          if system then text ppf "system ";
          text ppf "const ";
          Option.iter (Format.fprintf ppf "%a " ty) t;
          Format.fprintf ppf "%s =@ %a;" name.text (exp 0) value)
  | Struct (name, fields) ->
      open_item (fun () ->
          block_of page ("type " ^ name.text ^ " = struct") fields variables)
  | Enum (name, members) ->
      leaf page d_at (fun ppf ->
          Format.fprintf ppf "type %s = enum {@ %a@ }" name.text
            (separated (fun ppf (m : name) -> text ppf m.text))
            members)
  | Attributes (of_what, v) ->
      open_item (fun () -> block_of page (owner of_what ^ " =") v variables)
  | Threads states ->
      open_item (fun () -> block_of page "threads =" states thread_state)
  | Cores states ->
      open_item (fun () -> block_of page "cores =" states core_state)
  | Core items -> open_item (fun () -> block_of page "core =" items core_item)
  | Global v -> variables page v
  | System_function { system; result; name; parameters = given } ->
      leaf page d_at (fun ppf ->
          Format.fprintf ppf "%s%a %s%a;"
            (if system then "system " else "")
            ty result name.text parameters given)
  | Steal s -> open_item (fun () -> steal page s)
  | Handler { kind; event_name; events } ->
      open_item (fun () ->
          line page
            (Printf.sprintf "handler (%s %s) {" kind.text event_name.text);
          indented page ~closes:events.closes (fun () ->
              List.iter (event page) events.items);
          line page "}")
  | Interface functions ->
      open_item (fun () -> block_of page "interface =" functions func)
  | Function f -> func page f
  | Within rounds ->
      leaf page d_at (fun ppf ->
          Format.fprintf ppf "conserve within %d idle rounds;" rounds)
  | Exempt { event; condition; reason } ->
      leaf page d_at (fun ppf ->
          Format.fprintf ppf "exempt %s when (%a)@ because \"%s\";" event.text
            (exp 0) condition reason)

let format ast =
  let page =
    {
      out = Buffer.create 4096;
      pending = ast.comments;
      indent = 0;
      last_line = 0;
      opening = false;
    }
  in
  let start = start_of ast.scheduler.at in
  flush page start ~as_if_on:max_int;
  gap page ast.scheduler.at.line;
  line page (Printf.sprintf "scheduler %s = {" ast.scheduler.text);
  indented page ~closes:ast.ends (fun () ->
      List.iter (declaration page) ast.declarations);
  line page "}";
  trailing page;
  flush page (max_int, 0) ~as_if_on:max_int;
  Buffer.contents page.out

let expression = Inline.expression
