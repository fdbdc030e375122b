(* Linearizability of the deques on real domains: random programs for an owner
   and a thief run in parallel; the results of all calls must agree with the
   infinite deque under some order of the calls. Also sequentially, in longer
   programs that grow, shrink and wrap. *)

open QCheck
open STM
open Dromos_model

type cmd = Push of int | Pop | Steal | Size | Is_empty | Sweep

let show_cmd = function
  | Push v -> Printf.sprintf "Push %d" v
  | Pop -> "Pop"
  | Steal -> "Steal"
  | Size -> "Size"
  | Is_empty -> "Is_empty"
  | Sweep -> "Sweep"

module type DEQUE = sig
  type t

  val limit : int
  val create : unit -> t
  val push : t -> int -> bool
  val pop : t -> int option
  val steal : t -> int option
  val size : t -> int
  val is_empty : t -> bool
  val sweep : t -> unit
end

module Spec (D : DEQUE) = struct
  type nonrec cmd = cmd
  type state = Infinite.t
  type sut = D.t

  let show_cmd = show_cmd
  let init_state = Infinite.empty
  let init_sut = D.create
  let cleanup _ = ()
  let precond _ _ = true

  (* More pushes than pops, so that deques become long now and then. *)
  let owner_gen =
    Gen.frequency
      [
        (6, Gen.map (fun v -> Push v) Gen.small_nat);
        (4, Gen.return Pop);
        (1, Gen.oneofl [ Size; Is_empty; Sweep ]);
      ]

  let owner_cmd _ = make ~print:show_cmd owner_gen
  let thief_cmd _ = make ~print:show_cmd (Gen.return Steal)

  let arb_cmd _ =
    make ~print:show_cmd
      (Gen.frequency [ (3, owner_gen); (1, Gen.return Steal) ])

  let next_state cmd state =
    let without = function Some (_, state) -> state | None -> state in
    match cmd with
    | Push v ->
        if Infinite.size state = D.limit then state else Infinite.push state v
    | Pop -> without (Infinite.pop state)
    | Steal -> without (Infinite.steal state)
    | Size | Is_empty | Sweep -> state

  let run cmd d =
    match cmd with
    | Push v -> Res (bool, D.push d v)
    | Pop -> Res (option int, D.pop d)
    | Steal -> Res (option int, D.steal d)
    | Size -> Res (int, D.size d)
    | Is_empty -> Res (bool, D.is_empty d)
    | Sweep -> Res (unit, D.sweep d)

  let postcond cmd state result =
    match (cmd, result) with
    | Push _, Res ((Bool, _), accepted) ->
        accepted = (Infinite.size state < D.limit)
    | Pop, Res ((Option Int, _), popped) ->
        popped = Option.map fst (Infinite.pop state)
    | Steal, Res ((Option Int, _), stolen) ->
        stolen = Option.map fst (Infinite.steal state)
    | Size, Res ((Int, _), size) -> size = Infinite.size state
    | Is_empty, Res ((Bool, _), empty) -> empty = (Infinite.size state = 0)
    | Sweep, Res ((Unit, _), ()) -> true
    | _ -> false
end

module Bounded = struct
  include Dromos_deque.Bounded

  type nonrec t = int t

  let limit = 4
  let create () = create ~capacity:3 ~dummy:(-1)
end

module Dynamic = struct
  include Dromos_deque.Dynamic

  type nonrec t = int t

  let limit = max_int
  let create () = create ~capacity:1 ~dummy:(-1)

  let push d v =
    push d v;
    true
end

(* Worker 0 is the owner, worker 1 the thief; [block] forgets stolen items. *)
module Public = struct
  module D = Dromos_deque.Public

  type t = int D.t

  let limit = max_int
  let create () = D.create ~workers:2 ~dummy:(-1)

  let push d v =
    D.push d 0 v;
    true

  let pop d = D.pop d 0
  let steal d = D.steal d ~thief:1 ~victim:0
  let size d = D.size d 0
  let is_empty d = D.is_empty d 0
  let sweep d = D.block d 0
end

module Tests (D : DEQUE) = struct
  module Spec = Spec (D)
  module Sequential = STM_sequential.Make (Spec)
  module Parallel = STM_domain.Make (Spec)

  let asymmetric ~count ~name =
    Test.make ~retries:10 ~count ~name
      (Parallel.arb_triple_asym 10 8 Spec.arb_cmd Spec.owner_cmd Spec.thief_cmd)
      (fun programs -> Util.repeat 10 Parallel.agree_prop_par_asym programs)

  let all name =
    [
      Sequential.agree_test ~count:600 ~name:(name ^ ", sequentially");
      asymmetric ~count:60 ~name:(name ^ ", owner and thief");
    ]
end

module Bounded_tests = Tests (Bounded)
module Dynamic_tests = Tests (Dynamic)
module Public_tests = Tests (Public)

let () =
  QCheck_base_runner.run_tests_main
    (Bounded_tests.all "bounded"
    @ Dynamic_tests.all "dynamic"
    @ Public_tests.all "public")
