open Dromos_translate
open Heaplang
module Env = Value.Environment

exception Stuck = Arithmetic.Stuck

let stuck = Arithmetic.stuck

type program = (string, definition) Hashtbl.t

(* [resume] runs the thread up to its next access to the heap. [resume] is
   [None] while the thread runs, and after the thread's end. *)
type thread = { mutable resume : (unit -> unit) option }

type t = {
  program : program;
  heap : Heap.t;
  random : Random.State.t;
  mutable prophecies : int;
  mutable threads : thread list; (* those that have not ended *)
  mutable steps : int; (* accesses to the heap *)
  mutable scheduled : bool; (* true during [run] *)
}

let load files : program =
  let program = Hashtbl.create 256 in
  let add d = Hashtbl.replace program d.name d in
  List.iter (fun file -> List.iter add (Parser.file file)) files;
  program

let find (program : program) name = Hashtbl.find_opt program name

let extend (program : program) definitions : program =
  let extended = Hashtbl.copy program in
  List.iter (fun d -> Hashtbl.replace extended d.name d) definitions;
  extended

let create ?(seed = 0) program =
  {
    program;
    heap = Heap.create ();
    random = Random.State.make [| seed |];
    prophecies = 0;
    threads = [];
    steps = 0;
    scheduled = false;
  }

(* {1 Threads}

   A thread is a fiber that gives way before every access to the heap, so the
   scheduler chooses the order of accesses. The steps between two accesses
   concern only the thread itself. *)

type _ Effect.t += Give_way : unit Effect.t

let access t =
  t.steps <- t.steps + 1;
  if t.scheduled then Effect.perform Give_way

(* {1 Operations} *)

let address origin v =
  match v with
  | Value.Loc l -> l
  | v -> stuck "%s: an access to %s" origin (Value.to_string v)

let read t origin v =
  access t;
  match Heap.get t.heap (address origin v) with
  | Some content -> content
  | None -> stuck "%s: a cell that does not exist is read" origin

let cell t origin v =
  let l = address origin v in
  match Heap.get t.heap l with
  | Some content -> (l, content)
  | None -> stuck "%s: a cell that does not exist is written" origin

let write t origin a v =
  access t;
  let l, _ = cell t origin a in
  Heap.set t.heap l v

let exchange t origin a v =
  access t;
  let l, old = cell t origin a in
  Heap.set t.heap l v;
  old

let compare_exchange t origin a expected v =
  access t;
  let l, old = cell t origin a in
  if not (Value.comparable old expected) then
    stuck "%s: a comparison of %s and %s" origin (Value.to_string old)
      (Value.to_string expected);
  let equal = Value.equal old expected in
  if equal then Heap.set t.heap l v;
  (old, equal)

let fetch_and_add t origin a n =
  access t;
  match (cell t origin a, n) with
  | (l, Value.Lit (Int old)), Value.Lit (Int n) ->
      Heap.set t.heap l (Value.int (old + n));
      Value.int old
  | (_, old), n ->
      stuck "%s: the addition of %s and %s" origin (Value.to_string old)
        (Value.to_string n)

let fresh_prophecy t =
  t.prophecies <- t.prophecies + 1;
  Value.Prophecy t.prophecies

let spawn t body =
  let thread = { resume = None } in
  let suspend k = thread.resume <- Some (fun () -> Effect.Deep.continue k ()) in
  let fiber () =
    Effect.Deep.match_with body ()
      {
        retc = ignore;
        exnc = raise;
        effc =
          (fun (type a) (e : a Effect.t) ->
            match e with
            | Give_way ->
                Some (fun (k : (a, unit) Effect.Deep.continuation) -> suspend k)
            | _ -> None);
      }
  in
  thread.resume <- Some fiber;
  t.threads <- thread :: t.threads

(* {1 Evaluation} *)

let bind x v environment =
  match x with None -> environment | Some x -> Env.add x v environment

(* The prelude's [nondet_below] reads a cell that a forked thread counts up; here
   a random number takes the place of the count. *)
let nondet_below t v =
  match v with
  | Value.Lit (Int n) when n > 0 ->
      Value.int (Int64.to_int (Random.State.int64 t.random (Int64.of_int n)))
  | v -> stuck "nondet_below: no number is below %s" (Value.to_string v)

let rec eval t origin env e : Value.t =
  let ev e = eval t origin env e in
  match e with
  | Var x -> (
      match Env.find_opt x env with
      | Some v -> v
      | None -> stuck "%s: unbound variable %s" origin x)
  | Global "nondet_below" -> Native (nondet_below t)
  | Global name -> global t name
  | Lit l -> Lit l
  | Constant_l l -> Inj_l (Lit l)
  | Rec (self, params, body) ->
      Closure { self; params; body; environment = env; origin }
  | App (f, args) ->
      (* Operands are evaluated from right to left, here and below. *)
      let args = List.fold_right (fun a acc -> ev a :: acc) args [] in
      apply t origin (ev f) args
  | Op (op, a, b) ->
      let b = ev b in
      Arithmetic.operate origin op (ev a) b
  | Not e -> (
      match ev e with
      | Lit (Bool b) -> Value.bool (not b)
      | v -> stuck "%s: the negation of %s" origin (Value.to_string v))
  | Neg e -> (
      match ev e with
      | Lit (Int n) -> Value.int (-n)
      | v -> stuck "%s: minus %s" origin (Value.to_string v))
  | And_also (a, b) ->
      if condition t origin env a then ev b else Value.bool false
  | Or_else (a, b) -> if condition t origin env a then Value.bool true else ev b
  | If (c, a, b) -> if condition t origin env c then ev a else ev b
  | Let (x, bound, body) ->
      let v = ev bound in
      eval t origin (bind x v env) body
  | Pair (a, b) ->
      let b = ev b in
      Pair (ev a, b)
  | Fst e -> (
      match ev e with
      | Pair (a, _) -> a
      | v -> stuck "%s: Fst of %s" origin (Value.to_string v))
  | Snd e -> (
      match ev e with
      | Pair (_, b) -> b
      | v -> stuck "%s: Snd of %s" origin (Value.to_string v))
  | Inj_l e -> Inj_l (ev e)
  | Inj_r e -> Inj_r (ev e)
  | Case (on, (x, left), (y, right)) -> (
      match ev on with
      | Inj_l v -> eval t origin (bind x v env) left
      | Inj_r v -> eval t origin (bind y v env) right
      | v -> stuck "%s: a match on %s" origin (Value.to_string v))
  | _ -> memory t origin env e

and condition t origin env e =
  match eval t origin env e with
  | Lit (Bool b) -> b
  | v -> stuck "%s: if %s" origin (Value.to_string v)

and memory t origin env e : Value.t =
  let ev e = eval t origin env e in
  match e with
  | Ref e -> Loc (Heap.alloc t.heap 1 (ev e))
  | Alloc_n (n, v) -> (
      let v = ev v in
      match ev n with
      | Lit (Int n) when n > 0 -> Loc (Heap.alloc t.heap n v)
      | n -> stuck "%s: AllocN of %s cells" origin (Value.to_string n))
  | Load a -> read t origin (ev a)
  | Store (a, v) ->
      let v = ev v in
      write t origin (ev a) v;
      Value.unit
  | Na_load a -> ev (App (Global "na_load", [ a ]))
  | Na_store (a, v) -> ev (App (Global "na_store", [ a; v ]))
  | Xchg (a, v) ->
      let v = ev v in
      exchange t origin (ev a) v
  | Faa (a, n) ->
      let n = ev n in
      fetch_and_add t origin (ev a) n
  | Cmp_xchg (a, o, n) ->
      let n = ev n in
      let o = ev o in
      let old, equal = compare_exchange t origin (ev a) o n in
      Pair (old, Value.bool equal)
  | Cas (a, o, n) -> ev (Snd (Cmp_xchg (a, o, n)))
  | New_proph -> fresh_prophecy t
  | Resolve (e, p, v) -> (
      let _ = ev v in
      match ev p with
      | Prophecy _ -> ev e
      | p -> stuck "%s: %s is resolved" origin (Value.to_string p))
  | Fork e ->
      spawn t (fun () -> ignore (eval t origin env e));
      Value.unit
  | Stuck -> stuck "%s" origin
  | _ -> assert false

and global t name =
  match Hashtbl.find_opt t.program name with
  | Some d -> eval t name Env.empty d.body
  | None -> stuck "%s is not defined" name

and apply t origin f args =
  match (f, args) with
  | _, [] -> f
  | Value.Native f, v :: rest -> apply t origin (f v) rest
  | Closure c, _ ->
      let env =
        match c.self with
        | None -> c.environment
        | Some self -> Env.add self f c.environment
      in
      enter t c env c.params args
  | v, _ -> stuck "%s: %s is applied" origin (Value.to_string v)

(* With too few arguments the result is a function. Arguments beyond the
   parameters are passed to the result of the body. *)
and enter t c env params args =
  match (params, args) with
  | [], [] -> eval t c.origin env c.body
  | [], rest ->
      let f = eval t c.origin env c.body in
      apply t c.origin f rest
  | params, [] -> Closure { c with self = None; params; environment = env }
  | x :: params, v :: args -> enter t c (bind x v env) params args

(* {1 Scheduling} *)

let call t name args = apply t name (global t name) args
let apply t f args = apply t "the test" f args

(* Runs [thread] up to its next access. *)
let advance t thread =
  let go_on = Option.get thread.resume in
  thread.resume <- None;
  go_on ();
  if thread.resume = None then
    t.threads <- List.filter (fun other -> other != thread) t.threads

type outcome = Finished | Got_stuck of string | Out_of_steps

(* A thread runs for a burst of accesses, then another thread is chosen. The
   mean length of bursts varies from run to run: many faults appear only if one
   thread is far behind the other threads. *)
let rec schedule t limit burst current =
  match t.threads with
  | [] -> Finished
  | threads ->
      if t.steps > limit then Out_of_steps
      else
        let goes_on =
          Option.is_some current.resume && Random.State.int t.random burst > 0
        in
        let count = List.length threads in
        let next =
          if goes_on then current
          else List.nth threads (Random.State.int t.random count)
        in
        advance t next;
        schedule t limit burst next

let run ?(steps = 1_000_000) t bodies =
  t.scheduled <- true;
  let limit = t.steps + steps in
  let burst = List.nth [ 1; 3; 10; 40 ] (Random.State.int t.random 4) in
  List.iter (spawn t) bodies;
  let nobody = { resume = None } in
  let outcome =
    try schedule t limit burst nobody with Stuck reason -> Got_stuck reason
  in
  t.threads <- [];
  t.scheduled <- false;
  outcome
