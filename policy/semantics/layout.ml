open Core

type state = int array

type t = {
  policy : policy;
  topology : Topology.t;
  threads : int;
  states : int;
  attribute : int array;
  globals : int;
  groups : int;
  group_stride : int;
  domains : int;
  domain_stride : int;
  cores : int;
  core_stride : int;
  first_thread : int;
  thread_stride : int;
  fixed : int;
  members : members;
}

and members = {
  bits : Bits.t;
  all_cores : Bits.set;
  group_cores : Bits.set array;
  domain_cores : Bits.set array;
  domain_groups : Bits.set array;
  core_domains : Bits.set array;
}

let blocked = 0
let unblocked = 1
let placed = 2
let budget = 3
let scratch = 4
let fits = 5
let draw = 6

(* Offsets of frames are positive, and 0 stands for a free lock. *)
let ghosts = 7

let members_of (topology : Topology.t) =
  let groups = topology.groups and domains = topology.domains in
  let most =
    List.fold_left Int.max topology.cores
      [ Array.length groups; Array.length domains ]
  in
  let bits = Bits.universe most in
  let of_list = Bits.of_list bits in
  let of_groups f = Array.map (fun (g : Topology.group) -> of_list (f g)) groups
  and of_domains f =
    Array.map (fun (d : Topology.domain) -> of_list (f d)) domains
  in
  let domains_with c =
    List.filter
      (fun d -> List.mem c domains.(d).domain_cores)
      (List.init (Array.length domains) Fun.id)
  in
  let members =
    {
      bits;
      all_cores = of_list (Topology.all topology);
      group_cores = of_groups (fun g -> g.group_cores);
      domain_cores = of_domains (fun d -> d.domain_cores);
      domain_groups = of_domains (fun d -> d.domain_groups);
      core_domains =
        Array.init topology.cores (fun c -> of_list (domains_with c));
    }
  in
  Bits.keep bits;
  members

let make (policy : policy) (topology : Topology.t) ~threads =
  let states = Array.length policy.states in
  let attribute = Array.make (Array.length policy.attributes) 0 in
  let counts = Hashtbl.create 5 in
  let reserved = function
    | Of_core -> 4 + (2 * states)
    | Of_thread -> 2
    | Of_group | Of_domain | Global -> 0
  in
  let next owner =
    Option.value (Hashtbl.find_opt counts owner) ~default:(reserved owner)
  in
  Array.iter
    (fun a ->
      attribute.(a.id) <- next a.owner;
      Hashtbl.replace counts a.owner (next a.owner + 1))
    policy.attributes;
  let globals = ghosts in
  let groups = globals + next Global in
  let domains = groups + (next Of_group * Array.length topology.groups) in
  let cores = domains + (next Of_domain * Array.length topology.domains) in
  let first_thread = cores + (next Of_core * topology.cores) in
  {
    policy;
    topology;
    threads;
    states;
    attribute;
    globals;
    groups;
    group_stride = next Of_group;
    domains;
    domain_stride = next Of_domain;
    cores;
    core_stride = next Of_core;
    first_thread;
    thread_stride = next Of_thread;
    fixed = first_thread + (next Of_thread * threads);
    members = members_of topology;
  }

let mark l s ghost c =
  if Bits.words l.members.bits = 1 then Bits.add l.members.bits s ghost c

let marked l s ghost c =
  Bits.words l.members.bits = 1 && Bits.mem l.members.bits s.(ghost) c

let core l c = l.cores + (c * l.core_stride)
let lock l c = core l c
let asleep l c = core l c + 1
let cload l c = core l c + 2
let count l c = core l c + 3
let count_in l c state = core l c + 4 + state
let head l c state = core l c + 4 + l.states + state
let where l t = l.first_thread + (t * l.thread_stride)
let next l t = where l t + 1
let nowhere = 0
let waking = -1
let place l core state = 1 + (core * l.states) + state
let flight p = -p - 1
let destination p = -p - 1
let core_of l p = (p - 1) / l.states
let state_of l p = (p - 1) mod l.states
let in_structure l p = p > 0 && Query.runnable l.policy.states.(state_of l p)

let owner_base l owner i =
  match owner with
  | Of_thread -> where l i
  | Of_core -> core l i
  | Of_group -> l.groups + (i * l.group_stride)
  | Of_domain -> l.domains + (i * l.domain_stride)
  | Global -> l.globals

let word l a i = owner_base l a.owner i + l.attribute.(a.id)
