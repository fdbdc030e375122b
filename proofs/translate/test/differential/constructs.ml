(* The sources of the golden tests as operations on two numbers. The sources
   have the constructs that the kernel uses, and those of the subset that the
   kernel does not use. *)

open Dromos_interpreter
open Setup
open Subjects

(* Numbers of both signs. *)
let signed f a b = f (a - 50) (b - 50)
let small f a b = f (a mod 12) (b mod 12)

(* {1 The originals} *)

let values =
  let open Golden.Values in
  let over f a b = if b = 0 then "-" else f a b in
  [
    ("arithmetic", signed (over (fun a b -> number (arithmetic a b))));
    ("bits", signed (fun a b -> number (bits a b)));
    ("next", signed (fun a _ -> number (next a)));
    ("negated", signed (fun a _ -> number (negated a)));
    ("between", signed (fun a b -> truth (between a b 20)));
    ("outside", signed (fun a b -> truth (outside a b 20)));
    ("more", signed (fun a b -> truth (more a b)));
    ("differ", small (fun a b -> truth (differ (a - 2) (b - 2))));
    ("same", signed (fun a b -> truth (same (a > 0) (b > 0))));
    ("swap", signed (fun a b -> number (first (swap (a, b)))));
    ("greatest", fun _ _ -> number greatest);
  ]
[@@ocamlformat "disable"]

let functions =
  let open Golden.Functions in
  let calls b =
    let count = ref 0 in
    ignore (both (fun () -> incr count) (fun () -> b));
    number !count
  in
  [
    ("twice", signed (fun a _ -> number (twice (fun x -> (3 * x) + a))));
    ("call", fun _ _ -> number (call ()));
    ("compose", signed (fun a b -> number (compose (( + ) a) (( * ) 2) b)));
    ("sum", small (fun a _ -> number (sum a)));
    ("local", small (fun a _ -> number (local (a mod 4))));
    ("sign", signed (fun a _ -> number (sign a)));
    ("both", fun a _ -> calls (a mod 2 = 0));
    ("even", small (fun a _ -> truth (even a)));
    ("last", small (fun a _ -> unit_ (last a ())));
  ]
[@@ocamlformat "disable"]

let records =
  let open Golden.Records in
  let stepped a b =
    let c = counter a in
    for _ = 1 to b do step c done;
    number ((3 * left c) + c.count)
  in
  [
    ("sum", signed (fun a b -> number (sum (point a b))));
    ("unbox", signed (fun a _ -> number (unbox (box a))));
    ("step", small stepped);
    ("same", small (fun a b ->
         let c = counter a in
         truth (same c (if a = b then c else counter b))));
    ("sum_at", signed (fun a b -> number (sum_at (operations (point a b)))));
  ]
[@@ocamlformat "disable"]

let variants =
  let open Golden.Variants in
  let colors = [| Red; Green; Blue |] in
  let many a b =
    match a mod 5 with
    | 0 -> None_yet | 1 -> Never | 2 -> Number b | 3 -> Pair (a, b)
    | _ -> Ref { r = b }
  in
  let rec list n l = if n = 0 then l else list (n - 1) (cons n l) in
  [
    ("index", fun a _ -> number (index colors.(a mod 3)));
    ("is_green", fun a _ -> truth (is_green colors.(a mod 3)));
    ("is_blue", fun a _ -> truth (is_blue colors.(a mod 3)));
    ("size", fun a b -> number (size (if a > b then left a else right a b)));
    ("of_cell", fun a b ->
        number (of_cell (match a mod 3 with 0 -> Empty | 1 -> busy | _ -> full b)));
    ("or_else", fun a b ->
        option (or_else (if a > b then some a else none) (some b)));
    ("whole", fun a b -> option (whole (if a > b then Some a else None)));
    ("depth", fun a _ -> number (depth (node a)));
    ("length", small (fun a b -> number (length (list a []) b)));
    ("of_many", fun a b -> number (of_many (many a b)));
    ("is_never", fun a b -> truth (is_never (many a b)));
  ]
