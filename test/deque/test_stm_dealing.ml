(* Dealing deques against sequential models. In one thread the protocol is
   deterministic, and {!Exact} predicts the result of every operation of three
   workers, each of them dealer and receiver. On two domains, {!Hunted}. *)

open QCheck
open STM
module D = Dromos_deque.Dealing

module Exact = struct
  type cmd =
    | Push of int * int
    | Pop of int
    | Oldest of int
    | Tick of int
    | Dealt of int
    | Size of int
    | May_have of int
    | Steal of { thief : int; victim : int }
    | Withdraw of int
    | Waits of int

  let show_cmd = function
    | Push (i, v) -> Printf.sprintf "Push (%d, %d)" i v
    | Pop i -> Printf.sprintf "Pop %d" i
    | Oldest i -> Printf.sprintf "Oldest %d" i
    | Tick i -> Printf.sprintf "Tick %d" i
    | Dealt i -> Printf.sprintf "Dealt %d" i
    | Size i -> Printf.sprintf "Size %d" i
    | May_have i -> Printf.sprintf "May_have %d" i
    | Steal { thief; victim } -> Printf.sprintf "Steal (%d of %d)" thief victim
    | Withdraw i -> Printf.sprintf "Withdraw %d" i
    | Waits i -> Printf.sprintf "Waits %d" i

  type cell = Busy | Waiting | Got of int

  type worker = {
    items : int list; (* newest first *)
    cell : cell;
    next : int; (* where the worker looks for a receiver first *)
    receiver : int;
  }

  type state = worker list
  type sut = int D.t

  let count = 3

  let init_state =
    List.init count (fun i ->
        { items = []; cell = Busy; next = i; receiver = -1 })

  let init_sut () = D.create ~workers:count ~dummy:(-1)
  let cleanup _ = ()

  let arb_cmd _ =
    let worker = Gen.int_bound (count - 1) in
    let simple make = Gen.map make worker in
    make ~print:show_cmd
      (Gen.frequency
         [
           (6, Gen.map2 (fun i v -> Push (i, v)) worker Gen.small_nat);
           (3, simple (fun i -> Pop i));
           (1, simple (fun i -> Oldest i));
           ( 6,
             Gen.map2
               (fun thief victim -> Steal { thief; victim })
               worker worker );
           (3, simple (fun i -> Withdraw i));
           (3, simple (fun i -> Tick i));
           (3, simple (fun i -> Dealt i));
           (1, simple (fun i -> Size i));
           (1, simple (fun i -> May_have i));
           (1, simple (fun i -> Waits i));
         ])

  let precond _ _ = true
  let set i w = List.mapi (fun j old -> if j = i then w else old)
  let update i f state = set i (f (List.nth state i)) state

  let split_oldest items =
    match List.rev items with
    | [] -> (None, [])
    | oldest :: rest -> (Some oldest, List.rev rest)

  let deal i state =
    let w = List.nth state i in
    let turn = List.init count (fun k -> (w.next + k) mod count) in
    let waits j = (List.nth state j).cell = Waiting in
    match (split_oldest w.items, List.find_opt waits turn) with
    | (Some item, items), Some j ->
        set i { w with items; receiver = j; next = (j + 1) mod count } state
        |> update j (fun r -> { r with cell = Got item })
    | _ -> state

  let next_state cmd state =
    match cmd with
    | Push (i, v) ->
        update i (fun w -> { w with items = v :: w.items }) state |> deal i
    | Pop i -> (
        match (List.nth state i).items with
        | [] -> state
        | _ :: items -> update i (fun w -> { w with items }) state |> deal i)
    | Oldest i ->
        update i (fun w -> { w with items = snd (split_oldest w.items) }) state
    | Tick i -> deal i state
    | Dealt i -> update i (fun w -> { w with receiver = -1 }) state
    | Steal { thief; _ } ->
        let step w =
          match w.cell with
          | Busy | Waiting -> { w with cell = Waiting }
          | Got _ -> { w with cell = Busy }
        in
        update thief step state
    | Withdraw i -> update i (fun w -> { w with cell = Busy }) state
    | Size _ | May_have _ | Waits _ -> state

  let run cmd d =
    match cmd with
    | Push (i, v) -> Res (unit, D.push d i v)
    | Pop i -> Res (option int, D.pop d i)
    | Oldest i -> Res (option int, D.oldest d i)
    | Tick i -> Res (unit, D.tick d i)
    | Dealt i -> Res (int, D.dealt d i)
    | Size i -> Res (int, D.size d i)
    | May_have i -> Res (bool, D.may_have d i)
    | Steal { thief; victim } -> Res (option int, D.steal d ~thief ~victim)
    | Withdraw i -> Res (option int, D.withdraw d i)
    | Waits i -> Res (bool, D.waits_for_answer d i)

  let postcond cmd (state : state) result =
    let worker i = List.nth state i in
    let dealt_to i = match (worker i).cell with Got v -> Some v | _ -> None in
    match (cmd, result) with
    | (Push _ | Tick _), Res ((Unit, _), ()) -> true
    | Pop i, Res ((Option Int, _), got) -> got = List.nth_opt (worker i).items 0
    | Oldest i, Res ((Option Int, _), got) ->
        got = fst (split_oldest (worker i).items)
    | Dealt i, Res ((Int, _), receiver) -> receiver = (worker i).receiver
    | Size i, Res ((Int, _), size) -> size = List.length (worker i).items
    | May_have i, Res ((Bool, _), may) -> may = ((worker i).items <> [])
    | Steal { thief = i; _ }, Res ((Option Int, _), got) -> got = dealt_to i
    | Withdraw i, Res ((Option Int, _), got) -> got = dealt_to i
    | Waits i, Res ((Bool, _), waits) -> waits = ((worker i).cell <> Busy)
    | _ -> false
end

module Sequential = STM_sequential.Make (Exact)
module Hunted = Hunted.Make (D)
module Parallel = STM_domain.Make (Hunted)

let asymmetric =
  Test.make ~retries:10 ~count:300 ~name:"dealing, owner and thief"
    (Parallel.arb_triple_asym 6 10 Hunted.owner_cmd Hunted.owner_cmd
       Hunted.thief_cmd) (fun programs ->
      Util.repeat 10 Parallel.agree_prop_par_asym programs)

let () =
  let status =
    QCheck_base_runner.run_tests
      [
        Sequential.agree_test ~count:1500 ~name:"dealing, sequentially";
        asymmetric;
      ]
  in
  Printf.printf "%d items were stolen\n" !Hunted.stolen_in_all;
  exit status
