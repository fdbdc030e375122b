open Core

let of_policy (policy : policy) p =
  List.filter p (Array.to_list policy.attributes)

(* [sleep_time] counts the ticks of a sleep: a sleep may always be shorter than
   a tick. *)
let sleep_time (a : attribute) = a.name = "sleep_time"

let timed policy =
  let relevant = Relevant.to_waits policy in
  of_policy policy (fun a ->
      a.system && a.owner = Global && a.name = "now" && Relevant.kept relevant a)
  <> []

(* The most kinds of threads for which all combinations can be tried. *)
let most_kinds threads = if threads <= 2 then 12 else 6

let ranges policy relevant topology threads =
  let all =
    of_policy policy (fun a ->
        a.owner = Of_thread && a.system && (not a.is_lazy)
        && (not (sleep_time a))
        && Relevant.kept relevant a)
    |> List.map (fun a -> (a, Values.told_apart policy relevant topology a))
    |> List.filter (fun (_, values) -> List.length values > 1)
  in
  let _, chosen =
    List.fold_left
      (fun (product, chosen) (a, values) ->
        let size = List.length values in
        if product * size <= most_kinds threads then
          (product * size, (a, values) :: chosen)
        else (product, chosen))
      (1, []) all
  in
  List.rev chosen

(* A draw is one of 0 .. 2^30 - 1. *)
let largest_draw = (1 lsl 30) - 1

let roots policy relevant topology =
  let draws =
    of_policy policy (fun a ->
        a.system && a.owner = Global && a.name = "random")
    |> List.map (fun a -> [ (a, 0, largest_draw) ])
  in
  Surroundings.all policy relevant topology @ draws

let all ranges =
  List.fold_right
    (fun (a, values) rest ->
      List.concat_map (fun v -> List.map (List.cons (a, v)) rest) values)
    ranges [ [] ]

let rec combinations threads kinds =
  if threads = 0 then [ [] ]
  else
    List.concat
      (List.mapi
         (fun i kind ->
           let others = List.filteri (fun j _ -> j >= i) kinds in
           List.map (List.cons kind) (combinations (threads - 1) others))
         kinds)
