(* The results of concurrent calls must agree with a sequential model under some order of
   the calls, and the results of sequential calls must agree in their given order.
   qcheck-stm generates the random programs, for one domain and for two. *)

open QCheck
open STM
open Suite_structures

let key = Gen.int_range 0 7

module Queue = struct
  type cmd = Push of int | Pop

  type state =
    int list * int list (* the next elements, and the last ones in reverse *)

  type sut = int Ms_queue.t

  let show_cmd = function Push v -> Printf.sprintf "Push %d" v | Pop -> "Pop"
  let init_state = ([], [])
  let init_sut = Ms_queue.create
  let cleanup _ = ()
  let precond _ _ = true

  let arb_cmd _ =
    make ~print:show_cmd
      (Gen.oneof [ Gen.map (fun v -> Push v) key; Gen.return Pop ])

  let rec first = function
    | v :: rest, back -> Some (v, (rest, back))
    | [], [] -> None
    | [], back -> first (List.rev back, [])

  let next_state cmd ((front, back) as state) =
    match cmd with
    | Push v -> (front, v :: back)
    | Pop -> ( match first state with Some (_, s) -> s | None -> state)

  let run cmd q =
    match cmd with
    | Push v -> Res (unit, Ms_queue.push q v)
    | Pop -> Res (option int, Ms_queue.pop q)

  let postcond cmd state result =
    match (cmd, result) with
    | Push _, Res ((Unit, _), ()) -> true
    | Pop, Res ((Option Int, _), v) ->
        (v : int option) = Option.map fst (first state)
    | _ -> false
end

module Ordered_set = struct
  module Model = Set.Make (Int)

  type cmd = Add of int | Remove of int | Mem of int
  type state = Model.t
  type sut = Harris_list.t

  let show_cmd = function
    | Add k -> Printf.sprintf "Add %d" k
    | Remove k -> Printf.sprintf "Remove %d" k
    | Mem k -> Printf.sprintf "Mem %d" k

  let init_state = Model.empty
  let init_sut = Harris_list.create
  let cleanup _ = ()
  let precond _ _ = true

  let arb_cmd _ =
    make ~print:show_cmd
      (Gen.oneof
         [
           Gen.map (fun k -> Add k) key;
           Gen.map (fun k -> Remove k) key;
           Gen.map (fun k -> Mem k) key;
         ])

  let next_state cmd state =
    match cmd with
    | Add k -> Model.add k state
    | Remove k -> Model.remove k state
    | Mem _ -> state

  let run cmd s =
    match cmd with
    | Add k -> Res (bool, Harris_list.add s k)
    | Remove k -> Res (bool, Harris_list.remove s k)
    | Mem k -> Res (bool, Harris_list.mem s k)

  let postcond cmd state result =
    match (cmd, result) with
    | Add k, Res ((Bool, _), b) -> b = not (Model.mem k state)
    | (Remove k | Mem k), Res ((Bool, _), b) -> b = Model.mem k state
    | _ -> false
end

module Priority_queue = struct
  type cmd = Push of int * int | Pop
  type state = (int * int) list
  type sut = int Linden_pq.t

  let show_cmd = function
    | Push (k, v) -> Printf.sprintf "Push (%d, %d)" k v
    | Pop -> "Pop"

  let init_state = []
  let init_sut = Linden_pq.create
  let cleanup _ = ()
  let precond _ _ = true

  let arb_cmd _ =
    make ~print:show_cmd
      (Gen.frequency
         [
           (3, Gen.map2 (fun k v -> Push (k, v)) key Gen.small_nat);
           (2, Gen.return Pop);
         ])

  let rec insert k v = function
    | (k', v') :: rest when k' < k -> (k', v') :: insert k v rest
    | rest -> (k, v) :: rest

  let next_state cmd state =
    match (cmd, state) with
    | Push (k, v), _ -> insert k v state
    | Pop, [] -> []
    | Pop, _ :: rest -> rest

  let run cmd q =
    match cmd with
    | Push (k, v) -> Res (unit, Linden_pq.push q k v)
    | Pop ->
        let pair = function Some (k, v) -> [ k; v ] | None -> [] in
        Res (list int, pair (Linden_pq.pop_min q))

  let postcond cmd state result =
    match (cmd, state, result) with
    | Push _, _, Res ((Unit, _), ()) -> true
    | Pop, [], Res ((List Int, _), got) -> (got : int list) = []
    | Pop, (k, v) :: _, Res ((List Int, _), got) -> (got : int list) = [ k; v ]
    | _ -> false
end

module Both (Spec : STM.Spec) = struct
  module Sequential = STM_sequential.Make (Spec)
  module Parallel = STM_domain.Make (Spec)

  let tests name =
    [
      Sequential.agree_test ~count:200 ~name:(name ^ ", sequential");
      Parallel.agree_test_par ~count:8 ~name:(name ^ ", two domains");
    ]
end

module Queue_tests = Both (Queue)
module Set_tests = Both (Ordered_set)
module Priority_tests = Both (Priority_queue)

let tests =
  Queue_tests.tests "queue"
  @ Set_tests.tests "ordered set"
  @ Priority_tests.tests "priority queue"
