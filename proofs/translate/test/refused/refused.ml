(* Each refusal, once: a name, a source, and the message. The message has the
   column (the line is always 1), the reason, and advice on what to write
   instead. *)

let cases =
  [
    (* Effects and modules *)
    ("raise",
     {|let f () = raise Exit|},
     "11: raise: there are no exceptions; return a variant, or write assert false where the program cannot get");
    ("try",
     {|let f g = try g () with Exit -> 0|},
     "10: try: there are no exceptions; return a variant, and catch outside the kernel");
    ("exception",
     {|exception E|},
     "0: an exception: return a variant");
    ("exception case",
     {|let f g = match g () with x -> x | exception Exit -> 0|},
     "45: an exception case: there are no exceptions");
    ("local exception",
     {|let f () = let exception E in ()|},
     "11: an exception: return a variant");
    ("effect case",
     {|let f g e = match g () with x -> x | effect _, _ -> e|},
     "12: an effect case: there are no effects; handle them outside the kernel");
    ("effect",
     {|let f e = Effect.perform e|},
     "10: Effect.perform: there are no effects; handle them outside the kernel");
    ("external",
     {|external f : int -> int = "f"|},
     "0: an external: write it in the subset");
    ("functor",
     {|module F (M : sig end) = struct end|},
     "0: a functor: use a record of closures");
    ("module",
     {|module M = struct let x = 0 end|},
     "0: a module inside a module: only an alias, module M = Other, is in the subset");
    ("recursive module",
     {|module rec M : sig end = struct end|},
     "0: a module inside a module: only an alias, module M = Other, is in the subset");
    ("module type",
     {|module type S = sig end|},
     "0: a module type: leave it to the interface");
    ("packing",
     {|let f () = (module Int : Map.OrderedType)|},
     "11: a module as a value: use a record of closures");
    ("local module",
     {|let f () = let module M = Atomic in M.make 0|},
     "11: a module as a value: use a record of closures");
    ("open",
     {|open Atomic|},
     "0: opening a module: name it");
    ("local open",
     {|let f a = Atomic.(get a)|},
     "10: opening a module: name it");
    ("include",
     {|include Atomic|},
     "0: including a module: define what is needed");
    ("extensible type",
     {|type t = .. type t += A|},
     "12: an extensible type: declare an ordinary variant type");
    ("its constructor",
     {|let f e = e == Not_found|},
     "15: Not_found is a constructor of an extensible type: declare an ordinary variant type");
    ("class",
     {|class c = object end|},
     "0: objects: use a record of closures");
    ("object",
     {|let f () = object end|},
     "11: objects: use a record of closures");
    ("method",
     {|let f o = o#m|},
     "10: objects: use a record of closures");
    ("toplevel evaluation",
     {|;; 1 + 1|},
     "3: a toplevel computation: make it a function");
    ("toplevel computation",
     {|let x = Atomic.make 0|},
     "8: a toplevel definition that computes: make it a function");
    ("toplevel pattern",
     {|let a, b = (1, 2)|},
     "4: a toplevel pattern: give it a name");
    (* Values *)
    ("string",
     {|let f () = "s"|},
     "11: a string: only record fields may hold one, and are dropped");
    ("string field",
     {|type t = { name : string; n : int } let f t = t.name|},
     "46: field name is dropped, as strings and fields whose name begins with _ are: do not use it");
    ("filler",
     {|type t = { _0 : int; n : int } let f t = t._0|},
     "41: field _0 is dropped, as strings and fields whose name begins with _ are: do not use it");
    ("nothing kept",
     {|type t = { name : string } let t = { name = "" }|},
     "35: a record without fields that are kept");
    ("effects of a filler",
     {|type t = { _0 : int; n : int } let f g = { _0 = g (); n = 1 }|},
     "48: effects in a field that is dropped");
    ("float",
     {|let f () = 1.5|},
     "11: a float: there are ints and bools only");
    ("char",
     {|let f () = 'c'|},
     "11: a char: use an int");
    ("boxed integer",
     {|let f () = 1L|},
     "11: a boxed integer: use int");
    ("lazy",
     {|let f () = lazy 0|},
     "11: lazy: there are no lazy values; use a closure");
    ("array literal",
     {|let f () = [| 1 |]|},
     "11: an array literal: use Array.make or Array.init");
    ("polymorphic variant",
     {|let f () = `A|},
     "11: a polymorphic variant: declare a variant type");
    ("copy",
     {|type t = { a : int; b : int } let f t = { t with a = 0 }|},
     "40: a copy of a record: give every field");
    ("large block",
     {|type t = { mutable a : int; b : int; c : int; d : int; e : int; f : int; g : int; h : int; i : int; j : int; k : int; l : int; m : int; n : int; o : int; p : int; q : int } let make x = { a = x; b = x; c = x; d = x; e = x; f = x; g = x; h = x; i = x; j = x; k = x; l = x; m = x; n = x; o = x; p = x; q = x }|},
     "186: a mutable record of more than 16 fields");
    (* Functions *)
    ("function",
     {|let f = function 0 -> 1 | n -> n|},
     "8: function: write fun x -> match x with");
    ("optional parameter",
     {|let f ?x () = x|},
     "6: an optional parameter: pass an option");
    ("default",
     {|let f ?(x = 0) () = x|},
     "6: an optional parameter: pass an option");
    ("pattern as a parameter",
     {|let f (a, _) = a|},
     "6: a pattern as a parameter: use match");
    ("partial labelled application",
     {|let f ~a ~b = a + b let g () = f ~b:1|},
     "31: partial application without argument ~a: give it");
    ("primitive as a value",
     {|let f g = g Atomic.get|},
     "12: Stdlib.Atomic.get as a value, or with another number of arguments: write fun x -> ...");
    ("primitive with too few arguments",
     {|let f a = Atomic.exchange a|},
     "10: Stdlib.Atomic.exchange with another number of arguments: give them all");
    ("outside the subset",
     {|let f l = List.length l|},
     "10: Stdlib.List.length is outside the subset: write what it does in the subset");
    ("outside the kernel",
     {|let f () = Stdlib.Domain.DLS.get|},
     "11: Stdlib.Domain.DLS.get as a value, or with another number of arguments: write fun x -> ...");
    ("reference",
     {|let f () = ref 0|},
     "11: ref: there are no references; use a mutable field");
    ("min",
     {|let f a b = min a b|},
     "12: min compares polymorphically: use < and if");
    ("lsr",
     {|let f a = a lsr 1|},
     "10: lsr has no counterpart on unbounded integers: use /, or [@choice] if any number would do");
    ("lnot",
     {|let f a = lnot a|},
     "10: lnot is outside the subset: use -x - 1");
    ("Obj",
     {|let f x = Obj.magic x|},
     "10: Obj.magic: values have no representation here");
    ("binding operator",
     {|let ( let* ) x f = f x let f x = let* y = x in y|},
     "33: a binding operator: use let and match");
    (* Bindings *)
    ("let and",
     {|let f x = let a = x and b = x in a + b|},
     "10: let ... and ...: use one let after the other");
    ("toplevel let and",
     {|let a = 0 and b = 1|},
     "0: let ... and ...: use one let after the other");
    ("local mutual recursion",
     {|let f () = let rec g x = h x and h x = g x in g 0|},
     "11: mutual recursion of local functions: make them toplevel ones");
    ("recursive value",
     {|let f () = let rec l = 0 :: l in l|},
     "23: let rec of something else than a function");
    ("pattern in let",
     {|type t = { a : int } let f t = let { a } = t in a|},
     "35: a pattern in let: use match");
    ("a parameter called like its function",
     {|let rec f f = f|},
     "10: a parameter with the name of the function itself: rename it");
    ("defined twice",
     {|let a = 0 let a = 1|},
     "10: a is defined twice in this file: rename one of them");
    (* Matches *)
    ("guard",
     {|let f o b = match o with Some x when b -> x | _ -> 0|},
     "37: a guard: use if in the case's body");
    ("nested pattern",
     {|let f o = match o with Some (Some x) -> x | _ -> 0|},
     "28: a nested pattern: match again in the case's body");
    ("nested constant",
     {|let f o = match o with Some 0 -> 1 | _ -> 0|},
     "28: a pattern that tests a constant: bind it and use if");
    ("constant pattern",
     {|let f n = match n with 0 -> 1 | _ -> 0|},
     "23: a pattern that tests a constant: use if");
    ("match on a bool",
     {|let f b = match b with true -> 1 | false -> 0|},
     "23: a match on a bool or unit: use if or ;");
    ("or-pattern",
     {|type t = A | B | C let f t = match t with A | B -> 1 | C -> 0|},
     "42: an or-pattern: write two cases");
    ("match on a tuple",
     {|let f a b = match (a, b) with Some x, _ -> x | _, _ -> 0|},
     "30: a match on a tuple: match on its components in turn");
    ("record pattern",
     {|type t = { a : int } let f t = match t with { a } -> a|},
     "44: a record pattern: use r.field");
    ("array pattern",
     {|let f a = match a with [| x |] -> x | _ -> 0|},
     "23: an array pattern: use Array.get");
    ("lazy pattern",
     {|let f l = match l with lazy x -> x|},
     "23: a lazy pattern: there are no lazy values");
    ("polymorphic variant pattern",
     {|let f v = match v with `A -> 0|},
     "23: a polymorphic variant: declare a variant type");
    ("annotated pattern",
     {|type t = E : int * 'a -> t let f x = match x with E (type a) (n, _ : int * a) -> n|},
     "50: a type annotation in a pattern: leave it out");
    ("nothing tested",
     {|let f o = match o with x -> x|},
     "10: a match that tests nothing: use let");
    ("missing case",
     {|let f o = match o with Some x -> x|},
     "10: a match that is not exhaustive: add the missing cases");
    (* Comparison *)
    ("polymorphic comparison",
     {|let f a b = a = b|},
     "12: = compares polymorphically here: it is for int and bool; use == on constants and mutable blocks");
    ("at a variant",
     {|type t = A | B let f (a : t) b = a <> b|},
     "33: <> compares polymorphically here: it is for int and bool; use == on constants and mutable blocks");
    ("physical equality",
     {|let f (a : int list) b = a == b|},
     "30: physical comparison with something that may be an immutable block: give the block a mutable field");
    ("comparison of anything",
     {|let f a b = a != b|},
     "17: physical comparison with something that may be an immutable block: give the block a mutable field");
    ("compare_and_set",
     {|let rec push t v = let old = Atomic.get t in if Atomic.compare_and_set t old (v :: old) then () else push t v|},
     "73: physical comparison with something that may be an immutable block: give the block a mutable field");
    (* Order *)
    ("two effects",
     {|let f g h = (g (), h ())|},
     "12: two operands with effects, whose order OCaml leaves open: name one of them with let");
    ("an effect and a read",
     {|type t = { mutable n : int } let f t g = t.n + g t|},
     "41: two operands with effects, whose order OCaml leaves open: name one of them with let");
    ("for",
     {|let f g = for i = g 0 to g 1 do g i done|},
     "10: two operands with effects, whose order OCaml leaves open: name one of them with let");
    (* Attributes *)
    ("choice without bound",
     {|let f a = (a lsr 1) [@choice]|},
     "20: [@choice] without its payload: write [@choice ...]");
    ("choice with an ill-typed bound",
     {|let f a = (a lsr 1) [@choice b]|},
     "29: this expression in an attribute is ill-typed");
    ("choice of a bool",
     {|let f a = a [@choice 2] && true|},
     "10: [@choice] is for expressions of type int");
    ("choice of effects",
     {|let f g = (g () + 0) [@choice 2]|},
     "10: [@choice] on an expression with effects, which would be lost: bind them by let outside");
    ("choice of a read",
     {|type t = { mutable n : int } let f t = t.n [@choice 2]|},
     "39: [@choice] on an expression with effects, which would be lost: bind them by let outside");
    ("choice with a bound of another type",
     {|let f a = (a lsr 1) [@choice true]|},
     "29: the bound of this [@choice] is not a number");
    ("an attribute on a pattern",
     {|let f (a [@fresh id]) = a|},
     "9: [@fresh] means nothing here: put it on the expression itself, in parentheses");
    ("an attribute on a binding",
     {|let f a = a [@@fresh id]|},
     "12: [@fresh] means nothing here: put it on the expression itself, in parentheses");
    ("an attribute on a type annotation",
     {|let f a = ((a : int) [@fresh id])|},
     "21: [@fresh] means nothing here: put it on the expression itself, in parentheses");
    ("resolve without payload",
     {|let f t = Atomic.compare_and_set t 0 1 [@resolve]|},
     "39: [@resolve] without its payload: write [@resolve ...]");
    ("resolve of two",
     {|let f t = Atomic.compare_and_set t 0 1 [@resolve t, t]|},
     "39: [@resolve] takes three names: write [@resolve t, key, id]");
    ("resolve of another operation",
     {|let f t x = Atomic.set t 0 [@resolve t, x, x]|},
     "12: [@resolve] on something else than Atomic.compare_and_set");
    ("resolve of no operation",
     {|let f t x = t [@resolve t, x, x]|},
     "12: [@resolve] on something else than Atomic.compare_and_set");
    ("resolve without prophecy",
     {|let f t x = Atomic.compare_and_set t 0 1 [@resolve t, x, x]|},
     "12: t in [@resolve] is not a variable of a record type with [@@prophecy]");
    ("resolve of a stranger",
     {|let f t x = Atomic.compare_and_set t 0 1 [@resolve u, x, x]|},
     "12: u in [@resolve] is not a variable of a record type with [@@prophecy]");
    ("resolve of unknown id",
     {|type t = { a : int Atomic.t } [@@prophecy] let f t x = Atomic.compare_and_set t.a 0 1 [@resolve t, x, id]|},
     "55: id in [@resolve] is neither a variable nor [@fresh]");
    ("resolve of an expression",
     {|let f t = Atomic.compare_and_set t 0 1 [@resolve t, 1, 2]|},
     "52: a ghost attribute takes the names of variables");
    ("fresh twice",
     {|let f t = t [@fresh a, b]|},
     "12: [@fresh] takes one name: write [@fresh id]");
    ("hidden by a ghost",
     {|let f id = (id + 1) [@fresh id]|},
     "12: ghost variable id hides this one: rename one of them");
    ("untranslated without reason",
     {|let f x = x [@@untranslated]|},
     "12: [@untranslated] without its payload: write [@untranslated ...]");
    ("untranslated with another payload",
     {|let f x = x [@@untranslated 1]|},
     "12: [@@untranslated] takes a reason: write [@@untranslated \"why\"]");
    ("use of the untranslated",
     {|let f x = x [@@untranslated "why"] let g x = f x|},
     "45: f is not translated (why): it cannot be used here");
  ]
[@@ocamlformat "disable"]

let reason source =
  match Dromos_translate.Program.translate_text "case.ml" source with
  | Error message -> message
  | Ok _ -> "accepted"

let test (name, source, expected) =
  let check () =
    Alcotest.(check string) source ("case.ml:1:" ^ expected) (reason source)
  in
  Alcotest.test_case name `Quick check

let () = Alcotest.run "refused" [ ("refused", List.map test cases) ]
