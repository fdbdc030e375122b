open Dromos_policy_core
open Core
open Declared

exception Not_compiled = Words.Not_compiled

let sprintf = Printf.sprintf
let unknown = Declared.unknown
let braced = Stmt.braces

(* {1 Functions and handlers} *)

(* After a handler, line numbers are those of the C file again. *)
let here t = if t.lines.directives then [ Stmt.reset ] else []
let context t where = { Expr.where; locals = Hashtbl.create 8; sites = t.sites }

let written t where f =
  let context = context t where in
  let body =
    Stmt.body ~lines:t.lines ~keys:t.keys context ~parameters:f.parameters
      f.func_body
  in
  let parameters =
    "struct event *e"
    :: List.map (fun l -> "s64 " ^ Expr.local context l) f.parameters
  in
  Stmt.comment t.lines f.func_place
  @ braced
      (sprintf "static __always_inline %s %s(%s)"
         (if f.result = None then "void" else "s64")
         (Words.of_function where f)
         (String.concat ", " parameters))
      body
  @ here t @ [ "" ]

let needed t where code =
  List.concat_map
    (fun f ->
      let name = Words.of_function where f in
      if Hashtbl.mem t.written name then []
      else begin
        Hashtbl.add t.written name ();
        written t where f
      end)
    (Visits.functions code)

let events =
  [
    (New, "on_new", Words.Placing);
    (Unblock, "on_unblock", Placing);
    (Attach, "on_attach", Placing);
    (Block, "on_block", Local);
    (Terminate, "on_terminate", Local);
    (Yield, "on_yield", Local);
    (Tick, "on_tick", Local);
    (Schedule, "on_schedule", Local);
    (Enter_idle, "on_enter_idle", Local);
    (Exit_idle, "on_exit_idle", Local);
    (Entry, "on_entry", Local);
    (Exit, "on_exit", Local);
  ]

let stealing_events =
  [
    (Balancing, "on_balancing", Words.Local);
    (Newly_idle, "on_newly_idle", Local);
  ]

let handler_of t event =
  List.find_opt (fun h -> h.event = event) (Query.reactions t.policy)

let stands_in = function
  | Attach -> Some "on_new(e);"
  | Terminate -> Some "on_block(e);"
  | _ -> None

let handler t (event, name, where) =
  let head = sprintf "static __always_inline void %s(struct event *e)" name in
  match handler_of t event with
  | None -> braced head (Option.to_list (stands_in event)) @ [ "" ]
  | Some h ->
      needed t where h.handler_body
      @ Stmt.comment t.lines h.handler_place
      @ braced head
          (Stmt.body ~lines:t.lines ~keys:t.keys (context t where)
             ~parameters:[] h.handler_body)
      @ here t @ [ "" ]

(* {1 Stealing} *)

(* A function of a stealing phase. Its variables have their values from the
   event. *)
let phase t where ?(result = "s64") ~parameters ~named head b =
  let context = context t where in
  let before =
    List.map
      (fun (l, value) ->
        sprintf "s64 %s = %s;" (Words.of_policy l.local_name) value)
      named
  in
  let distinct = List.sort_uniq String.compare before in
  List.iter
    (fun (l, _) ->
      Hashtbl.replace context.locals l.local_id (Words.of_policy l.local_name))
    named;
  needed t where b
  @ braced
      (sprintf "static __always_inline %s %s(%s)" result head
         (String.concat ", " ("struct event *e" :: parameters)))
      (distinct @ Stmt.body ~lines:t.lines ~keys:t.keys context ~parameters:[] b)
  @ here t @ [ "" ]

let returned e = [ { what = Return (Some e); stands_at = e.at } ]

let condition t where ~named name = function
  | None ->
      braced
        (sprintf "static __always_inline bool %s(struct event *e)" name)
        [ "return false;" ]
      @ [ "" ]
  | Some e ->
      phase t where ~result:"bool" ~parameters:[] ~named name (returned e)

let filter t name ~named f =
  phase t Local ~result:"bool"
    ~parameters:[ "s64 from__filter"; "s64 to__filter" ]
    ~named:
      (named
      @ [
          (f.filter_source, "from__filter"); (f.filter_destination, "to__filter");
        ])
    name (returned f.admits)

