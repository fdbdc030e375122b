(* Every interleaving of the request protocol of private deques, over the
   shipped source and over copies with a seeded fault. Worker 0 is the victim,
   the others are thieves; items are numbers. At the end, every pushed item has
   been popped or stolen once, or is still there; no thief is left waiting; and
   the victim's request cell tells whether the victim has items. *)

open Dromos_model
module Ws_deques = Deque_traced_private.Ws_deques
module Shipped = Deque_traced_private.Private_

type owner = Push of int | Pop | Tick | Block | Unblock
type thief = Steal of int | Withdraw

(* The two endings for waiting thieves: the thieves withdraw, or the victim
   stops and must have answered. *)
type ending = Withdrawal | Blocking

let fail fmt = Printf.ksprintf failwith fmt
let show items = String.concat " " (List.map string_of_int items)

let protocol (module D : Ws_deques.S) ?(before = []) ?(ending = Withdrawal)
    ?(victims = 1) owner thieves () =
  let workers = victims + List.length thieves in
  let t = D.create ~workers ~dummy:(-1) in
  let pushed = ref [] and taken = ref [] in
  let got = function None -> () | Some v -> taken := v :: !taken in
  let own i = function
    | Push v ->
        pushed := v :: !pushed;
        D.push t i v
    | Pop -> got (D.pop t i)
    | Tick -> D.tick t i
    | Block -> D.block t i
    | Unblock -> D.unblock t i
  in
  let hunt thief = function
    | Steal victim -> got (D.steal t ~thief ~victim)
    | Withdraw -> got (D.withdraw t thief)
  in
  List.iter (own 0) before;
  if victims > 1 then own 1 (Push 100);
  let victim () = List.iter (own 0) owner in
  let thread i ops () = List.iter (hunt (victims + i)) ops in
  let check () =
    if ending = Blocking then D.block t 0
    else if D.may_have t 0 <> not (D.is_empty t 0) then
      fail "the request cell lies";
    for thief = victims to workers - 1 do
      (match ending with
      | Blocking -> got (D.steal t ~thief ~victim:0)
      | Withdrawal -> got (D.withdraw t thief));
      if D.waits_for_answer t thief then fail "thief %d waits for ever" thief
    done;
    let rec drain i =
      match D.pop t i with
      | None -> ()
      | some ->
          got some;
          drain i
    in
    List.iter drain (List.init workers Fun.id);
    let pushed = List.sort compare !pushed
    and taken = List.sort compare !taken in
    if pushed <> taken then
      fail "pushed %s, taken %s" (show pushed) (show taken)
  in
  (victim :: List.mapi thread thieves, check)

let poll = [ Steal 0; Steal 0 ]
let push_pop d = protocol d [ Push 1; Push 2; Pop ] [ poll ]

let last_item d =
  protocol d ~before:[ Push 1 ] [ Pop ] [ [ Steal 0; Withdraw; Steal 0 ] ]

let ticking d =
  protocol d ~before:[ Push 1; Push 2 ] [ Tick; Tick ] [ poll; poll ]

let withdrawing d =
  protocol d ~before:[ Push 1; Push 2 ] [ Tick ]
    [ [ Steal 0; Withdraw; Steal 0 ]; [ Steal 0; Withdraw ] ]

let blocking d =
  protocol d ~ending:Blocking ~before:[ Push 1; Push 2 ] [ Block ]
    [ poll; [ Steal 0; Withdraw ] ]

let blocking_with_answers d =
  protocol d ~ending:Blocking ~before:[ Push 1; Push 2 ] [ Tick; Block ]
    [ [ Steal 0 ]; [ Steal 0 ] ]

let back_again d =
  protocol d ~before:[ Push 1; Push 2 ] [ Block; Unblock; Pop ] [ poll; poll ]

let emptying d =
  protocol d ~ending:Blocking ~before:[ Push 1 ] [ Pop; Push 2; Tick ]
    [ poll; [ Steal 0 ] ]

let changing_victims d =
  protocol d ~victims:2 ~before:[ Push 1 ] [ Tick; Pop ]
    [ [ Steal 0; Steal 1; Withdraw ]; [ Steal 0 ] ]

let collecting d =
  protocol d ~before:[ Push 1; Push 2 ] [ Tick; Tick ]
    [ [ Steal 0; Steal 0; Steal 0; Steal 0 ] ]

let d = (module Shipped : Ws_deques.S)

let cases =
  Explore.
    [
      passes "pushing and popping" (push_pop d);
      passes "the last item" (last_item d);
      passes "ticking, two thieves" (ticking d);
      passes "withdrawing" (withdrawing d);
      passes "blocking" (blocking d);
      passes "answering, then blocking" (blocking_with_answers d);
      passes "blocking and coming back" (back_again d);
      passes "running empty" (emptying d);
      passes "changing victims" (changing_victims d);
      passes "collecting and asking again" (collecting d);
      catches "the victim answers after a withdrawal"
        (withdrawing (module Deque_traced_private.Private_deaf));
      catches "a request slips in while closing"
        (blocking (module Deque_traced_private.Private_slam));
      catches "an answer is collected twice"
        (collecting (module Deque_traced_private.Private_echo));
      catches "a late withdrawal leaves the item"
        (withdrawing (module Deque_traced_private.Private_leaves));
      catches "running empty in silence"
        (last_item (module Deque_traced_private.Private_mute));
    ]

let () = Alcotest.run "private deques, model-checked" [ ("protocol", cases) ]
