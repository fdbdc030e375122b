(* Every interleaving of small scenarios, over the shipped sources and over
   copies with a seeded fault that the scenarios must find. The results of each
   operation are checked against the infinite deque: in this strong
   specification, a failure means that the deque was empty (or full) at some
   moment. The items left at the end are drained and checked too. *)

open Dromos_model

module type DEQUE = sig
  type 'a t

  val create : capacity:int -> dummy:'a -> 'a t
  val push : 'a t -> 'a -> bool
  val pop : 'a t -> 'a option
  val steal : 'a t -> 'a option
  val sweep : 'a t -> unit
end

type op = Push of int | Pop | Steal | Sweep
type result = Done of bool | Item of int option

let apply ~capacity state = function
  | Push _ when Infinite.size state = capacity -> (Done false, state)
  | Push v -> (Done true, Infinite.push state v)
  | Sweep -> (Done true, state)
  | (Pop | Steal) as op -> (
      match (if op = Pop then Infinite.pop else Infinite.steal) state with
      | None -> (Item None, state)
      | Some (v, state) -> (Item (Some v), state))

let show op result =
  (match op with
  | Push v -> Printf.sprintf "push %d" v
  | Pop -> "pop"
  | Steal -> "steal"
  | Sweep -> "sweep")
  ^
  match result with
  | Done ok -> Printf.sprintf ": %b" ok
  | Item None -> ": none"
  | Item (Some v) -> Printf.sprintf ": %d" v

let dummy = -1

(* The owner does [before] ahead of the thieves; [limit] is the specified
   capacity of the deque. *)
let deque (module D : DEQUE) ~capacity ~limit ?(before = []) owner thieves () =
  let d = D.create ~capacity ~dummy in
  let history = History.create () in
  let perform op =
    ignore
      (History.call history op (fun () ->
           match op with
           | Push v -> Done (D.push d v)
           | Pop -> Item (D.pop d)
           | Steal -> Item (D.steal d)
           | Sweep ->
               D.sweep d;
               Done true))
  in
  List.iter perform before;
  let thread ops () = List.iter perform ops in
  let check () =
    for _ = 0 to 4 do
      perform Pop
    done;
    History.check history ~init:Infinite.empty ~apply:(apply ~capacity:limit)
      ~show
  in
  (thread owner :: List.map thread thieves, check)

let bounded ?(capacity = 2) d = deque d ~capacity ~limit:capacity

module Dynamic (D : sig
  type 'a t

  val create : capacity:int -> dummy:'a -> 'a t
  val push : 'a t -> 'a -> unit
  val pop : 'a t -> 'a option
  val steal : 'a t -> 'a option
  val sweep : 'a t -> unit
end) =
struct
  include D

  let push d v =
    push d v;
    true
end

module Shipped_dynamic = Dynamic (Deque_traced.Dynamic)
module Thawed = Dynamic (Deque_traced.Dynamic_thawed)
module Stale = Dynamic (Deque_traced.Dynamic_stale)
module Short = Dynamic (Deque_traced.Dynamic_short)

let dynamic ?(capacity = 1) d = deque d ~capacity ~limit:max_int

(* {1 Scenarios} *)

let last_item d = bounded d [ Push 1; Pop ] [ [ Steal ] ]
let last_item_again d = bounded d [ Push 1; Pop; Push 2 ] [ [ Steal ] ]
let two_items d = bounded d [ Push 1; Push 2; Pop; Pop ] [ [ Steal ] ]

let two_thieves d =
  bounded d ~before:[ Push 1; Push 2 ] [ Pop; Pop ] [ [ Steal ]; [ Steal ] ]

let thieves_alone d =
  bounded d ~before:[ Push 1; Push 2 ] [] [ [ Steal ]; [ Steal ] ]

let wrap d =
  bounded d ~before:[ Push 1; Push 2 ] [ Push 3; Push 4; Pop ]
    [ [ Steal; Steal ] ]

let full d = bounded d ~before:[ Push 1 ] [ Push 2; Push 3 ] [ [ Steal ] ]

let single d =
  bounded ~capacity:1 d [ Push 1; Push 2; Pop ] [ [ Steal; Steal ] ]

let sweeping d =
  bounded d ~before:[ Push 1; Push 2 ]
    [ Sweep; Push 3; Sweep; Pop ]
    [ [ Steal ]; [ Steal ] ]

let grow d = dynamic d ~before:[ Push 1 ] [ Push 2; Pop ] [ [ Steal; Steal ] ]

let grow_twice d =
  dynamic d ~before:[ Push 1 ] [ Push 2; Push 3 ] [ [ Steal ]; [ Steal ] ]

let shrink d =
  dynamic d
    ~before:[ Push 1; Push 2; Push 3; Push 4; Push 5 ]
    [ Pop; Pop; Pop; Pop ] [ [ Steal ] ]

let shrink_grow d =
  dynamic d ~before:[ Push 1; Push 2; Push 3 ]
    [ Pop; Pop; Push 4; Push 5 ]
    [ [ Steal; Steal ] ]

let b = (module Deque_traced.Bounded : DEQUE)
let d = (module Shipped_dynamic : DEQUE)

let bounded_cases =
  Explore.
    [
      passes "the last item" (last_item b);
      passes "the last item, and one more" (last_item_again b);
      passes "two items" (two_items b);
      passes "two items, two thieves" (two_thieves b);
      passes "thieves alone: no thief fails" (thieves_alone b);
      passes "round the array" (wrap b);
      passes "full" (full b);
      passes "a single slot" (single b);
      passes "sweeping" (sweeping b);
      catches "the owner takes the last item unasked"
        (last_item (module Deque_traced.Bounded_greedy));
      catches "the owner looks before it claims"
        (two_thieves (module Deque_traced.Bounded_unclaimed));
      catches "the sweep goes too far"
        (sweeping (module Deque_traced.Bounded_oversweep));
      catches "one item too many" (full (module Deque_traced.Bounded_overfull));
      catches "a thief gives up"
        (thieves_alone (module Deque_traced.Bounded_weak));
    ]

let dynamic_cases =
  Explore.
    [
      passes "the last item" (last_item d);
      passes "two items, two thieves" (two_thieves d);
      passes "growing" (grow d);
      passes "growing twice" (grow_twice d);
      passes "shrinking" (shrink d);
      passes "shrinking and growing" (shrink_grow d);
      catches "a replaced array is cleared" (grow (module Thawed));
      catches "a thief reads the array first" (grow (module Stale));
      catches "resizing forgets an item" (shrink (module Short));
    ]

let () =
  Alcotest.run "deques, model-checked"
    [ ("bounded", bounded_cases); ("dynamic", dynamic_cases) ]
