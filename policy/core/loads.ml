open Core

type bounds = Interval.t = { least : int option; most : int option }

type t =
  | Each of int
  | Between of { least : int; most : int option }
  | Anything

(* By number of the attribute: true if some statement sets the attribute. *)
let are_set policy =
  let set = Array.make (Array.length policy.attributes) false in
  let statement s =
    match s.what with Set (_, a, _) -> set.(a.id) <- true | _ -> ()
  in
  let walk = Walk.block ~expression:ignore ~statement in
  Option.iter (fun s -> walk s.by_core.take) policy.steal;
  List.iter (fun h -> walk h.handler_body) policy.handlers;
  List.iter
    (fun f -> walk f.func_body)
    (Array.to_list policy.functions @ policy.interface);
  set

(* The results for the policy that this domain asked about last. *)
type found = {
  of_policy : policy;
  set : bool array; (* by attribute *)
  intervals : bounds array Lazy.t;
}

let latest = Domain.DLS.new_key (fun () -> None)

let found policy =
  match Domain.DLS.get latest with
  | Some found when found.of_policy == policy -> found
  | Some _ | None ->
      let found =
        {
          of_policy = policy;
          set = are_set policy;
          intervals = lazy (Ranges.attributes policy);
        }
      in
      Domain.DLS.set latest (Some found);
      found

let never_set policy attribute =
  (not attribute.system) && (not attribute.is_lazy)
  && not (found policy).set.(attribute.id)

let bounds policy attribute =
  (Lazy.force (found policy).intervals).(attribute.id)

let natural policy e =
  Ranges.expression policy (Lazy.force (found policy).intervals) e
  |> Interval.is_natural

(* A core's cload is a sum of loads. The sum must fit for a million threads at
   least; else the bound is useless. *)
let heaviest = 1 lsl 40

let of_policy policy =
  match Query.load policy with
  | None -> Each 1
  | Some load -> (
      let fits l = l >= 1 && l <= heaviest in
      match bounds policy load with
      | { least = Some l; most = Some m } when l = m && fits l -> Each l
      | { least = Some l; most } when fits l ->
          Between
            {
              least = l;
              most = Option.bind most (fun m -> if fits m then Some m else None);
            }
      | _ -> Anything)
