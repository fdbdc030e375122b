(* The functions of the standard library that the translator knows. *)

open Refuse
open Heaplang

(* Translates a function of fixed arity, if the translation does not depend on
   the types of the operands. *)
let plain name (args : expr list) : expr option =
  match (name, args) with
  | ("Atomic.make" | "Atomic.make_contended"), [ v ] -> Some (Ref v)
  | "Atomic.get", [ a ] -> Some (Load a)
  | "Atomic.set", [ a; v ] -> Some (Store (a, v))
  | "Atomic.exchange", [ a; v ] -> Some (Xchg (a, v))
  | "Atomic.fetch_and_add", [ a; n ] -> Some (Faa (a, n))
  | "Atomic.incr", [ a ] -> Some (seq (Faa (a, int 1)) unit)
  | "Atomic.decr", [ a ] -> Some (seq (Faa (a, int (-1))) unit)
  | "Array.make", [ n; v ] -> Some (global "array_make" [ n; v ])
  | "Array.init", [ n; f ] -> Some (global "array_init" [ n; f ])
  | "Array.length", [ a ] -> Some (global "array_length" [ a ])
  | ("Array.get" | "Array.unsafe_get"), [ a; i ] ->
      Some (global "array_get" [ a; i ])
  | ("Array.set" | "Array.unsafe_set"), [ a; i; v ] ->
      Some (global "array_set" [ a; i; v ])
  | "Mutex.create", [ u ] -> Some (global "mutex_create" [ u ])
  | "Mutex.lock", [ m ] -> Some (global "mutex_lock" [ m ])
  | "Mutex.unlock", [ m ] -> Some (global "mutex_unlock" [ m ])
  | "Condition.create", [ u ] -> Some (global "condition_create" [ u ])
  | "Condition.wait", [ c; m ] -> Some (global "condition_wait" [ c; m ])
  | "Condition.signal", [ c ] -> Some (global "condition_signal" [ c ])
  | "Condition.broadcast", [ c ] -> Some (global "condition_broadcast" [ c ])
  | "Domain.spawn", [ f ] -> Some (global "domain_spawn" [ f ])
  | "Domain.join", [ d ] -> Some (global "domain_join" [ d ])
  | "Domain.cpu_relax", [ u ] -> Some u
  | "ignore", [ e ] -> Some (seq e unit)
  | "not", [ e ] -> Some (Not e)
  | "&&", [ a; b ] -> Some (And_also (a, b))
  | "||", [ a; b ] -> Some (Or_else (a, b))
  | "+", [ a; b ] -> Some (Op (Plus, a, b))
  | "-", [ a; b ] -> Some (Op (Minus, a, b))
  | "*", [ a; b ] -> Some (Op (Times, a, b))
  | "/", [ a; b ] -> Some (Op (Quot, a, b))
  | "mod", [ a; b ] -> Some (Op (Rem, a, b))
  | "land", [ a; b ] -> Some (Op (And, a, b))
  | "lor", [ a; b ] -> Some (Op (Or, a, b))
  | "lxor", [ a; b ] -> Some (Op (Xor, a, b))
  | "lsl", [ a; b ] -> Some (Op (Shift_left, a, b))
  | "~-", [ a ] -> Some (Neg a)
  | "succ", [ a ] -> Some (Op (Plus, a, int 1))
  | "pred", [ a ] -> Some (Op (Minus, a, int 1))
  | "fst", [ a ] -> Some (Fst a)
  | "snd", [ a ] -> Some (Snd a)
  | _ -> None

let comparison name a b : expr option =
  match name with
  | "<" -> Some (Op (Lt, a, b))
  | "<=" -> Some (Op (Le, a, b))
  | ">" -> Some (Op (Lt, b, a))
  | ">=" -> Some (Op (Le, b, a))
  | "=" | "==" -> Some (Op (Eq, a, b))
  | "<>" | "!=" -> Some (Not (Op (Eq, a, b)))
  | _ -> None

let is_structural name = List.mem name [ "<"; "<="; ">"; ">="; "="; "<>" ]
let is_physical name = List.mem name [ "=="; "!=" ]

(* Refuses a function of the standard library that is not in the subset, with
   the reason. *)
let unknown loc name =
  match name with
  | "lsr" | "asr" ->
      refuse loc
        "%s has no counterpart on unbounded integers: use /, or [@choice] if \
         any number would do"
        name
  | "lnot" -> refuse loc "lnot is outside the subset: use -x - 1"
  | "compare" | "min" | "max" ->
      refuse loc "%s compares polymorphically: use < and if" name
  | "raise" | "raise_notrace" | "failwith" | "invalid_arg" | "exit" ->
      refuse loc
        "%s: there are no exceptions; return a variant, or write assert false \
         where the program cannot get"
        name
  | "ref" | "!" | ":=" | "incr" | "decr" ->
      refuse loc "%s: there are no references; use a mutable field" name
  | _ ->
      if String.starts_with ~prefix:"Effect." name then
        refuse loc "%s: there are no effects; handle them outside the kernel"
          name
      else if String.starts_with ~prefix:"Obj." name then
        refuse loc "%s: values have no representation here" name
      else
        refuse loc
          "Stdlib.%s is outside the subset: write what it does in the subset"
          name

let is_known name arity = plain name (List.init arity (fun _ -> unit)) <> None

let check_known loc name arity =
  if not (is_known name arity) then
    if List.exists (is_known name) [ 1; 2; 3 ] then
      refuse loc "Stdlib.%s with another number of arguments: give them all"
        name
    else unknown loc name
