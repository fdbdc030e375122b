(* Linearizability of the queue and the ivar on real domains: what random
   parallel programs return must agree with a sequential model under some order
   of the calls. *)

open QCheck
open STM
open Dromos_base

module Queue_spec = struct
  type cmd = Push of int | Pop | Is_empty
  type state = int list (* oldest first *)
  type sut = int Queue.t

  let show_cmd = function
    | Push v -> Printf.sprintf "Push %d" v
    | Pop -> "Pop"
    | Is_empty -> "Is_empty"

  let init_state = []
  let init_sut = Queue.create
  let cleanup _ = ()
  let precond _ _ = true

  let arb_cmd _ =
    make ~print:show_cmd
      (Gen.frequency
         [
           (4, Gen.map (fun v -> Push v) Gen.small_nat);
           (4, Gen.return Pop);
           (1, Gen.return Is_empty);
         ])

  let next_state cmd state =
    match (cmd, state) with
    | Push v, _ -> state @ [ v ]
    | Pop, _ :: rest -> rest
    | (Pop | Is_empty), _ -> state

  let run cmd q =
    match cmd with
    | Push v -> Res (unit, Queue.push q v)
    | Pop -> Res (option int, Queue.pop q)
    | Is_empty -> Res (bool, Queue.is_empty q)

  let postcond cmd (state : state) result =
    match (cmd, result) with
    | Push _, Res ((Unit, _), ()) -> true
    | Pop, Res ((Option Int, _), popped) ->
        (popped : int option) = List.nth_opt state 0
    | Is_empty, Res ((Bool, _), empty) -> empty = (state = [])
    | _ -> false
end

(* Callbacks leave a mark; [Called] reads how many marks there are. A callback
   runs after the ivar is set, so a reader in another domain may be early: the
   count is only exact when the reader is the setter's own domain. Hence
   [Called] occurs in sequential programs only. *)
module Ivar_spec = struct
  type cmd = Set of int | Wait | Peek | Is_set | Called
  type state = { value : int option; kept : int; called : int }
  type sut = { ivar : (unit, int) Ivar.t; calls : int Atomic.t }

  let show_cmd = function
    | Set v -> Printf.sprintf "Set %d" v
    | Wait -> "Wait"
    | Peek -> "Peek"
    | Is_set -> "Is_set"
    | Called -> "Called"

  let init_state = { value = None; kept = 0; called = 0 }
  let init_sut () = { ivar = Ivar.create (); calls = Atomic.make 0 }
  let cleanup _ = ()
  let precond _ _ = true

  let parallel =
    [
      (1, Gen.map (fun v -> Set v) Gen.small_nat);
      (4, Gen.return Wait);
      (2, Gen.oneofl [ Peek; Is_set ]);
    ]

  let parallel_cmd _ = make ~print:show_cmd (Gen.frequency parallel)

  let arb_cmd _ =
    make ~print:show_cmd (Gen.frequency ((2, Gen.return Called) :: parallel))

  let next_state cmd state =
    match (cmd, state.value) with
    | Set v, None -> { value = Some v; kept = 0; called = state.kept }
    | Wait, None -> { state with kept = state.kept + 1 }
    | _ -> state

  let run cmd { ivar; calls } =
    match cmd with
    | Set v -> Res (bool, Ivar.set () ivar v)
    | Wait ->
        let callback () _ = Atomic.incr calls in
        Res (option int, Ivar.wait ivar callback)
    | Peek -> Res (option int, Ivar.peek ivar)
    | Is_set -> Res (bool, Ivar.is_set ivar)
    | Called -> Res (int, Atomic.get calls)

  let postcond cmd (state : state) result =
    match (cmd, result) with
    | Set _, Res ((Bool, _), won) -> won = (state.value = None)
    | (Wait | Peek), Res ((Option Int, _), got) -> got = state.value
    | Is_set, Res ((Bool, _), set) -> set = (state.value <> None)
    | Called, Res ((Int, _), calls) -> calls = state.called
    | _ -> false
end

module Queue_sequential = STM_sequential.Make (Queue_spec)
module Queue_parallel = STM_domain.Make (Queue_spec)
module Ivar_sequential = STM_sequential.Make (Ivar_spec)
module Ivar_parallel = STM_domain.Make (Ivar_spec)

let queue_in_parallel =
  Test.make ~retries:10 ~count:60 ~name:"queue, two domains"
    (Queue_parallel.arb_cmds_triple 8 8)
    (Util.repeat 10 Queue_parallel.agree_prop_par)

let ivar_in_parallel =
  let cmd = Ivar_spec.parallel_cmd in
  Test.make ~retries:10 ~count:60 ~name:"ivar, two domains"
    (Ivar_parallel.arb_triple 3 8 cmd cmd cmd)
    (Util.repeat 10 Ivar_parallel.agree_prop_par)

let () =
  QCheck_base_runner.run_tests_main
    [
      Queue_sequential.agree_test ~count:300 ~name:"queue, sequentially";
      queue_in_parallel;
      Ivar_sequential.agree_test ~count:300 ~name:"ivar, sequentially";
      ivar_in_parallel;
    ]
