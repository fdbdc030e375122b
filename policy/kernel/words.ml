open Dromos_policy_core
open Core

exception Not_compiled of place * string

(* {1 Names} *)

let is_letter = function
  | 'a' .. 'z' | 'A' .. 'Z' | '0' .. '9' | '_' -> true
  | _ -> false

let words text =
  let n = String.length text in
  let rec word i j found =
    if j < n && is_letter text.[j] then word i (j + 1) found
    else
      let found = if j > i then String.sub text i (j - i) :: found else found in
      if j >= n then found else word (j + 1) (j + 1) found
  in
  word 0 0 []

let keywords =
  "auto break case char const continue default do double else enum extern \
   float for goto if inline int long register restrict return short signed \
   sizeof static struct switch typedef union unsigned void volatile while asm \
   typeof main linux unix i386"

(* Macros of the included headers, except those in capitals. *)
let macros = "barrier barrier_var container_of offsetof"

(* Every word of the machine's text is taken, also in comments: C has one name
   space, and macros reach everywhere. *)
let taken =
  lazy
    (let table = Hashtbl.create 1000 in
     List.iter
       (fun text ->
         List.iter (fun word -> Hashtbl.replace table word ()) (words text))
       [
         keywords;
         macros;
         Texts.prelude;
         Texts.machine;
         Texts.stealing;
         Texts.ops;
       ];
     table)

(* The generator's own names begin with these prefixes, or have two
   underscores. *)
let prefixes =
  [
    "policy_";
    "state_";
    "thread_";
    "core_";
    "group_";
    "domain_";
    "global_";
    "on_";
    "initial_";
    "set_";
    "bpf_";
    "scx_";
    "SCX_";
    "BPF_";
    "_";
  ]

let has_two_underscores name =
  let rec at i =
    i + 1 < String.length name
    && ((name.[i] = '_' && name.[i + 1] = '_') || at (i + 1))
  in
  at 0

(* The headers' macros and enumerators are in capitals. *)
let in_capitals name =
  String.length name > 1 && String.uppercase_ascii name = name

let is_taken name =
  Hashtbl.mem (Lazy.force taken) name
  || in_capitals name || has_two_underscores name
  || String.ends_with ~suffix:"_" name
  || List.exists (fun prefix -> String.starts_with ~prefix name) prefixes

let of_policy name = if is_taken name then "policy_" ^ name else name

(* The fields of a structure have a dot in their names. *)
let field a = String.concat "__" (String.split_on_char '.' a.name)

let of_attribute a =
  let owner =
    match a.owner with
    | Of_thread -> "thread__"
    | Of_core -> "core__"
    | Of_group -> "group__"
    | Of_domain -> "domain__"
    | Global -> "global__"
  in
  owner ^ field a

let of_member enum i = enum.enum_name ^ "__" ^ enum.members.(i)

let of_state s =
  if s.state_class = Running then "RUNNING" else "state__" ^ s.state_name

(* {1 Functions}

   A function is written once for each place where its text differs: where no
   lock is held and moves choose a core, under the lock of a core, and while
   threads are taken. *)

type where = Placing | Local | Taking

let moves_or holds b = Visits.moves b || Visits.exists ~expression:holds b

let chooses =
  moves_or (fun e ->
      match e.it with
      | All_cores | Idle_cores | Active_cores | Cores_of _ -> true
      | _ -> false)

let observes =
  moves_or (fun e ->
      match e.it with
      | Cload _ | Runnable _ | Count _ | Idle_cores | Active_cores
      | First (_, _ :: _) ->
          true
      | _ -> false)

let of_function where f =
  let name = of_policy f.func_name in
  match where with
  | Placing when chooses f.func_body -> name ^ "__placing"
  | Taking when observes f.func_body -> name ^ "__taking"
  | Placing | Local | Taking -> name
