(* Shared by the tests: the program, and conversions of values to and from
   OCaml. *)

open Dromos_interpreter

let lang = [ "cells"; "blocks"; "arrays"; "spawn"; "mutex"; "condition" ]

let code =
  [
    ("base", [ "queue"; "ivar"; "erasable"; "waiters" ]);
    ( "deque",
      [ "slots"; "ring"; "bounded"; "dynamic"; "public"; "private"; "dealing" ]
    );
    ( "hub",
      [ "hub"; "central"; "stealing"; "std"; "fifo"; "hybrid"; "private"; "dealing" ] );
    ("pool", [ "pool"; "future"; "algo"; "vertex" ]);
  ]
[@@ocamlformat "disable"]

let proofs = "../../.."
let lang_file name = Filename.concat proofs ("lang/" ^ name ^ ".v")

let code_files =
  let file folder name = Printf.sprintf "%s/%s/%s_code.v" proofs folder name in
  List.concat_map (fun (folder, names) -> List.map (file folder) names) code

(* HeapLang code for the tests: a reference, and the number that tells tasks
   apart. *)
let helpers : Dromos_translate.Heaplang.definition list =
  let last_worker =
    Dromos_translate.Heaplang.(Op (Offset, Var "task", int 1))
  in
  let define name params body =
    let params = List.map Option.some params in
    { Dromos_translate.Heaplang.name; body = Rec (None, params, body) }
  in
  [
    define "test_get" [ "a" ] (Load (Var "a"));
    define "test_set" [ "a"; "v" ] (Store (Var "a", Var "v"));
    define "test_ref" [ "v" ] (Ref (Var "v"));
    define "test_name_task" [ "task"; "n" ] (Na_store (last_worker, Var "n"));
    define "test_task_name" [ "task" ] (Na_load last_worker);
  ]

let golden_files =
  let names = [ "values"; "functions"; "records"; "variants"; "arrays" ] in
  List.map (fun name -> "../golden/" ^ name ^ ".expected") names

let files = List.map lang_file lang @ code_files @ golden_files
let program = Machine.extend (Machine.load files) helpers
let machine seed = Machine.create ~seed program
let int = Value.int
let unit = Value.unit

let to_int = function
  | Value.Lit (Int n) -> n
  | v -> Alcotest.failf "%s instead of a number" (Value.to_string v)

let to_bool = function
  | Value.Lit (Bool b) -> b
  | v -> Alcotest.failf "%s instead of a bool" (Value.to_string v)

let to_option read = function
  | Value.Inj_l (Lit Unit) -> None
  | Value.Inj_r v -> Some (read v)
  | v -> Alcotest.failf "%s instead of an option" (Value.to_string v)

let to_int_option = to_option to_int

(* Component [i] of the tuple [v] of [n] components: field [i] of a record of
   closures. *)
let rec component i n v =
  match v with
  | Value.Pair (left, right) ->
      if n = i + 1 then right else component i (n - 1) left
  | v -> if i = 0 && n = 1 then v else Alcotest.fail "not a tuple"

(* An OCaml function of one argument or two, as a value of HeapLang. *)
let native f = Value.Native f
let native2 f = Value.Native (fun a -> Value.Native (fun b -> f a b))
