type t = { cores : int; groups : group array; domains : domain array }
and group = { group_cores : int; group_domain : int }
and domain = { domain_cores : int; domain_groups : int }

let most = 62
let rec size set = if set = 0 then 0 else (set land 1) + size (set lsr 1)

let lowest set =
  let rec from set i = if set land 1 = 1 then i else from (set lsr 1) (i + 1) in
  from set 0

let rec elements set =
  if set = 0 then []
  else
    let e = lowest set in
    e :: elements (set land lnot (1 lsl e))

let all n = (1 lsl n) - 1
let full t = all t.cores
let union = List.fold_left ( lor ) 0

let make ~cores domains =
  if cores < 1 || cores > most then
    invalid_arg
      (Printf.sprintf "Topology: %d cores; there must be between 1 and %d" cores
         most);
  let domains =
    List.stable_sort
      (fun a b -> compare (size (union a)) (size (union b)))
      domains
  in
  let groups =
    List.concat
      (List.mapi
         (fun d groups ->
           List.map
             (fun set ->
               if set = 0 || set land lnot (all cores) <> 0 then
                 invalid_arg
                   "Topology: a group without cores, or with cores that are \
                    not there";
               { group_cores = set; group_domain = d })
             groups)
         domains)
    |> Array.of_list
  in
  if Array.length groups > most then
    invalid_arg (Printf.sprintf "Topology: more than %d groups" most);
  let domain d groups_of =
    let members = ref 0 in
    Array.iteri
      (fun g group ->
        if group.group_domain = d then members := !members lor (1 lsl g))
      groups;
    { domain_cores = union groups_of; domain_groups = !members }
  in
  { cores; groups; domains = Array.of_list (List.mapi domain domains) }

let singles cores = List.map (fun c -> 1 lsl c) cores
let flat cores = make ~cores [ singles (List.init (max 0 cores) Fun.id) ]

let tree ~cores k =
  if k >= cores || k < 1 then flat cores
  else
    let leaf i =
      List.filter (fun c -> c < cores) (List.init k (fun j -> (i * k) + j))
    in
    let leaves = List.init ((cores + k - 1) / k) leaf in
    let over_all = List.map (fun l -> union (singles l)) leaves in
    make ~cores (over_all :: List.map singles leaves)

let smallest set_of array core =
  let best = ref (-1) in
  Array.iteri
    (fun i x ->
      if
        set_of x land (1 lsl core) <> 0
        && (!best < 0 || size (set_of x) < size (set_of array.(!best)))
      then best := i)
    array;
  !best

let domain_of t = smallest (fun d -> d.domain_cores) t.domains
let group_of t = smallest (fun g -> g.group_cores) t.groups
