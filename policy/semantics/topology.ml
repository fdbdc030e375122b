type t = { cores : int; groups : group array; domains : domain array }
and group = { group_cores : int list; group_domain : int }
and domain = { domain_cores : int list; domain_groups : int list }

let most = 1024
let most_groups = 2 * most
let all t = List.init t.cores Fun.id
let union groups = List.sort_uniq Int.compare (List.concat groups)

let group ~cores d members =
  let members = List.sort_uniq Int.compare members in
  if members = [] || List.exists (fun c -> c < 0 || c >= cores) members then
    invalid_arg
      "Topology: a group without cores, or with cores that are not there";
  { group_cores = members; group_domain = d }

let make ~cores domains =
  if cores < 1 || cores > most then
    invalid_arg
      (Printf.sprintf "Topology: %d cores; there must be between 1 and %d" cores
         most);
  let size groups = List.length (union groups) in
  let sized = List.map (fun groups -> (size groups, groups)) domains in
  let domains =
    List.stable_sort (fun (a, _) (b, _) -> Int.compare a b) sized
    |> List.map snd
  in
  let groups =
    List.concat (List.mapi (fun d -> List.map (group ~cores d)) domains)
    |> Array.of_list
  in
  if Array.length groups > most_groups then
    invalid_arg (Printf.sprintf "Topology: more than %d groups" most_groups);
  let first = ref 0 in
  let domain groups_of =
    let from = !first in
    first := from + List.length groups_of;
    {
      domain_cores = union groups_of;
      domain_groups = List.init (!first - from) (fun i -> from + i);
    }
  in
  { cores; groups; domains = Array.of_list (List.map domain domains) }

let singles cores = List.map (fun c -> [ c ]) cores
let flat cores = make ~cores [ singles (List.init (max 0 cores) Fun.id) ]

let tree ~cores k =
  if k >= cores || k < 1 then flat cores
  else
    let leaf i =
      List.filter (fun c -> c < cores) (List.init k (fun j -> (i * k) + j))
    in
    let leaves = List.init ((cores + k - 1) / k) leaf in
    make ~cores (leaves :: List.map singles leaves)
