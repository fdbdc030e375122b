open Dromos_policy_core
open Core

type moving = Placing | Local | Taking

(* The names used by the generated code itself, and OCaml's keywords. *)
let taken =
  String.split_on_char ' '
    "_ and as assert begin class constraint do done downto else end exception \
     external false for fun function functor if in include inherit initializer \
     lazy let match method module mutable new nonrec object of open or private \
     rec sig struct then to true try type val virtual when while with mod land \
     lor lxor lsl lsr asr not ref ignore raise_notrace m self target v \
     filtered policy maker none valid thread_word core_word group_word \
     global_word cload runnable count cores first_core ordered first_thread \
     threads least_thread move place source destination source_group \
     destination_group seen_cload seen_runnable seen_count choose steal_for \
     hub by_group can_steal_group select_group group_repeated group_until \
     can_steal_core select_core steal_thread enough repeated until stealing \
     words now random detach among quotient remainder cores_of_group \
     cores_of_domain domains domain_word any_core any_thread waker"

(* Prefixes of names in the generated code. A name of the policy that begins
   with such a prefix is changed. *)
let prefixes =
  [
    "state_"; "thread_"; "core_"; "group_"; "domain_"; "global_"; "on_"; "set_";
  ]

type t = string list

(* A policy has no ['] in its names, so a suffix with a quote makes a new name.
   One quote marks a name whose first letter was a capital, since OCaml's values
   begin with a small letter. Two quotes mark a name that is taken. *)
let small name =
  let first = String.uncapitalize_ascii name in
  if first = name then name else first ^ "'"

let is_taken name =
  List.mem name taken
  || List.exists (fun prefix -> String.starts_with ~prefix name) prefixes

let value others name =
  let name = small name in
  if is_taken name || List.mem name others then name ^ "''" else name

let function_name f = value [] f.func_name
let of_policy policy = List.map function_name (Array.to_list policy.functions)
let of_local functions l = value functions l.local_name

(* The fields of a structure have a dot in their names. *)
let of_field a = String.map (function '.' -> '\'' | c -> c) a.name
let of_setter a = "set_" ^ of_field a

let of_attribute a =
  let name = of_field a in
  match a.owner with
  | Of_thread -> "thread_" ^ name
  | Of_core -> "core_" ^ name
  | Of_group -> "group_" ^ name
  | Of_domain -> "domain_" ^ name
  | Global -> "global_" ^ name

let of_member enum i = small enum.enum_name ^ "'" ^ enum.members.(i)
let of_state s = "state_" ^ s.state_name
let moves f = Visits.moves f.func_body

let of_function moving f =
  let name = function_name f in
  match moving with
  | Placing when moves f -> name ^ "'placing"
  | Local when moves f -> name ^ "'here"
  | Taking -> name ^ "'taking"
  | Placing | Local -> name
