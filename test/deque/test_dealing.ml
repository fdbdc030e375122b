(* Every interleaving of the protocol of dealing deques, over the shipped source
   and over copies with a seeded fault. The first workers deal, the others
   receive; items are numbers. At the end, every pushed item has been popped or
   dealt once, or is still there. A worker that still waits gets the next pushed
   item, and no worker waits afterwards. *)

open Dromos_model
module Shipped = Deque_traced_dealing.Dealing

module type S = sig
  include Deque_traced_dealing.Ws_deques.S

  val oldest : 'a t -> int -> 'a option
  val dealt : 'a t -> int -> int
end

type dealer = Push of int | Pop | Tick | Oldest
type receiver = Wait | Withdraw

let fail fmt = Printf.ksprintf failwith fmt
let show items = String.concat " " (List.map string_of_int items)

let protocol (module D : S) ?(before = []) dealers receivers () =
  let first = List.length dealers in
  let workers = first + List.length receivers in
  let t = D.create ~workers ~dummy:(-1) in
  let pushed = ref [] and taken = ref [] in
  let got = function None -> () | Some v -> taken := v :: !taken in
  let push i v =
    pushed := v :: !pushed;
    D.push t i v
  in
  let deal i op =
    (match op with
    | Push v -> push i v
    | Pop -> got (D.pop t i)
    | Oldest -> got (D.oldest t i)
    | Tick -> D.tick t i);
    let receiver = D.dealt t i in
    if receiver >= 0 && receiver < first then fail "dealt to a dealer"
  in
  let receive i = function
    | Wait -> got (D.steal t ~thief:i ~victim:0)
    | Withdraw ->
        got (D.withdraw t i);
        if D.waits_for_answer t i then fail "withdrawn, and still waiting"
  in
  List.iter (push 0) before;
  let dealer i ops () = List.iter (deal i) ops in
  let receiver i ops () = List.iter (receive (first + i)) ops in
  let check () =
    for i = first to workers - 1 do
      if D.waits_for_answer t i then begin
        got (D.steal t ~thief:i ~victim:0);
        if D.waits_for_answer t i then begin
          push 0 (100 + i);
          (* Another worker may have been served first. *)
          for _ = 1 to workers do
            D.tick t 0;
            push 0 (200 + i)
          done;
          got (D.steal t ~thief:i ~victim:0);
          if D.waits_for_answer t i then fail "worker %d waits for ever" i
        end
      end
    done;
    for i = 0 to workers - 1 do
      got (D.withdraw t i);
      let rec drain () =
        match D.pop t i with
        | None -> ()
        | some ->
            got some;
            drain ()
      in
      drain ()
    done;
    let pushed = List.sort compare !pushed
    and taken = List.sort compare !taken in
    if pushed <> taken then
      fail "pushed %s, taken %s" (show pushed) (show taken)
  in
  (List.mapi dealer dealers @ List.mapi receiver receivers, check)

let push_pop d = protocol d [ [ Push 1; Push 2; Pop ] ] [ [ Wait; Wait ] ]

let last_item d =
  protocol d ~before:[ 1 ] [ [ Tick; Pop ] ] [ [ Wait; Withdraw; Wait ] ]

let withdrawing d =
  protocol d ~before:[ 1; 2 ] [ [ Tick; Tick ] ] [ [ Wait; Withdraw; Wait ] ]

let two_receivers d =
  protocol d ~before:[ 1; 2 ] [ [ Tick; Tick ] ] [ [ Wait; Wait ]; [ Wait ] ]

let two_withdraw d =
  protocol d ~before:[ 1; 2 ]
    [ [ Tick; Pop ] ]
    [ [ Wait; Withdraw ]; [ Wait; Withdraw ] ]

let two_dealers d =
  protocol d ~before:[ 1 ]
    [ [ Tick; Pop ]; [ Push 2; Pop ] ]
    [ [ Wait; Wait; Withdraw ] ]

let waiting_again d =
  protocol d ~before:[ 1; 2; 3 ]
    [ [ Tick; Tick; Tick ] ]
    [ [ Wait; Wait; Wait; Wait ] ]

let both_ends d =
  protocol d ~before:[ 1; 2; 3 ] [ [ Oldest; Tick; Pop ] ] [ [ Wait; Wait ] ]

let d = (module Shipped : S)

let cases =
  let module T = Deque_traced_dealing in
  Explore.
    [
      passes "pushing and popping" (push_pop d);
      passes "the last item" (last_item d);
      passes "withdrawing" (withdrawing d);
      passes "two receivers" (two_receivers d);
      passes "two receivers withdraw" (two_withdraw d);
      passes "two dealers" (two_dealers d);
      passes "waiting again" (waiting_again d);
      passes "both ends" (both_ends d);
      catches "dealt over a withdrawal" (withdrawing (module T.Dealing_blind));
      catches "dealt over another's item" (two_dealers (module T.Dealing_blind));
      catches "withdrawn over an item" (withdrawing (module T.Dealing_deaf));
      catches "a late withdrawal leaves the item"
        (withdrawing (module T.Dealing_leaves));
      catches "served, and still waiting"
        (waiting_again (module T.Dealing_endless));
      catches "an item is dealt and kept" (push_pop (module T.Dealing_keeps));
      catches "waiting unseen" (push_pop (module T.Dealing_uncounted));
    ]

let () = Alcotest.run "dealing deques, model-checked" [ ("protocol", cases) ]
