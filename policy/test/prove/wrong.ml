(* Wrong policies, each with the obligation by which it must fail, and values
   expected in the witness. Build's base policy is right, so each policy fails
   for one reason. *)

open Dromos_policy_core.Core
open Dromos_policy_prove
open Build
open Build.O

type expectation = {
  name : string;
  policy : policy;
  property : Prove.property;
  obligation : string;
  values : (string * string) list; (* some values of the witness *)
}

let case name ?(values = []) policy property obligation =
  { name; policy; property; obligation; values }

(* CFS: weights, of which the least is 15. *)
let cfs ?(filter = fun src dst -> cload src > cload dst && count src >= int 2)
    ~takes () =
  policy
    ~attributes:[ weight (int 15) ]
    (Some
       (steal ~admits:filter
          ~takes:(fun src dst t -> takes src dst (read t (weight (int 15))))
          ()))

(* Two weights, so that loads differ. *)
let weights =
  e
    (If_else
       ( read target prio = e (Member (priority, 0)) (Enum priority),
         int 15,
         int 1024 ))
    Int

let cfs_attributes = [ weight weights ]
let load_of t = read t (weight weights)

let cfs_steal ~filter ~takes =
  policy ~attributes:cfs_attributes
    (Some
       (steal ~admits:filter
          ~takes:(fun src dst t -> takes src dst (load_of t))
          ()))

let busier src dst = cload src > cload dst && count src >= int 2

let cfs_cwc =
  cfs_steal ~filter:busier ~takes:(fun src dst l ->
      count src >= int 2 && cload src - l >= cload dst)

(* 25 %: a thread is moved only if the source stays heavier by a quarter. *)
let cfs_imbalance =
  let plus a b = op Add a b Int in
  cfs_steal
    ~filter:(fun src dst ->
      int 4 * cload src > int 5 * cload dst && count src >= int 2)
    ~takes:(fun src dst l ->
      count src >= int 2 && int 4 * (cload src - l) > int 5 * plus (cload dst) l)

let cfs_no_count =
  cfs_steal
    ~filter:(fun src dst -> cload src > cload dst)
    ~takes:(fun src dst l -> cload src - l >= cload dst)

(* {1 Placement} *)

let domain_of core = e (First (e (Domains_of core) Domains, [])) Domain

let in_domain =
  let last = read target last_core in
  [ move target (first (e (Cores_of (domain_of last)) Cores)) ready ]

let is_interrupt = read target prio = e (Member (priority, 0)) (Enum priority)

let interrupt_to_last_core =
  [
    if_ is_interrupt [ move target (read target last_core) ready ] least_loaded;
  ]

let exempt_interrupts =
  Exempt
    {
      event = Unblock;
      condition = is_interrupt;
      reason = "interrupt threads stay where their device is";
      at = place ();
    }

let with_unblock ?relaxations unblock =
  policy ?relaxations ~unblock (Some (ule ()))

(* Takes the first core with at most one thread. *)
let nearly_idle =
  let c = fresh "chosen_core" Core in
  [
    set c (first all_cores);
    foreach all_cores (fun each ->
        [ if_ (cload each < int 2) [ set c each; break () ] [] ]);
    move target (local c) ready;
  ]

let all =
  [
    case "threshold 3"
      (policy (Some (ule ~filter:3 ())))
      Gcwc "filter_complete"
      ~values:[ ("src.cload", "2"); ("dst.cload", "0") ];
    case "threshold 3 when taking"
      (policy (Some (ule ~take:3 ())))
      Gcwc "steal_progress"
      ~values:[ ("count(src)", "2"); ("dst.cload", "0") ];
    case "threshold 1"
      (policy (Some (ule ~filter:1 ~take:1 ())))
      Gcwc "steal_safe"
      ~values:[ ("count(src)", "1"); ("dst.cload", "0") ];
    case "gives up after the first core"
      (policy (Some (ule ~repeated:false ())))
      Gcwc "until_sound";
    case "until true"
      (policy (Some (ule ~until:(Some (fun _ -> yes)) ())))
      Gcwc "until_sound";
    case "CFS's imbalance of 25 %" cfs_imbalance Gcwc "steal_progress"
      ~values:[ ("count(src)", "2"); ("src.cload", "30"); ("t.load", "15") ];
    case "CFS without count" cfs_no_count Gcwc "steal_safe"
      ~values:[ ("count(src)", "1") ];
    case "balances only the core that balances"
      (policy
         ~balancing:(handler ~is_synchronized:true Balancing [ steal_for self ])
         (Some (ule ())))
      Gcwc "balance_complete";
    case "balances until the first busy core"
      (policy
         ~balancing:
           (handler ~is_synchronized:true Balancing
              [
                foreach all_cores (fun c ->
                    [ if_ (count c <> int 0) [ break () ] []; steal_for c ]);
              ])
         (Some (ule ())))
      Gcwc "balance_complete";
    case "balancing that is not synchronized"
      (policy
         ~balancing:
           (handler Balancing [ foreach all_cores (fun c -> [ steal_for c ]) ])
         (Some (ule ())))
      Gcwc "balance_alone";
    case "newly idle cores steal meanwhile"
      (policy ~others:[ handler Newly_idle [ steal_for self ] ] (Some (ule ())))
      Gcwc "balance_alone";
    case "selects a core that was not let through"
      (policy
         (Some
            (steal ~admits:(margin 2)
               ~takes:(fun s d _ -> margin 2 s d)
               ~select:(first all_cores) ())))
      Gcwc "select_member";
    case "until of steal_thread stops before a light thread"
      (policy ~attributes:cfs_attributes
         (Some
            (steal ~admits:busier
               ~takes:(fun src _ t -> count src >= int 2 && load_of t < int 16)
               ~enough:(fun _ _ -> yes)
               ())))
      Gcwc "steal_progress";
    case "unblock looks only at its domain" (with_unblock in_domain)
      (Lcwc Unblock) "unblock";
    case "interrupt threads go to their last core"
      (with_unblock interrupt_to_last_core)
      (Lcwc Unblock) "unblock"
      ~values:[ ("target.prio", "INTERRUPT") ];
    case "takes a core with one thread" (with_unblock nearly_idle)
      (Lcwc Unblock) "unblock"
      ~values:[ ("chosen.cload", "1"); ("idle.cload", "0") ];
    case "loses a thread"
      (with_unblock [ if_ is_interrupt least_loaded [] ])
      Conservation "unblock_moves"
      ~values:[ ("target.prio", "REGULAR") ];
    case "puts a thread on two cores"
      (with_unblock (least_loaded @ least_loaded))
      Conservation "unblock_moves";
    case "unblocks into a blocked state"
      (with_unblock [ move target (first all_cores) blocked ])
      Conservation "unblock_moves";
  ]
