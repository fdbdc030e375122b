open Dromos_policy_core
open Dromos_policy_semantics

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

(* A handler begins with its core's lock, if it takes a lock. *)
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

let describe m before after = function
  | Step r -> Machine.describe m before r after
  | Start (event, _, _) -> Query.event_name event

let pick all = List.nth all (Random.State.int Watch.chance (List.length all))
