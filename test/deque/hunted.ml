(* Private deques on two domains, an owner and a thief, against an infinite
   deque.

   On two domains a single [steal] is not linearizable: its result was decided
   when the owner last looked for thieves, some operations earlier. A whole hunt
   is linearizable: ask, look for the answer a while, withdraw. A hunt gets the
   oldest item, at the moment of the owner's hand-over, or nothing, at any
   moment. The machine decides between the two outcomes, so the test learns the
   outcome from the run, and checks the rest: the item of a hunt was the oldest
   at that moment, and the owner's results agree with an infinite deque from
   which exactly those items were removed. At the end the remaining items, and
   the items taken, are the items pushed. *)

open QCheck
open STM
open Dromos_model

module Make (D : Dromos_deque.Ws_deques.S) = struct
  type cmd =
    | Push of int
    | Pop
    | Tick
    | Block
    | Unblock
    | Size
    | Is_empty
    | Hunt of { mutable got : bool }
  (* the outcome of the last run of the hunt *)

  let show_cmd = function
    | Push v -> Printf.sprintf "Push %d" v
    | Pop -> "Pop"
    | Tick -> "Tick"
    | Block -> "Block"
    | Unblock -> "Unblock"
    | Size -> "Size"
    | Is_empty -> "Is_empty"
    | Hunt _ -> "Hunt"

  type state = Infinite.t

  type sut = {
    d : int D.t;
    mutable pushed : int list;
    mutable popped : int list;
    mutable stolen : int list;
  }

  let init_state = Infinite.empty

  let init_sut () =
    let d = D.create ~workers:2 ~dummy:(-1) in
    { d; pushed = []; popped = []; stolen = [] }

  let stolen_in_all = ref 0

  let cleanup { d; pushed; popped; stolen } =
    stolen_in_all := !stolen_in_all + List.length stolen;
    let rec drain acc =
      match D.pop d 0 with None -> acc | Some v -> drain (v :: acc)
    in
    let found = drain (stolen @ popped) in
    if List.sort compare found <> List.sort compare pushed then
      failwith "items were lost or doubled"

  let precond _ _ = true
  let fresh_hunt = Gen.map (fun () -> Hunt { got = false }) Gen.unit

  let owner_cmd _ =
    make ~print:show_cmd
      (Gen.frequency
         [
           (6, Gen.map (fun v -> Push v) Gen.small_nat);
           (3, Gen.return Pop);
           (3, Gen.return Tick);
           (2, Gen.oneofl [ Size; Is_empty; Block; Unblock ]);
         ])

  let thief_cmd _ = make ~print:show_cmd fresh_hunt
  let arb_cmd = owner_cmd

  let next_state cmd state =
    let without = function Some (_, state) -> state | None -> state in
    match cmd with
    | Push v -> Infinite.push state v
    | Pop -> without (Infinite.pop state)
    | Hunt { got = true } -> without (Infinite.steal state)
    | Hunt { got = false } | Tick | Block | Unblock | Size | Is_empty -> state

  (* The owner may never look for thieves again, so the thief gives up at last. A
     [withdraw] that meets an answer under way is repeated. *)
  let rec hunt d looks =
    let got = D.steal d ~thief:1 ~victim:0 in
    if got <> None then got
    else begin
      Domain.cpu_relax ();
      if looks > 0 then hunt d (looks - 1) else give_up d 5_000_000
    end

  and give_up d patience =
    let got = D.withdraw d 1 in
    if got = None && D.waits_for_answer d 1 then begin
      if patience = 0 then failwith "the thief is never answered";
      Domain.cpu_relax ();
      give_up d (patience - 1)
    end
    else got

  let taken v acc = match v with Some v -> v :: acc | None -> acc

  let run cmd sut =
    let d = sut.d in
    match cmd with
    | Push v ->
        sut.pushed <- v :: sut.pushed;
        Res (unit, D.push d 0 v)
    | Pop ->
        let got = D.pop d 0 in
        sut.popped <- taken got sut.popped;
        Res (option int, got)
    | Tick ->
        (* Long enough for a thief to ask. *)
        for _ = 1 to 100 do
          D.tick d 0;
          Domain.cpu_relax ()
        done;
        Res (unit, ())
    | Block -> Res (unit, D.block d 0)
    | Unblock -> Res (unit, D.unblock d 0)
    | Size -> Res (int, D.size d 0)
    | Is_empty -> Res (bool, D.is_empty d 0)
    | Hunt h ->
        let got = hunt d 50 in
        h.got <- got <> None;
        sut.stolen <- taken got sut.stolen;
        Res (option int, got)

  let postcond cmd state result =
    match (cmd, result) with
    | Pop, Res ((Option Int, _), got) ->
        got = Option.map fst (Infinite.pop state)
    | Hunt _, Res ((Option Int, _), None) -> true
    | Hunt _, Res ((Option Int, _), got) ->
        got = Option.map fst (Infinite.steal state)
    | Size, Res ((Int, _), size) -> size = Infinite.size state
    | Is_empty, Res ((Bool, _), empty) -> empty = (Infinite.size state = 0)
    | (Push _ | Tick | Block | Unblock), Res ((Unit, _), ()) -> true
    | _ -> false
end
