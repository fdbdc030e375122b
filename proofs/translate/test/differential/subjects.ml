(* The kernel's structures as lists of operations on two numbers: the OCaml
   original, and its translation. The result of an operation is a string. *)

open Dromos_interpreter
open Setup

type operations = (string * (int -> int -> string)) list

type subject = {
  name : string;
  original : unit -> operations;
  translated : Machine.t -> operations;
}

let unit_ () = "()"
let number = string_of_int
let truth = string_of_bool
let option = function None -> "None" | Some n -> "Some " ^ string_of_int n

(* {1 Base} *)

module Queue = Dromos_base.Queue
module Ivar = Dromos_base.Ivar
module Erasable = Dromos_base.Erasable

let queue =
  let original () =
    let q = Queue.create () in
    [
      ("push", fun a _ -> unit_ (Queue.push q a));
      ("pop", fun _ _ -> option (Queue.pop q));
      ("is_empty", fun _ _ -> truth (Queue.is_empty q));
    ]
  in
  let translated m =
    let call name args = Machine.call m ("base_queue_" ^ name) args in
    let q = call "create" [ unit ] in
    [
      ("push", fun a _ -> unit_ (ignore (call "push" [ q; int a ])));
      ("pop", fun _ _ -> option (to_int_option (call "pop" [ q ])));
      ("is_empty", fun _ _ -> truth (to_bool (call "is_empty" [ q ])));
    ]
  in
  { name = "queue"; original; translated }

(* A callback logs its arguments. *)
let ivar =
  let said log = String.concat " " (List.rev !log) in
  let original () =
    let t : (int, int) Ivar.t = Ivar.create () and log = ref [] in
    let callback a ctx v = log := Printf.sprintf "%d(%d,%d)" a ctx v :: !log in
    [
      ("is_set", fun _ _ -> truth (Ivar.is_set t));
      ("peek", fun _ _ -> option (Ivar.peek t));
      ("wait", fun a _ -> option (Ivar.wait t (callback a)));
      ("set", fun a b -> truth (Ivar.set a t b) ^ said log);
    ]
  in
  let translated m =
    let call name args = Machine.call m ("base_ivar_" ^ name) args in
    let t = call "create" [ unit ] and log = ref [] in
    let callback a =
      native2 (fun ctx v ->
          log := Printf.sprintf "%d(%d,%d)" a (to_int ctx) (to_int v) :: !log;
          unit)
    in
    [
      ("is_set", fun _ _ -> truth (to_bool (call "is_set" [ t ])));
      ("peek", fun _ _ -> option (to_int_option (call "peek" [ t ])));
      ("wait", fun a _ -> option (to_int_option (call "wait" [ t; callback a ])));
      ( "set",
        fun a b -> truth (to_bool (call "set" [ int a; t; int b ])) ^ said log
      );
    ]
  in
  { name = "ivar"; original; translated }

(* [a] chooses a node among the nodes pushed so far. *)
let erasable =
  let nth nodes a f =
    match !nodes with
    | [] -> "no node"
    | nodes -> f (List.nth nodes (a mod List.length nodes))
  in
  let original () =
    let q = Erasable.create () and nodes = ref [] in
    [
      ("push", fun a _ -> unit_ (nodes := Erasable.push q a :: !nodes));
      ("pop", fun _ _ -> option (Erasable.pop q));
      ("is_empty", fun _ _ -> truth (Erasable.is_empty q));
      ("peek", fun a _ -> nth nodes a (fun n -> option (Erasable.peek n)));
      ("erase", fun a _ -> nth nodes a (fun n -> truth (Erasable.erase n)));
      ("sweep", fun _ _ -> number (Erasable.sweep q));
    ]
  in
  let translated m =
    let call name args = Machine.call m ("base_erasable_" ^ name) args in
    let q = call "create" [ unit ] and nodes = ref [] in
    let peek n = option (to_int_option (call "peek" [ n ])) in
    let erase n = truth (to_bool (call "erase" [ n ])) in
    [
      ("push", fun a _ -> unit_ (nodes := call "push" [ q; int a ] :: !nodes));
      ("pop", fun _ _ -> option (to_int_option (call "pop" [ q ])));
      ("is_empty", fun _ _ -> truth (to_bool (call "is_empty" [ q ])));
      ("peek", fun a _ -> nth nodes a peek);
      ("erase", fun a _ -> nth nodes a erase);
      ("sweep", fun _ _ -> number (to_int (call "sweep" [ q ])));
    ]
  in
  { name = "erasable"; original; translated }

