open Dromos_policy_core
open Core

let sprintf = Printf.sprintf

type t = {
  policy : policy;
  lines : Stmt.lines;
  sites : Expr.sites;
  written : (string, unit) Hashtbl.t;
  keys : attribute list;
}

(* {1 Attributes} *)

(* Sets of the topology, and words kept by the machine itself, are no attributes
   here. *)
let is_word a =
  (not a.is_lazy)
  &&
  match a.ty with
  | Threads | Cores | Groups | Domains -> false
  | Int | Bool | Enum _ | Thread | Core | Group | Domain -> true

let owned t owner =
  List.filter
    (fun a -> a.owner = owner && is_word a)
    (Array.to_list t.policy.attributes)

let nothing t =
  { Expr.where = Words.Local; locals = Hashtbl.create 1; sites = t.sites }

let initial t a =
  match (a.ty, a.initial) with
  | _, Some e -> Expr.expression (nothing t) e
  | (Core | Group | Domain), None -> "-1"
  | _, None -> "0"

(* The C expressions for the kernel's data about a task. *)
let said_of_task =
  [
    ("nice", "p->static_prio - 120");
    ("weight", "p->scx.weight");
    ("pid", "p->pid");
    ("tgid", "p->tgid");
    ("kernel", "(p->flags & PF_KTHREAD) != 0");
  ]

let said_of_group =
  [ ("sharing_level", "topology.group[AT(g, MAX_GROUPS)].sharing") ]

let is_sleep_time a = a.system && a.owner = Of_thread && a.name = "sleep_time"

let unknown policy =
  let known a =
    match a.owner with
    | Of_thread -> is_sleep_time a || List.mem_assoc a.name said_of_task
    | Of_group -> List.mem_assoc a.name said_of_group
    | Global -> List.mem a.name [ "now"; "random" ]
    | Of_core -> a.name = "cload"
    | Of_domain -> false
  in
  List.filter
    (fun a -> a.system && is_word a && not (known a))
    (Array.to_list policy.attributes)

let owners =
  [
    (Of_thread, "THREAD_WORDS", "thread");
    (Of_core, "OWN_CORE_WORDS", "core");
    (Of_group, "OWN_GROUP_WORDS", "group");
    (Of_domain, "OWN_DOMAIN_WORDS", "domain");
    (Global, "GLOBAL_WORDS", "global");
  ]

let enums t =
  let of_attribute a = match a.ty with Enum e -> Some e | _ -> None in
  let found =
    List.filter_map of_attribute (Array.to_list t.policy.attributes)
    |> List.sort_uniq (fun a b -> String.compare a.enum_name b.enum_name)
  in
  let line enum =
    sprintf "enum { %s };"
      (String.concat ", "
         (List.mapi
            (fun i _ -> Words.of_member enum i)
            (Array.to_list enum.members)))
  in
  List.map line found

(* {1 Parameters of the machine} *)

let braced = Stmt.braces

(* A function from the state to a value. *)
let by_state t ~head ~otherwise value =
  let case s =
    Option.map (sprintf "case %s: return %s;" (Words.of_state s)) (value s)
  in
  braced head
    (match List.filter_map case (Array.to_list t.policy.states) with
    | [] -> [ sprintf "return %s;" otherwise ]
    | cases ->
        braced "switch (state)"
          (cases @ [ sprintf "default: return %s;" otherwise ]))

let order s =
  match s.container with Queue keys -> keys | Slot | One _ | Nowhere -> []

let keys_in policy =
  List.concat_map
    (fun s ->
      List.filter_map
        (fun k ->
          match k.by with Attribute a -> Some a | By_cload | By_count -> None)
        (order s))
    (Array.to_list policy.states)

(* Why a ready thread stood in its queue for so long, for the report. Without a
   tick that moves threads the running thread goes on, and no `schedule`
   comes. *)
let why_not_chosen t =
  let place (h : handler) =
    sprintf "%s:%d" (Filename.basename t.lines.file) h.handler_place.line
  in
  match (Query.handler t.policy Tick, Query.handler t.policy Schedule) with
  | None, _ -> "the running thread kept the core, as no `On tick` takes it away"
  | Some tick, _ when not (Visits.moves tick.handler_body) ->
      sprintf "`On tick` (%s) never takes the core from the running thread"
        (place tick)
  | Some _, Some schedule ->
      sprintf "`On schedule` (%s) has not chosen it" (place schedule)
  | Some _, None -> ""

let parameters t ~cores ~threads =
  let policy = t.policy in
  let define name value = sprintf "#define %s %s" name value in
  let number name n = define name (string_of_int n) in
  let most = List.fold_left (fun n s -> Int.max n (List.length (order s))) 0 in
  [
    define "POLICY_NAME" (sprintf "%S" policy.policy_name);
    define "NOT_CHOSEN" (sprintf "%S" (why_not_chosen t));
    number "MAX_CORES" cores;
    number "MAX_THREADS" threads;
    number "STATES" (Array.length policy.states);
    number "READY_STATES" (List.length (Query.ready policy));
    number "KEYS" (most (Array.to_list policy.states));
    number "ORDERS" t.sites.orders;
    number "SNAPSHOTS" t.sites.snapshots;
    "#define BALANCING_PERIOD 4000000 /* ns */";
  ]
  @ List.map
      (fun (owner, name, _) -> number name (List.length (owned t owner)))
      owners

let states t =
  let one s = sprintf "%s = %d" (Words.of_state s) s.state_id in
  [
    sprintf "enum { %s };"
      (String.concat ", " (List.map one (Array.to_list t.policy.states)));
  ]
  @ enums t
  @ List.concat_map
      (fun (owner, _, _) ->
        List.mapi
          (fun k a -> sprintf "#define %s %d" (Words.of_attribute a) k)
          (owned t owner))
      owners

let initial_arrays t =
  List.filter_map
    (fun (owner, _, name) ->
      match owner with
      | Of_core | Of_group | Of_domain ->
          let values = List.map (initial t) (owned t owner) @ [ "0" ] in
          Some
            (sprintf "static const s64 initial_%s_word[] = {%s};" name
               (String.concat ", " values))
      | Of_thread | Global -> None)
    owners

(* The declarations before the machine's text, which calls these functions. *)
let declarations t =
  states t @ initial_arrays t
  @ by_state t ~head:"static __always_inline s64 displaced_to(s64 state)"
      ~otherwise:"NOWHERE" (fun s ->
        Option.map
          (fun into -> Words.of_state t.policy.states.(into))
          (Query.displaced_to s))
  @ by_state t ~head:"static __always_inline bool has_keys(s64 state)"
      ~otherwise:"false" (fun s -> if order s = [] then None else Some "true")
  @ by_state t
      ~head:"static __always_inline const char *name_of_state(s64 state)"
      ~otherwise:"\"\"" (fun s -> Some (sprintf "%S" s.state_name))
  @ by_state t ~head:"static __always_inline bool counted(s64 state)"
      ~otherwise:"false" (fun s ->
        if Query.runnable s then Some "true" else None)
  @ braced "static __always_inline u32 ready_state(u32 i)"
      (braced "switch (i)"
         (List.mapi
            (fun i s -> sprintf "case %d: return %s;" i (Words.of_state s))
            (Query.ready t.policy)
         @ [
             sprintf "default: return %s;"
               (Words.of_state (List.hd (Query.ready t.policy)));
           ]))
  @ [
      "static bool stands_before(u32 t, u32 other, u32 state);";
      "static void keys_of(u32 t, u32 state);";
      "static bool keys_hold(u32 t, u32 state);";
      "static s64 load_of(u32 t);";
    ]

(* The definitions after the machine's text. *)
let orders t =
  let key { direction; by } =
    let text =
      match by with
      | Attribute a -> sprintf "thread_word(t, %s)" (Words.of_attribute a)
      | By_cload | By_count -> "0"
    in
    match direction with Lowest -> text | Highest -> sprintf "-%s" text
  in
  let with_keys =
    List.filter (fun s -> order s <> []) (Array.to_list t.policy.states)
  in
  let in_each what =
    List.concat_map
      (fun s ->
        braced
          (sprintf "if (state == %s)" (Words.of_state s))
          (List.concat (List.mapi what (order s))))
      with_keys
  in
  braced "static __always_inline void keys_of(u32 t, u32 state)"
    (in_each (fun i k ->
         [ sprintf "threads[AT(t, MAX_THREADS)].keys[%d] = %s;" i (key k) ]))
  @ braced "static __always_inline bool keys_hold(u32 t, u32 state)"
      (in_each (fun i k ->
           [
             sprintf
               "if (threads[AT(t, MAX_THREADS)].keys[%d] != %s) return false;" i
               (key k);
           ])
      @ [ "return true;" ])
  @ braced
      "static __always_inline bool stands_before(u32 first, u32 t, u32 state)"
      ((if with_keys = [] then []
        else [ "const s64 *keys = threads[AT(first, MAX_THREADS)].keys;" ])
      @ in_each (fun i k ->
            [
              sprintf "if (keys[%d] != %s) return keys[%d] < %s;" i (key k) i
                (key k);
            ])
      @ [ "return false;" ])
  @ braced "static __always_inline s64 load_of(u32 t)"
      [
        (match Query.load t.policy with
        | None -> "return 1;"
        | Some a -> sprintf "return thread_word(t, %s);" (Words.of_attribute a));
      ]

let beginnings t =
  let each owner f = List.map f (owned t owner) in
  let set word a =
    sprintf "%s = %s;" (word (Words.of_attribute a)) (initial t a)
  in
  let group a =
    match List.assoc_opt a.name said_of_group with
    | Some said when a.system ->
        sprintf "group_words[AT(g, MAX_GROUPS)][%s] = %s;"
          (Words.of_attribute a) said
    | Some _ | None -> set (sprintf "group_words[AT(g, MAX_GROUPS)][%s]") a
  in
  braced "static __always_inline void begin_words(u32 t)"
    (each Of_thread (set (sprintf "threads[AT(t, MAX_THREADS)].word[%s]")))
  @ braced "static __always_inline void begin_core_words(u32 c)"
      (each Of_core (set (sprintf "cores[AT(c, MAX_CORES)].word[%s]")))
  @ braced "static __always_inline void begin_group_words(u32 g)"
      (each Of_group group)
  @ braced "static __always_inline void begin_domain_words(u32 d)"
      (each Of_domain (set (sprintf "domain_words[AT(d, MAX_DOMAINS)][%s]")))
  @ braced "static __always_inline void begin_global_words(void)"
      (each Global (set (sprintf "global_words[%s]")))
  @ braced "static __always_inline void learn(u32 t, struct task_struct *p)"
      (List.filter_map
         (fun a ->
           match List.assoc_opt a.name said_of_task with
           | Some said when a.system ->
               let setter =
                 if List.memq a t.keys then "set_key_word"
                 else "set_thread_word"
               in
               Some
                 (sprintf "%s(t, %s, %s);" setter (Words.of_attribute a) said)
           | Some _ | None -> None)
         (owned t Of_thread))
  @ braced "static __always_inline void slept(u32 t, s64 ticks_asleep)"
      (List.filter_map
         (fun a ->
           if is_sleep_time a then
             Some
               (sprintf "set_thread_word(t, %s, ticks_asleep);"
                  (Words.of_attribute a))
           else None)
         (owned t Of_thread))
