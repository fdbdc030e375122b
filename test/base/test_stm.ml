(* Linearizability of the queues and the ivar on real domains: the results of
   random parallel programs must agree with a sequential model under some order
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

(* Values are numbered in the order of their pushes: the owner's 0, 1, ..; the
   other pusher's -1, -2, .. [Erase] erases the owner's newest value that it has
   not tried before. *)
module Erasable_spec = struct
  type cmd = Push | Push_other | Erase | Pop | Is_empty | Sweep
  type state = { queue : int list; mine : int list; pushed : int; others : int }

  type sut = {
    q : int Erasable.t;
    mutable nodes : int Erasable.node list;
    mutable count : int;
    mutable other_count : int;
  }

  let show_cmd = function
    | Push -> "Push"
    | Push_other -> "Push_other"
    | Erase -> "Erase"
    | Pop -> "Pop"
    | Is_empty -> "Is_empty"
    | Sweep -> "Sweep"

  let init_state = { queue = []; mine = []; pushed = 0; others = 0 }

  let init_sut () =
    { q = Erasable.create (); nodes = []; count = 0; other_count = 0 }

  let cleanup _ = ()
  let precond _ _ = true

  let arb choices =
    make ~print:show_cmd
      (Gen.frequency (List.map (fun (n, cmd) -> (n, Gen.return cmd)) choices))

  let owner_cmd _ = arb [ (5, Push); (4, Erase); (1, Pop); (1, Sweep) ]
  let other_cmd _ = arb [ (2, Push_other); (3, Pop); (1, Is_empty); (2, Sweep) ]

  let arb_cmd _ =
    arb
      [
        (4, Push);
        (2, Push_other);
        (3, Erase);
        (3, Pop);
        (1, Is_empty);
        (1, Sweep);
      ]

  let next_state cmd state =
    match (cmd, state) with
    | Push, _ ->
        let v = state.pushed in
        {
          state with
          queue = state.queue @ [ v ];
          mine = v :: state.mine;
          pushed = v + 1;
        }
    | Push_other, _ ->
        let v = -1 - state.others in
        { state with queue = state.queue @ [ v ]; others = state.others + 1 }
    | Erase, { mine = v :: mine; _ } ->
        { state with queue = List.filter (( <> ) v) state.queue; mine }
    | Pop, { queue = _ :: queue; _ } -> { state with queue }
    | (Erase | Pop | Is_empty | Sweep), _ -> state

  let run cmd t =
    match cmd with
    | Push ->
        t.nodes <- Erasable.push t.q t.count :: t.nodes;
        t.count <- t.count + 1;
        Res (unit, ())
    | Push_other ->
        ignore (Erasable.push t.q (-1 - t.other_count));
        t.other_count <- t.other_count + 1;
        Res (unit, ())
    | Erase -> (
        match t.nodes with
        | [] -> Res (bool, false)
        | node :: nodes ->
            t.nodes <- nodes;
            Res (bool, Erasable.erase node))
    | Pop -> Res (option int, Erasable.pop t.q)
    | Is_empty -> Res (bool, Erasable.is_empty t.q)
    | Sweep ->
        ignore (Erasable.sweep t.q);
        Res (unit, ())

  let postcond cmd (state : state) result =
    match (cmd, result) with
    | (Push | Push_other | Sweep), Res ((Unit, _), ()) -> true
    | Erase, Res ((Bool, _), erased) ->
        let there v = List.mem v state.queue in
        erased = List.exists there (List.filteri (fun i _ -> i = 0) state.mine)
    | Pop, Res ((Option Int, _), popped) -> popped = List.nth_opt state.queue 0
    | Is_empty, Res ((Bool, _), empty) -> empty = (state.queue = [])
    | _ -> false
end

(* Callbacks leave a mark; [Called] reads the number of marks. A callback runs
   after the ivar is set, so a reader in another domain may come early: the
   count is exact only in the setter's own domain. Therefore [Called] occurs
   only in sequential programs. *)
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
module Erasable_sequential = STM_sequential.Make (Erasable_spec)
module Erasable_parallel = STM_domain.Make (Erasable_spec)

let erasable_in_parallel =
  let open Erasable_spec in
  Test.make ~retries:10 ~count:60 ~name:"erasable, owner and another"
    (Erasable_parallel.arb_triple 5 8 arb_cmd owner_cmd other_cmd)
    (Util.repeat 10 Erasable_parallel.agree_prop_par)

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
      Erasable_sequential.agree_test ~count:500 ~name:"erasable, sequentially";
      erasable_in_parallel;
      Ivar_sequential.agree_test ~count:300 ~name:"ivar, sequentially";
      ivar_in_parallel;
    ]
