(* What a step does depends on no register that the machine takes to be dead: the
   model checker forgets those. So they are overwritten after each step of one of
   two runs, and it goes as the other. And no state is broken. *)

open Dromos_policy_core
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

(* Registers that are dead may differ. *)
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

type move = Step of int | Start of Core.event * int * int

let moves m s kinds =
  let runners = List.init (Machine.runners m) Fun.id in
  let found =
    List.filter (fun r -> Machine.busy m s r && Machine.ready m s r) runners
    |> List.map (fun r -> Step r)
    |> ref
  in
  let add event ~self ~target =
    found := Start (event, max 0 self, target) :: !found
  in
  Environment.due m s (fun c -> add Core.Schedule ~self:c ~target:c);
  Environment.starts m ~kinds s add;
  if Machine.may_begin m s Balancing then add Balancing ~self:0 ~target:0;
  !found

let free m s =
  List.find_opt
    (fun r -> not (Machine.busy m s r))
    (List.init (Machine.runners m) Fun.id)

(* A handler begins with its core's lock, if it takes one. *)
let start m s event ~self ~target runner =
  Machine.start m s ~runner event ~self ~target;
  if
    Machine.busy m s runner
    && Machine.holds_back m s runner
    && Machine.ready m s runner
  then Machine.step m s runner

let apply m s = function
  | Step r -> Machine.step m s r
  | Start (event, self, target) ->
      Option.iter (start m s event ~self ~target) (free m s)

let pick all = List.nth all (Random.State.int Watch.chance (List.length all))

let one text topology =
  let m =
    Machine.create ~runners:3 ~threads:5 topology (Random_policy.policy text)
  in
  let s = Machine.initial m and t = Machine.initial m in
  let kinds = Environment.kinds m ~during:Balancing in
  for _ = 1 to 300 do
    match moves m s kinds with
    | [] -> ()
    | all ->
        let move = pick all in
        let before = Array.copy s in
        scramble m t;
        apply m s move;
        apply m t move;
        Option.iter (Alcotest.failf "%s@.%s" text) (Look.broken m s);
        if not (same m s t) then
          Alcotest.failf
            "%s@.a register that was said to be dead is read after@.%s@.by %s"
            text (Look.show m before)
            (match move with
            | Step r -> Machine.describe m before r s
            | Start (event, _, _) -> Machine.event_name event)
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