(* {1 Deques of one owner} *)

module Slots = Dromos_deque.Slots
module Ring = Dromos_deque.Ring
module Bounded = Dromos_deque.Bounded
module Dynamic = Dromos_deque.Dynamic

let dummy = -1

let slots =
  let original () =
    let s = ref (Slots.make ~least:3 dummy) in
    let resize a b =
      s := Slots.resize !s dummy a (a + (b mod 4)) 8;
      number (Array.length !s)
    in
    [
      ("get", fun a _ -> number (Slots.get !s a));
      ("set", fun a b -> unit_ (Slots.set !s a b));
      ("clear", fun a b -> unit_ (Slots.clear !s dummy a (a + (b mod 6))));
      ("resize", resize);
    ]
  in
  let translated m =
    let call name args = Machine.call m ("deque_slots_" ^ name) args in
    let s = ref (call "make" [ int 3; int dummy ]) in
    let resize a b =
      s := call "resize" [ !s; int dummy; int a; int (a + (b mod 4)); int 8 ];
      number (to_int (Machine.call m "array_length" [ !s ]))
    in
    let clear a b =
      let last = int (a + (b mod 6)) in
      unit_ (ignore (call "clear" [ !s; int dummy; int a; last ]))
    in
    [
      ("get", fun a _ -> number (to_int (call "get" [ !s; int a ])));
      ("set", fun a b -> unit_ (ignore (call "set" [ !s; int a; int b ])));
      ("clear", clear);
      ("resize", resize);
    ]
  in
  { name = "slots"; original; translated }

let ring =
  let original () =
    let r = Ring.create ~capacity:2 ~dummy in
    [
      ("push", fun a _ -> unit_ (Ring.push r a));
      ("push", fun a _ -> unit_ (Ring.push r a));
      ("pop", fun _ _ -> option (Ring.pop r));
      ("take", fun _ _ -> option (Ring.take r));
      ("oldest", fun _ _ -> option (Ring.oldest r));
      ("drop", fun _ _ -> if Ring.is_empty r then "-" else unit_ (Ring.drop r));
      ("size", fun _ _ -> number (Ring.size r));
    ]
  in
  let translated m =
    let call name args = Machine.call m ("deque_ring_" ^ name) args in
    let r = call "create" [ int 2; int dummy ] in
    let push a _ = unit_ (ignore (call "push" [ r; int a ])) in
    let taking name _ _ = option (to_int_option (call name [ r ])) in
    let drop _ _ =
      if to_bool (call "is_empty" [ r ]) then "-"
      else unit_ (ignore (call "drop" [ r ]))
    in
    [
      ("push", push);
      ("push", push);
      ("pop", taking "pop");
      ("take", taking "take");
      ("oldest", taking "oldest");
      ("drop", drop);
      ("size", fun _ _ -> number (to_int (call "size" [ r ])));
    ]
  in
  { name = "ring"; original; translated }

let bounded =
  let original () =
    let d = Bounded.create ~capacity:4 ~dummy in
    [
      ("push", fun a _ -> truth (Bounded.push d a));
      ("push", fun a _ -> truth (Bounded.push d a));
      ("pop", fun _ _ -> option (Bounded.pop d));
      ("steal", fun _ _ -> option (Bounded.steal d));
      ("size", fun _ _ -> number (Bounded.size d));
      ("is_empty", fun _ _ -> truth (Bounded.is_empty d));
      ("sweep", fun _ _ -> unit_ (Bounded.sweep d));
    ]
  in
  let translated m =
    let call name args = Machine.call m ("deque_bounded_" ^ name) args in
    let d = call "create" [ int 4; int dummy ] in
    let push a _ = truth (to_bool (call "push" [ d; int a ])) in
    [
      ("push", push);
      ("push", push);
      ("pop", fun _ _ -> option (to_int_option (call "pop" [ d ])));
      ("steal", fun _ _ -> option (to_int_option (call "steal" [ d ])));
      ("size", fun _ _ -> number (to_int (call "size" [ d ])));
      ("is_empty", fun _ _ -> truth (to_bool (call "is_empty" [ d ])));
      ("sweep", fun _ _ -> unit_ (ignore (call "sweep" [ d ])));
    ]
  in
  { name = "bounded deque"; original; translated }

