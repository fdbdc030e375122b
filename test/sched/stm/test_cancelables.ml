(* Cancelables against a model: a tree, its cancelled nodes, and the number of
   fibers in each. In one fiber, and in two at the same time. *)

module Sched = Dromos.Sched
module Cancelable = Sched.Cancelable
module Promise = Dromos.Promise

type cmd =
  | Make of int  (** below the given node *)
  | Start of int  (** a fiber under the node, to run until [Finish] *)
  | Finish of int  (** ends a started fiber *)
  | Cancel of int
  | Is_cancelled of int
  | Running of int  (** the number of fibers under the node and below *)

let show_cmd cmd =
  let say what n = Printf.sprintf "%s %d" what n in
  match cmd with
  | Make n -> say "Make" n
  | Start n -> say "Start" n
  | Finish n -> say "Finish" n
  | Cancel n -> say "Cancel" n
  | Is_cancelled n -> say "Is_cancelled" n
  | Running n -> say "Running" n

(* {1 Real cancelables} *)

type node = {
  c : Cancelable.t;
  parent : node option;
  running : int Atomic.t;
  fibers : fiber list Atomic.t;  (** started, and not ended *)
}

and fiber = { gate : unit Promise.t; over : unit Promise.t }

type tree = { mutable nodes : node list  (** the last made first *) }

let node c parent =
  { c; parent; running = Atomic.make 0; fibers = Atomic.make [] }

let nth t n = List.nth (List.rev t.nodes) n

let make t n =
  let parent = nth t n and made = ref None in
  Cancelable.wrap parent.c (fun () -> made := Some (Cancelable.make ())) ();
  match !made with
  | Some c ->
      t.nodes <- node c (Some parent) :: t.nodes;
      true
  | None -> false

let rec up node f =
  f node.running;
  Option.iter (fun parent -> up parent f) node.parent

let rec change list f =
  let seen = Atomic.get list in
  let next, result = f seen in
  if Atomic.compare_and_set list seen next then result else change list f

let fulfil p v = ignore (Promise.try_resolve p (Ok v) : bool)

(* Starts a fiber; returns whether it has begun. *)
let start_fiber node =
  let fiber = { gate = Promise.create (); over = Promise.create () } in
  let begun = Promise.create () in
  let live () =
    up node Atomic.incr;
    Fun.protect
      (fun () ->
        change node.fibers (fun l -> (fiber :: l, ()));
        fulfil begun true;
        Dromos.await fiber.gate)
      ~finally:(fun () -> up node Atomic.decr)
  in
  Sched.spawn (fun () ->
      Cancelable.wrap node.c live ();
      fulfil begun false;
      fulfil fiber.over ());
  Dromos.await begun

let finish_fiber node =
  let take = function [] -> ([], None) | f :: l -> (l, Some f) in
  match change node.fibers take with
  | None -> ()
  | Some fiber ->
      fulfil fiber.gate ();
      Dromos.await fiber.over

(* Cancels; returns the number of fibers left. *)
let cancel node =
  Cancelable.cancel node.c;
  Atomic.get node.running

(* {1 The model} *)