[@@ocamlformat "disable"]

let shown a = String.concat " " (List.map number (Array.to_list a))

let arrays =
  let open Golden.Arrays in
  [
    ("zeros", small (fun a _ -> shown (zeros a)));
    ("squares", small (fun a _ -> shown (squares a)));
    ("quick", fun a _ -> number (quick (squares 8) a));
    ("exchange", small (fun a b ->
         let s = squares 12 in
         exchange s a b;
         shown s));
    ("fill", small (fun a b ->
         let s = zeros a in
         fill s b;
         shown s));
    ("clear", small (fun a _ ->
         let s = squares 12 in
         clear s (a mod 11);
         shown s));
    ("nothing", fun _ _ -> number (nothing ()));
  ]
[@@ocamlformat "disable"]

(* {1 The translations} *)

let injected tag payload = Value.Inj_r (Pair (int tag, payload))
let to_truth v = truth (to_bool v)
let to_number v = number (to_int v)
let to_opt v = option (to_int_option v)

let translated_values m =
  let call name args = Machine.call m ("example_values_" ^ name) args in
  let number2 name = signed (fun a b -> to_number (call name [ int a; int b ])) in
  let truth2 name = signed (fun a b -> to_truth (call name [ int a; int b ])) in
  let number1 name = signed (fun a _ -> to_number (call name [ int a ])) in
  let within name = signed (fun a b -> to_truth (call name [ int a; int b; int 20 ])) in
  [
    ("arithmetic", fun a b -> if b = 50 then "-" else number2 "arithmetic" a b);
    ("bits", number2 "bits");
    ("next", number1 "next");
    ("negated", number1 "negated");
    ("between", within "between");
    ("outside", within "outside");
    ("more", truth2 "more");
    ("differ", small (fun a b -> to_truth (call "differ" [ int (a - 2); int (b - 2) ])));
    ("same", signed (fun a b ->
         to_truth (call "same" [ Value.bool (a > 0); Value.bool (b > 0) ])));
    ("swap", signed (fun a b ->
         to_number (call "first" [ call "swap" [ Pair (int a, int b) ] ])));
    ("greatest", fun _ _ -> to_number (call "greatest" []));
  ]
[@@ocamlformat "disable"]

let translated_functions m =
  let call name args = Machine.call m ("example_functions_" ^ name) args in
  let native1 f = native (fun x -> int (f (to_int x))) in
  let calls b =
    let count = ref 0 in
    let f = native (fun _ -> incr count; unit) in
    ignore (call "both" [ f; native (fun _ -> Value.bool b) ]);
    number !count
  in
  [
    ("twice", signed (fun a _ -> to_number (call "twice" [ native1 (fun x -> (3 * x) + a) ])));
    ("call", fun _ _ -> to_number (call "call" [ unit ]));
    ("compose", signed (fun a b ->
         to_number (call "compose" [ native1 (( + ) a); native1 (( * ) 2); int b ])));
    ("sum", small (fun a _ -> to_number (call "sum" [ int a ])));
    ("local", small (fun a _ -> to_number (call "local" [ int (a mod 4) ])));
    ("sign", signed (fun a _ -> to_number (call "sign" [ int a ])));
    ("both", fun a _ -> calls (a mod 2 = 0));
    ("even", small (fun a _ -> to_truth (call "even" [ int a ])));
    ("last", small (fun a _ -> unit_ (ignore (call "last" [ int a; unit ]))));
  ]
[@@ocamlformat "disable"]

