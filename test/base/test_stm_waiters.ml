(* Waiters against a sequential model. In one thread: every operation. On two
   domains: announcements, withdrawals and notifications, whose results must
   agree with the model under some order of the calls.

   On two domains, only linearizable operations are called. [count] is not
   linearizable; neither is the choice of [notify_one] between two sleepers, nor
   [notify_all] over several slots, a sequence of notifications. Therefore there
   are two forms: one slot, with an owner and a notifier that use all
   notifications; and two slots, whose owners notify each other by number. *)

open QCheck
open STM
open Dromos_base

type cmd =
  | Prepare of int
  | Cancel of int
  | Sleep of int
    (* where the notification is sure to come: from the thread
                    itself *)
  | Commit of int (* the slot is notified already *)
  | Recover of int
  | Notify of int
  | Notify_one
  | Notify_all
  | Count

let show_cmd = function
  | Prepare i -> Printf.sprintf "Prepare %d" i
  | Cancel i -> Printf.sprintf "Cancel %d" i
  | Sleep i -> Printf.sprintf "Sleep %d" i
  | Commit i -> Printf.sprintf "Commit %d" i
  | Recover i -> Printf.sprintf "Recover %d" i
  | Notify i -> Printf.sprintf "Notify %d" i
  | Notify_one -> "Notify_one"
  | Notify_all -> "Notify_all"
  | Count -> "Count"

type slot = Awake | Announced | Notified

module Spec (Size : sig
  val size : int
end) =
struct
  let size = Size.size

  type nonrec cmd = cmd
  type state = { slots : slot list; next : int }
  type sut = Waiters.t

  let show_cmd = show_cmd
  let init_state = { slots = List.init size (fun _ -> Awake); next = 0 }
  let init_sut () = Waiters.create size
  let cleanup _ = ()

  (* Only the slot's own thread changes whether the slot is awake, so a
     precondition holds in all interleavings or in none. [Commit], which is for
     one thread, is the exception: it depends on notifications. *)
  let precond cmd state =
    let slot i = List.nth state.slots i in
    match cmd with
    | Prepare i -> slot i = Awake
    | Cancel i | Sleep i -> slot i <> Awake
    | Commit i -> slot i = Notified
    | Recover _ | Notify _ | Notify_one | Notify_all | Count -> true

  (* The commands of slot [i]'s thread that make sense now. *)
  let own i (state : state) =
    match List.nth state.slots i with
    | Awake -> [ (4, Gen.return (Prepare i)); (1, Gen.return (Recover i)) ]
    | Announced | Notified ->
        [
          (2, Gen.return (Cancel i));
          (1, Gen.return (Sleep i));
          (1, Gen.return (Recover i));
        ]

  let notifier = Gen.map (fun i -> Notify i) (Gen.int_bound (size - 1))
  let arb frequencies = make ~print:show_cmd (Gen.frequency frequencies)

  let owner_cmd i state =
    arb ((1, notifier) :: List.map (fun (n, g) -> (2 * n, g)) (own i state))

  let notifier_cmd _ =
    arb
      [ (2, notifier); (1, Gen.return Notify_one); (1, Gen.return Notify_all) ]

  let arb_cmd (state : state) =
    let slots = List.init size Fun.id in
    let notified i = List.nth state.slots i = Notified in
    arb
      (List.concat_map (fun i -> own i state) slots
      @ (List.filter notified slots
        |> List.map (fun i -> (2, Gen.return (Commit i))))
      @ [
          (3, notifier);
          (3, Gen.return Notify_one);
          (1, Gen.return Notify_all);
          (2, Gen.return Count);
        ])

  let set i slot state =
    let slots = List.mapi (fun j s -> if j = i then slot else s) state.slots in
    { state with slots }

  let is i slot (state : state) = List.nth state.slots i = slot

  let notify i state =
    if is i Announced state then set i Notified state else state

  let announced (state : state) =
    List.length (List.filter (( = ) Announced) state.slots)

  let notify_one (state : state) =
    if announced state = 0 then state
    else
      let rec from i =
        if is i Announced state then set i Notified state
        else from ((i + 1) mod size)
      in
      let woken = from (state.next mod size) in
      { woken with next = state.next + 1 }

  let notify_all (state : state) =
    let notified s = if s = Announced then Notified else s in
    { state with slots = List.map notified state.slots }

  let next_state cmd state =
    match cmd with
    | Prepare i -> set i Announced state
    | Cancel i | Sleep i | Commit i | Recover i -> set i Awake state
    | Notify i -> notify i state
    | Notify_one -> notify_one state
    | Notify_all -> notify_all state
    | Count -> state

  let run cmd t =
    match cmd with
    | Prepare i -> Res (unit, Waiters.prepare t i)
    | Cancel i -> Res (bool, Waiters.cancel t i)
    | Sleep i ->
        let notified = Waiters.notify t i in
        Waiters.commit t i;
        Res (bool, notified)
    | Commit i -> Res (unit, Waiters.commit t i)
    | Recover i -> Res (bool, Waiters.recover t i)
    | Notify i -> Res (bool, Waiters.notify t i)
    | Notify_one -> Res (bool, Waiters.notify_one t)
    | Notify_all -> Res (unit, Waiters.notify_all t)
    | Count -> Res (int, Waiters.count t)

  let postcond cmd state result =
    match (cmd, result) with
    | (Prepare _ | Commit _ | Notify_all), Res ((Unit, _), ()) -> true
    | (Cancel i | Recover i), Res ((Bool, _), notified) ->
        notified = is i Notified state
    | (Sleep i | Notify i), Res ((Bool, _), notified) ->
        notified = is i Announced state
    | Notify_one, Res ((Bool, _), notified) -> notified = (announced state > 0)
    | Count, Res ((Int, _), count) -> count = announced state
    | _ -> false
end

module One = Spec (struct
  let size = 1
end)

module Two = Spec (struct
  let size = 2
end)

module Three = Spec (struct
  let size = 3
end)

module Sequential = STM_sequential.Make (Three)
module One_in_parallel = STM_domain.Make (One)
module Two_in_parallel = STM_domain.Make (Two)

let () =
  QCheck_base_runner.run_tests_main
    [
      Sequential.agree_test ~count:800 ~name:"waiters, sequentially";
      Test.make ~retries:10 ~count:100 ~name:"one slot, owner and notifier"
        (One_in_parallel.arb_triple_asym 4 8 (One.owner_cmd 0) (One.owner_cmd 0)
           One.notifier_cmd)
        (fun programs ->
          assume (One_in_parallel.all_interleavings_ok programs);
          Util.repeat 10 One_in_parallel.agree_prop_par_asym programs);
      Test.make ~retries:10 ~count:100 ~name:"two slots, two owners"
        (Two_in_parallel.arb_triple 4 8 (Two.owner_cmd 0) (Two.owner_cmd 0)
           (Two.owner_cmd 1))
        (fun programs ->
          assume (Two_in_parallel.all_interleavings_ok programs);
          Util.repeat 10 Two_in_parallel.agree_prop_par programs);
    ]