module Spec = struct
  type nonrec cmd = cmd

  type state = {
    parents : int list;  (** the parent of each node; the first node has none *)
    cancelled : int list;
    started : int list;  (** the node of each fiber *)
  }

  type sut = tree

  let show_cmd = show_cmd
  let init_state = { parents = [ -1; 0; 0; 1 ]; cancelled = []; started = [] }

  let init_sut () =
    let t = { nodes = [ node (Cancelable.make ()) None ] } in
    List.iter
      (fun parent -> if parent >= 0 then ignore (make t parent : bool))
      init_state.parents;
    t

  let cleanup t = ignore (cancel (nth t 0) : int)
  let precond _ _ = true
  let start n = Start n
  let finish n = Finish n
  let cancel_it n = Cancel n
  let ask n = Is_cancelled n
  let at_once = [ (6, start); (2, finish); (2, cancel_it); (3, ask) ]
  let others = [ (2, fun n -> Make n); (3, fun n -> Running n) ]

  let among cmds state =
    let open QCheck.Gen in
    let any = int_bound (List.length state.parents - 1) in
    let with_node (weight, cmd) = (weight, map cmd any) in
    QCheck.make ~print:show_cmd (frequency (List.map with_node cmds))

  let arb_cmd = among (at_once @ others)

  let rec above state n =
    if n < 0 then [] else n :: above state (List.nth state.parents n)

  let below state n who = List.mem n (above state who)

  let dead state n =
    List.exists (fun a -> List.mem a state.cancelled) (above state n)

  let rec without x = function
    | [] -> []
    | y :: l -> if x = y then l else y :: without x l

  let next_state cmd state =
    match cmd with
    | Make n when dead state n -> state
    | Make n -> { state with parents = state.parents @ [ n ] }
    | Start n when dead state n -> state
    | Start n -> { state with started = n :: state.started }
    | Finish n -> { state with started = without n state.started }
    | Cancel n ->
        let stays who = not (below state n who) in
        {
          state with
          cancelled = n :: state.cancelled;
          started = List.filter stays state.started;
        }
    | Is_cancelled _ | Running _ -> state

  let run cmd t =
    let open STM in
    match cmd with
    | Make n -> Res (bool, make t n)
    | Start n -> Res (bool, start_fiber (nth t n))
    | Finish n -> Res (unit, finish_fiber (nth t n))
    | Cancel n -> Res (int, cancel (nth t n))
    | Is_cancelled n -> Res (bool, Cancelable.is_cancelled (nth t n).c)
    | Running n -> Res (int, Atomic.get (nth t n).running)

  let postcond cmd state res =
    let open STM in
    match (cmd, res) with
    | (Make n | Start n), Res ((Bool, _), done_) -> done_ = not (dead state n)
    | Finish _, Res ((Unit, _), ()) -> true
    | Cancel _, Res ((Int, _), left) -> left = 0
    | Is_cancelled n, Res ((Bool, _), said) -> said = dead state n
    | Running n, Res ((Int, _), count) ->
        count = List.length (List.filter (below state n) state.started)
    | _, _ -> false
end

module Sequential = STM_sequential.Make (Spec)
module Parallel = STM_domain.Make (Spec)

(* {1 As fibers} *)

let in_one_fiber workers =
  QCheck.Test.make ~count:1000
    ~name:(Printf.sprintf "one fiber, %d workers" workers)
    (Sequential.arb_cmds Spec.init_state) (fun cmds ->
      Dromos.run ~workers (fun () -> Sequential.agree_prop cmds))

(* Like STM_domain, with fibers of a run in place of domains. *)
let agree (prefix, one, other) =
  let t = Spec.init_sut () in
  let before = Parallel.interp_sut_res t prefix in
  let ready = Atomic.make 0 in
  let interpret cmds =
    Dromos.async (fun () ->
        Atomic.incr ready;
        while Atomic.get ready < 2 do
          Dromos.yield ()
        done;
        Parallel.interp_sut_res t cmds)
  in
  let one = interpret one in
  let other = interpret other in
  let one = Dromos.await one in
  let other = Dromos.await other in
  Spec.cleanup t;
  Parallel.check_obs before one other Spec.init_state
  || QCheck.Test.fail_report "no order of the calls agrees with the model"

let in_two_fibers workers =
  let cmds = Spec.(among at_once) in
  QCheck.Test.make ~count:200
    ~name:(Printf.sprintf "two fibers, %d workers" workers)
    (Parallel.arb_triple 8 6 cmds cmds cmds)
    (Util.repeat 20 (fun programs ->
         Dromos.run ~workers (fun () -> agree programs)))

let case test =
  let (QCheck2.Test.Test cell) = test in
  Watch.case (QCheck2.Test.get_name cell) (fun () ->
      QCheck2.Test.check_cell_exn
        ~rand:(Random.State.make [| Watch.seed |])
        cell)

let () =
  Watch.suite "cancelables" (fun () ->
      Alcotest.run ~and_exit:false "cancelables"
        [
          ( "model",
            List.map case
              (List.map in_one_fiber [ 1; 2 ] @ List.map in_two_fibers [ 2; 3 ])
          );
        ])
