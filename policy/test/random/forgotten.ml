(* The model checker forgets dead registers. So no step may depend on a dead
   register. The test makes two runs, overwrites the dead registers in the
   second after each step, and compares the states. No state may be broken. *)

open Dromos_policy_semantics

let scramble m s =
  for r = 0 to Machine.runners m - 1 do
    let f = Machine.frame m r in
    if Machine.busy m s r then begin
      let live = Array.map fst (Machine.live m s.(f)) in
      for i = 1 to Machine.frame_size m - 1 do
        if not (Array.mem i live) then
          s.(f + i) <- Random.State.int Watch.chance 20
      done
    end
  done

(* Dead registers may differ. *)
let same m s t =
  let fixed = (Machine.layout m).fixed in
  Array.sub s 0 fixed = Array.sub t 0 fixed
  && List.for_all
       (fun r ->
         let f = Machine.frame m r in
         s.(f) = t.(f)
         && Array.for_all
              (fun (i, _) -> s.(f + i) = t.(f + i))
              (Machine.live m s.(f)))
       (List.init (Machine.runners m) Fun.id)

let one text topology =
  let m =
    Machine.create ~runners:3 ~threads:5 topology (Random_policy.policy text)
  in
  let s = Machine.initial m and t = Machine.initial m in
  let kinds = Environment.kinds m ~during:Balancing in
  for _ = 1 to 300 do
    match Wander.moves m s kinds with
    | [] -> ()
    | all ->
        let move = Wander.pick all in
        let before = Array.copy s in
        scramble m t;
        Wander.apply m s move;
        Wander.apply m t move;
        Option.iter (Alcotest.failf "%s@.%s" text) (Look.broken m s);
        if not (same m s t) then
          Alcotest.failf
            "%s@.a register that was said to be dead is read after@.%s@.by %s"
            text (Look.show m before)
            (Wander.describe m before s move)
  done

let dead_registers () =
  for n = 1 to 150 do
    let text =
      Random_policy.text Watch.chance ~name:(Printf.sprintf "random_%d" n)
    in
    List.iter (one text) [ Topology.flat 3; Topology.tree ~cores:4 2 ]
  done

let () =
  Watch.suite "policy registers" (fun () ->
      Alcotest.run ~and_exit:false "policy registers"
        [ ("forgotten", [ Watch.case "dead registers" dead_registers ]) ])
