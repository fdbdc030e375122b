(* Private deques against sequential models.

   In one thread the protocol is deterministic, and {!Exact} predicts the result
   of every operation of three workers, each of them owner and thief.

   On two domains, {!Hunted}. *)

open QCheck
open STM
module D = Dromos_deque.Private_

(* {1 One thread, every operation} *)

module Exact = struct
  type cmd =
    | Push of int * int
    | Pop of int
    | Tick of int
    | Block of int
    | Unblock of int
    | Size of int
    | Is_empty of int
    | May_have of int
    | Steal of { thief : int; victim : int }
    | Withdraw of int
    | Waits of int

  let show_cmd = function
    | Push (i, v) -> Printf.sprintf "Push (%d, %d)" i v
    | Pop i -> Printf.sprintf "Pop %d" i
    | Tick i -> Printf.sprintf "Tick %d" i
    | Block i -> Printf.sprintf "Block %d" i
    | Unblock i -> Printf.sprintf "Unblock %d" i
    | Size i -> Printf.sprintf "Size %d" i
    | Is_empty i -> Printf.sprintf "Is_empty %d" i
    | May_have i -> Printf.sprintf "May_have %d" i
    | Steal { thief; victim } -> Printf.sprintf "Steal (%d of %d)" thief victim
    | Withdraw i -> Printf.sprintf "Withdraw %d" i
    | Waits i -> Printf.sprintf "Waits %d" i

  type request = Shut | Free | From of int
  type asked = Nobody | Waiting of int | Answered of int * int option

  type worker = {
    items : int list; (* newest first *)
    request : request;
    asked : asked;
  }

  type state = worker list
  type sut = int D.t

  let count = 3
  let fresh = { items = []; request = Shut; asked = Nobody }
  let init_state = List.init count (fun _ -> fresh)
  let init_sut () = D.create ~workers:count ~dummy:(-1)
  let cleanup _ = ()

  let arb_cmd _ =
    let worker = Gen.int_bound (count - 1) in
    let simple make = Gen.map make worker in
    let steal thief step =
      Steal { thief; victim = (thief + 1 + step) mod count }
    in
    make ~print:show_cmd
      (Gen.frequency
         [
           (6, Gen.map2 (fun i v -> Push (i, v)) worker Gen.small_nat);
           (3, simple (fun i -> Pop i));
           (8, Gen.map2 steal worker (Gen.int_bound (count - 2)));
           (2, simple (fun i -> Withdraw i));
           (3, simple (fun i -> Tick i));
           (1, simple (fun i -> Block i));
           (1, simple (fun i -> Unblock i));
           (1, simple (fun i -> Size i));
           (1, simple (fun i -> Is_empty i));
           (1, simple (fun i -> May_have i));
           (1, simple (fun i -> Waits i));
         ])

  let precond _ _ = true
  let set i w = List.mapi (fun j old -> if j = i then w else old)
  let update i f state = set i (f (List.nth state i)) state

  let tell thief item =
    let answer w =
      match w.asked with
      | Waiting v -> { w with asked = Answered (v, item) }
      | Nobody | Answered _ -> assert false
    in
    update thief answer

  let split_oldest items =
    match List.rev items with
    | [] -> (None, [])
    | oldest :: rest -> (Some oldest, List.rev rest)

  let close i state =
    let w = List.nth state i in
    let state = set i { w with request = Shut } state in
    match w.request with From thief -> tell thief None state | _ -> state

  let respond i state =
    let w = List.nth state i in
    match w.request with
    | Shut | Free -> state
    | From thief ->
        let item, items = split_oldest w.items in
        let request = if items = [] then Shut else Free in
        tell thief item (set i { w with items; request } state)

  let reopen w = if w.request = Shut then { w with request = Free } else w

  (* The result for the thief, after which the thief waits for no victim. *)
  let collect i state =
    let w = List.nth state i in
    match w.asked with
    | Answered (_, got) -> (got, set i { w with asked = Nobody } state)
    | Nobody | Waiting _ -> (None, state)

  let take_back i state =
    match (List.nth state i).asked with
    | Waiting victim ->
        let state = update victim (fun v -> { v with request = Free }) state in
        (None, update i (fun w -> { w with asked = Nobody }) state)
    | Nobody | Answered _ -> collect i state

  let ask i victim state =
    let w = List.nth state i and v = List.nth state victim in
    if w.asked = Nobody && v.request = Free then
      set victim { v with request = From i } state
      |> update i (fun w -> { w with asked = Waiting victim })
    else state

  let steal i victim state =
    let got, state =
      match (List.nth state i).asked with
      | Waiting other when other <> victim -> take_back i state
      | _ -> collect i state
    in
    if got = None then (got, ask i victim state) else (got, state)

  let pop i state =
    let w = List.nth state i in
    match w.items with
    | [] -> state
    | _ :: items ->
        let state = set i { w with items } state in
        if items = [] then close i state else respond i state

  let next_state cmd state =
    match cmd with
    | Push (i, v) ->
        update i (fun w -> reopen { w with items = v :: w.items }) state
        |> respond i
    | Pop i -> pop i state
    | Tick i -> respond i state
    | Block i -> close i state
    | Unblock i ->
        update i (fun w -> if w.items = [] then w else reopen w) state
    | Steal { thief; victim } -> snd (steal thief victim state)
    | Withdraw i -> snd (take_back i state)
    | Size _ | Is_empty _ | May_have _ | Waits _ -> state

  let run cmd d =
    match cmd with
    | Push (i, v) -> Res (unit, D.push d i v)
    | Pop i -> Res (option int, D.pop d i)
    | Tick i -> Res (unit, D.tick d i)
    | Block i -> Res (unit, D.block d i)
    | Unblock i -> Res (unit, D.unblock d i)
    | Size i -> Res (int, D.size d i)
    | Is_empty i -> Res (bool, D.is_empty d i)
    | May_have i -> Res (bool, D.may_have d i)
    | Steal { thief; victim } -> Res (option int, D.steal d ~thief ~victim)
    | Withdraw i -> Res (option int, D.withdraw d i)
    | Waits i -> Res (bool, D.waits_for_answer d i)

  let postcond cmd (state : state) result =
    let items i = (List.nth state i).items in
    match (cmd, result) with
    | (Push _ | Tick _ | Block _ | Unblock _), Res ((Unit, _), ()) -> true
    | Pop i, Res ((Option Int, _), got) -> got = List.nth_opt (items i) 0
    | Size i, Res ((Int, _), size) -> size = List.length (items i)
    | Is_empty i, Res ((Bool, _), empty) -> empty = (items i = [])
    | May_have i, Res ((Bool, _), may) ->
        may = ((List.nth state i).request <> Shut)
    | Steal { thief; victim }, Res ((Option Int, _), got) ->
        got = fst (steal thief victim state)
    | Withdraw i, Res ((Option Int, _), got) -> got = fst (take_back i state)
    | Waits i, Res ((Bool, _), waits) ->
        waits = ((List.nth state i).asked <> Nobody)
    | _ -> false
end

module Sequential = STM_sequential.Make (Exact)
module Hunted = Hunted.Make (D)
module Parallel = STM_domain.Make (Hunted)

let asymmetric =
  Test.make ~retries:10 ~count:300 ~name:"private, owner and thief"
    (Parallel.arb_triple_asym 6 10 Hunted.owner_cmd Hunted.owner_cmd
       Hunted.thief_cmd) (fun programs ->
      Util.repeat 10 Parallel.agree_prop_par_asym programs)

let () =
  let status =
    QCheck_base_runner.run_tests
      [
        Sequential.agree_test ~count:1500 ~name:"private, sequentially";
        asymmetric;
      ]
  in
  Printf.printf "%d items were stolen\n" !Hunted.stolen_in_all;
  exit status
