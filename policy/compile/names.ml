open Dromos_policy_core
open Core

type moving = Placing | Local | Taking

(* What the generated code itself uses, and OCaml's keywords. *)
let taken =
  String.split_on_char ' '
    "and as assert begin class constraint do done downto else end exception \
     external false for fun function functor if in include inherit initializer \
     lazy let match method module mutable new nonrec object of open or private \
     rec sig struct then to true try type val virtual when while with mod land \
     lor lxor lsl lsr asr m self target v maker policy self_ not ref ignore"

(* OCaml's values begin with a small letter. *)
let value name =
  let name =
    String.uncapitalize_ascii
      (String.map
         (function
           | ('a' .. 'z' | 'A' .. 'Z' | '0' .. '9' | '_') as c -> c | _ -> '_')
         name)
  in
  if List.mem name taken then name ^ "_" else name

let of_local l = value l.local_name

(* Fields of a structure have a dot in their name. *)
let of_attribute a =
  let name = String.map (function '.' -> '_' | c -> c) a.name in
  match a.owner with
  | Of_thread -> "thread_" ^ name
  | Of_core -> "core_" ^ name
  | Of_group -> "group_" ^ name
  | Of_domain -> "domain_" ^ name
  | Global -> "global_" ^ name

let of_member enum i =
  String.uncapitalize_ascii enum.enum_name ^ "_" ^ enum.members.(i)

let of_state s = "state_" ^ s.state_name

let rec moves_in block = List.exists moves_by block

and moves_by s =
  List.exists calls_mover (Walk.expressions s)
  ||
  match s.what with
  | Move _ -> true
  | If (_, a, b) -> moves_in a || moves_in b
  | Foreach { body; _ } -> moves_in body
  | _ -> false

and calls_mover e =
  (match e.it with Call (f, _) -> moves f | _ -> false)
  || List.exists calls_mover (Walk.operands e)

and moves f = moves_in f.func_body

let of_function moving f =
  let name = value f.func_name in
  if not (moves f) then name
  else
    match moving with
    | Placing -> name ^ "_placing"
    | Local -> name ^ "_here"
    | Taking -> name ^ "_taking"