let translated_records m =
  let call name args = Machine.call m ("example_records_" ^ name) args in
  let point a b = call "point" [ int a; int b ] in
  let stepped a b =
    let c = call "counter" [ int a ] in
    for _ = 1 to b do ignore (call "step" [ c ]) done;
    number ((3 * to_int (call "left" [ c ])) + b)
  in
  [
    ("sum", signed (fun a b -> to_number (call "sum" [ point a b ])));
    ("unbox", signed (fun a _ -> to_number (call "unbox" [ call "box" [ int a ] ])));
    ("step", small stepped);
    ("same", small (fun a b ->
         let c = call "counter" [ int a ] in
         let other = if a = b then c else call "counter" [ int b ] in
         to_truth (call "same" [ c; other ])));
    ("sum_at", signed (fun a b ->
         to_number (call "sum_at" [ call "operations" [ point a b ] ])));
  ]
[@@ocamlformat "disable"]

let translated_variants m =
  let call name args = Machine.call m ("example_variants_" ^ name) args in
  let color a = int (a mod 3) in
  let some v = call "some" [ v ] and none = call "none" [] in
  let many a b =
    match a mod 5 with
    | 0 -> Value.Inj_l (int 0)
    | 1 -> call "never" []
    | 2 -> injected 0 (int b)
    | 3 -> call "pair" [ int a; int b ]
    | _ -> call "ref_" [ int b ]
  in
  let rec list n l = if n = 0 then l else list (n - 1) (call "cons" [ int n; l ]) in
  let cell a b =
    match a mod 3 with
    | 0 -> Value.Inj_l (int 0)
    | 1 -> call "busy" []
    | _ -> call "full" [ int b ]
  in
  [
    ("index", fun a _ -> to_number (call "index" [ color a ]));
    ("is_green", fun a _ -> to_truth (call "is_green" [ color a ]));
    ("is_blue", fun a _ -> to_truth (call "is_blue" [ color a ]));
    ("size", fun a b ->
        let t = if a > b then call "left" [ int a ] else call "right" [ int a; int b ] in
        to_number (call "size" [ t ]));
    ("of_cell", fun a b -> to_number (call "of_cell" [ cell a b ]));
    ("or_else", fun a b ->
        let first = if a > b then some (int a) else none in
        to_opt (call "or_else" [ first; some (int b) ]));
    ("whole", fun a b ->
        to_opt (call "whole" [ (if a > b then some (int a) else none) ]));
    ("depth", fun a _ -> to_number (call "depth" [ call "node" [ int a ] ]));
    ("length", small (fun a b ->
         to_number (call "length" [ list a (Value.Inj_l unit); int b ])));
    ("of_many", fun a b -> to_number (call "of_many" [ many a b ]));
    ("is_never", fun a b -> to_truth (call "is_never" [ many a b ]));
  ]
[@@ocamlformat "disable"]

let translated_arrays m =
  let call name args = Machine.call m ("example_arrays_" ^ name) args in
  let shown a =
    let n = to_int (Machine.call m "array_length" [ a ]) in
    let at i = to_number (Machine.call m "array_get" [ a; int i ]) in
    String.concat " " (List.init n at)
  in
  let squares n = call "squares" [ int n ] in
  [
    ("zeros", small (fun a _ -> shown (call "zeros" [ int a ])));
    ("squares", small (fun a _ -> shown (squares a)));
    ("quick", fun a _ -> to_number (call "quick" [ squares 8; int a ]));
    ("exchange", small (fun a b ->
         let s = squares 12 in
         ignore (call "exchange" [ s; int a; int b ]);
         shown s));
    ("fill", small (fun a b ->
         let s = call "zeros" [ int a ] in
         ignore (call "fill" [ s; int b ]);
         shown s));
    ("clear", small (fun a _ ->
         let s = squares 12 in
         ignore (call "clear" [ s; int (a mod 11) ]);
         shown s));
    ("nothing", fun _ _ -> to_number (call "nothing" [ unit ]));
  ]
[@@ocamlformat "disable"]

let subject name operations translated =
  { name; original = (fun () -> operations); translated }

let all =
  [
    subject "values" values translated_values;
    subject "functions" functions translated_functions;
    subject "records" records translated_records;
    subject "variants" variants translated_variants;
    subject "arrays" arrays translated_arrays;
  ]
