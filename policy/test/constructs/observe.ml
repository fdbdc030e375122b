open Dromos_policy_core
open Dromos_policy_semantics
open Dromos_policy_simulate
module Fault = Dromos_policy_syntax.Fault

type seen = { marks : int list; order : string list }

let observed (policy : Core.policy) read =
  List.filter_map
    (fun (a : Core.attribute) ->
      if List.mem a.name [ "mark"; "seen" ] then Some (read a) else None)
    (Array.to_list policy.attributes)
  |> List.concat

let threads = 11

let simulated text =
  let policy = Random_policy.policy text in
  let thread ?(attached = false) i actions =
    let name = Printf.sprintf "t%d" i in
    (float (i * 100), { Workload.name; attached; settings = []; actions })
  in
  let work i =
    Workload.[ Compute (3000. +. float (i * 300)); Yield; Compute 2500. ]
  in
  let sleeping i = work i @ [ Workload.Sleep 20_000. ] @ work i in
  let list = List.to_seq in
  let child = snd (thread 10 (list (work 10))) in
  let starts =
    List.init 6 (fun i -> thread i (list (sleeping i)))
    @ [
        thread 6 ~attached:true (list (work 6));
        thread 7 (list (work 7 @ [ Workload.Detach ]));
        thread 8 (list [ Workload.Compute 9000.; Withdraw "t0" ]);
        thread 9 (list (work 9 @ [ Workload.Spawn child; Join ]));
      ]
  in
  let workload =
    {
      Workload.workload_name = "constructs";
      described = "";
      barriers = [];
      starts;
      most_threads = threads;
    }
  in
  let m = Machine.create ~threads (Topology.flat 3) policy in
  let last = ref (Machine.initial m) in
  let watch _ ~self:_ ~target:_ ~waker:_ s = last := s in
  let r = Engine.run ~watch policy (Topology.flat 3) workload in
  let count (a : Core.attribute) =
    match a.owner with Of_thread -> threads | Of_core -> 3 | _ -> 1
  in
  let order = function
    | Engine.Began { thread; core; _ } ->
        Some (Printf.sprintf "%d on %d" thread core)
    | _ -> None
  in
  ( r.stuck,
    {
      marks =
        observed policy (fun a ->
            List.init (count a) (Look.attribute m !last a));
      order = List.filter_map order r.happenings;
    } )

(* Gives the same events to the compiled policy and the machine, and returns the
   observations of the compiled policy. *)
let compiled text generated =
  let policy = Random_policy.policy text in
  let t = Pair.make ~cores:3 ~threads:7 policy generated in
  let chance = Random.State.make [| 7 |] in
  let told = ref [] in
  for _ = 1 to 400 do
    told := Events.next chance t :: !told;
    match Pair.difference t with
    | None -> ()
    | Some what -> Alcotest.failf "%s@.%s" what text
  done;
  {
    marks =
      observed policy (fun a -> List.init (Pair.owners t a) (Pair.compiled t a));
    order = !told;
  }

let faults text =
  let all fs =
    String.concat "\n" (List.map (Fault.to_string ~source:text) fs)
  in
  match Dromos_policy_syntax.Parse.string text with
  | Error fault -> Some (all [ fault ])
  | Ok tree -> (
      match Dromos_policy_elaborate.Elaborate.policy tree with
      | Ok _ -> None
      | Error fs -> Some (all fs))