let dynamic =
  let original () =
    let d = Dynamic.create ~capacity:2 ~dummy in
    [
      ("push", fun a _ -> unit_ (Dynamic.push d a));
      ("push", fun a _ -> unit_ (Dynamic.push d a));
      ("pop", fun _ _ -> option (Dynamic.pop d));
      ("steal", fun _ _ -> option (Dynamic.steal d));
      ("size", fun _ _ -> number (Dynamic.size d));
      ("capacity", fun _ _ -> number (Dynamic.capacity d));
      ("sweep", fun _ _ -> unit_ (Dynamic.sweep d));
    ]
  in
  let translated m =
    let call name args = Machine.call m ("deque_dynamic_" ^ name) args in
    let d = call "create" [ int 2; int dummy ] in
    let push a _ = unit_ (ignore (call "push" [ d; int a ])) in
    [
      ("push", push);
      ("push", push);
      ("pop", fun _ _ -> option (to_int_option (call "pop" [ d ])));
      ("steal", fun _ _ -> option (to_int_option (call "steal" [ d ])));
      ("size", fun _ _ -> number (to_int (call "size" [ d ])));
      ("capacity", fun _ _ -> number (to_int (call "capacity" [ d ])));
      ("sweep", fun _ _ -> unit_ (ignore (call "sweep" [ d ])));
    ]
  in
  { name = "dynamic deque"; original; translated }

(* {1 Deques of several workers}

   The first number is the worker, the second is the pushed item or the victim
   of a steal. A worker blocks for a moment only. *)

let workers = 3

let ws (module D : Dromos_deque.Ws_deques.S) name =
  let original () =
    let d = D.create ~workers ~dummy in
    let by f a b = f (a mod workers) b in
    let steal i b =
      let victim = b mod workers in
      if victim = i then "-" else option (D.steal d ~thief:i ~victim)
    in
    let block i =
      D.block d i;
      D.unblock d i
    in
    [
      ("push", by (fun i b -> unit_ (D.push d i b)));
      ("push", by (fun i b -> unit_ (D.push d i b)));
      ("pop", by (fun i _ -> option (D.pop d i)));
      ("steal", by steal);
      ("size", by (fun i _ -> number (D.size d i)));
      ("may_have", by (fun i _ -> truth (D.may_have d i)));
      ("tick", by (fun i _ -> unit_ (D.tick d i)));
      ("block", by (fun i _ -> unit_ (block i)));
      ("waits_for_answer", by (fun i _ -> truth (D.waits_for_answer d i)));
      ("withdraw", by (fun i _ -> option (D.withdraw d i)));
    ]
  in
  let translated m =
    let call op args = Machine.call m ("deque_" ^ name ^ "_" ^ op) args in
    let d = call "create" [ int workers; int dummy ] in
    let by f a b = f (a mod workers) b in
    let steal i b =
      let victim = b mod workers in
      if victim = i then "-"
      else option (to_int_option (call "steal" [ d; int i; int victim ]))
    in
    let push i b = unit_ (ignore (call "push" [ d; int i; int b ])) in
    let block i =
      ignore (call "block" [ d; int i ]);
      ignore (call "unblock" [ d; int i ])
    in
    let truth_of op i _ = truth (to_bool (call op [ d; int i ])) in
    let option_of op i _ = option (to_int_option (call op [ d; int i ])) in
    [
      ("push", by push);
      ("push", by push);
      ("pop", by (option_of "pop"));
      ("steal", by steal);
      ("size", by (fun i _ -> number (to_int (call "size" [ d; int i ]))));
      ("may_have", by (truth_of "may_have"));
      ("tick", by (fun i _ -> unit_ (ignore (call "tick" [ d; int i ]))));
      ("block", by (fun i _ -> unit_ (block i)));
      ("waits_for_answer", by (truth_of "waits_for_answer"));
      ("withdraw", by (option_of "withdraw"));
    ]
  in
  { name = name ^ " deques"; original; translated }

let all =
  [
    queue;
    ivar;
    erasable;
    slots;
    ring;
    bounded;
    dynamic;
    ws (module Dromos_deque.Public) "public";
    ws (module Dromos_deque.Private_) "private";
    ws (module Dromos_deque.Dealing) "dealing";
  ]