let steal t { by_group; by_core = s } =
  let groups =
    match by_group with
    | None -> []
    | Some g ->
        [
          (g.source_group, "e->source_group");
          (g.destination_group, "e->destination_group");
        ]
  in
  let destination = (s.destination, "e->destination") in
  let both = groups @ [ destination ] in
  let all = both @ [ (s.source, "e->source") ] in
  let core =
    [
      (fun () -> filter t "can_steal_core" ~named:groups s.can_steal_core);
      (fun () ->
        phase t Local ~parameters:[] ~named:both "select_core"
          (returned s.select_core));
      (fun () ->
        phase t Taking ~result:"void" ~parameters:[ "s64 taken__candidate" ]
          ~named:(all @ [ (s.candidate, "taken__candidate") ])
          "steal_thread" s.take);
      (fun () -> condition t Taking ~named:all "enough" s.enough);
      (fun () -> condition t Local ~named:both "until" s.until);
    ]
  in
  let group =
    match by_group with
    | None -> []
    | Some g ->
        let mine = [ List.nth groups 1 ] in
        [
          (fun () -> filter t "can_steal_group" ~named:[] g.can_steal_group);
          (fun () ->
            phase t Local ~parameters:[] ~named:mine "select_group"
              (returned g.select_group));
          (fun () ->
            condition t Local ~named:(mine @ [ destination ]) "group_until"
              g.group_until);
        ]
  in
  (* A function stands before its first caller. *)
  let parts = List.concat_map (fun part -> part ()) (core @ group) in
  [ sprintf "#define REPEATED %b" s.repeated ]
  @ (match by_group with
    | None -> []
    | Some g ->
        [
          "#define BY_GROUP";
          sprintf "#define GROUP_REPEATED %b" g.group_repeated;
        ])
  @ [
      "";
      "static __always_inline void take(struct event *e, s64 t, u32 state);";
      "";
    ]
  @ parts @ [ Texts.stealing ]

(* {1 The file} *)

let alone t event =
  match handler_of t event with Some h -> h.is_synchronized | None -> false

let switches t =
  let has event = handler_of t event <> None in
  let if_ condition line = if condition then [ line ] else [] in
  let empty =
    match handler_of t Tick with
    | Some { handler_body = []; _ } | None -> true
    | Some _ -> false
  in
  [ sprintf "#define HAS_TICK %b" (not empty) ]
  @ if_ (has Newly_idle) "#define HAS_NEWLY_IDLE"
  @ if_ (has Balancing) "#define HAS_BALANCING"
  @ [
      sprintf "#define NEWLY_IDLE_ALONE %b" (alone t Newly_idle);
      sprintf "#define BALANCING_ALONE %b" (alone t Balancing);
    ]

let power_of_two ~least ~most n = n >= least && n <= most && n land (n - 1) = 0

let compile ?(cores = 64) ?(threads = 65536) ?(text = "") ?(directives = false)
    ~source policy =
  if not (power_of_two ~least:64 ~most:1024 cores) then
    invalid_arg (sprintf "Sched_ext.compile: %d cores" cores);
  if not (power_of_two ~least:64 ~most:(1 lsl 22) threads) then
    invalid_arg (sprintf "Sched_ext.compile: %d threads" threads);
  let t =
    {
      policy;
      lines =
        {
          file = source;
          text = Array.of_list (String.split_on_char '\n' text);
          directives;
        };
      sites = { orders = 0; snapshots = 0; fresh = 0 };
      written = Hashtbl.create 16;
      keys = keys_in policy;
    }
  in
  let declared = declarations t in
  let handlers = List.concat_map (handler t) events in
  let stealing = match policy.steal with None -> [] | Some s -> steal t s in
  let balancing = List.concat_map (handler t) stealing_events in
  let title text = [ ""; sprintf "/* {%s} */" text; "" ] in
  let all =
    [
      sprintf "/* Made from %s: do not edit." (Filename.basename source);
      "   [e] is the event, e->self the core on which a handler runs, \
       e->target its";
      "   thread, or that core. */";
      "";
    ]
    @ parameters t ~cores ~threads
    @ switches t @ [ ""; Texts.prelude ] @ [ "#define NOWHERE (-1)" ]
    @ title "States and attributes of the policy"
    @ declared @ [ ""; Texts.machine ]
    @ title "Orders, loads, and what attributes begin with"
    @ orders t @ beginnings t
    @ title "The policy's handlers"
    @ handlers @ stealing @ balancing @ [ Texts.ops ]
  in
  let text = String.concat "\n" all in
  if directives then
    Stmt.numbered
      ~file:(Filename.remove_extension (Filename.basename source) ^ ".bpf.c")
      text
  else text
