(* Right policies, each with the property tested. *)

open Dromos_policy_core.Core
open Dromos_policy_prove.Prove
open Build
open Build.O

(* The search of Listing 1: a core that shares the cache, or else any core. *)
let listing1_unblock =
  let last = read target last_core in
  let choose =
    func "choose_wakeup_core" [] (Some Core)
      [
        foreach ~ty:Group
          (e (Groups_of Wrong.(domain_of last)) Groups)
          (fun g ->
            [
              if_
                (op Bit_and (read g sharing) (int 2) Int <> int 0)
                [
                  foreach (e (Cores_of g) Cores) (fun c ->
                      [ if_ (cload c = int 0) [ return c ] [] ]);
                ]
                [];
            ]);
        return (first all_cores);
      ]
  in
  [ move target (e (Call (choose, [])) Core) ready ]

(* An idle core of any domain, smallest first. The last domain holds all
   cores. *)
let all_domains_unblock =
  let last = read target last_core in
  let choose =
    func "nearest_idle" [] (Some Core)
      [
        foreach ~ty:Domain (e (Domains_of last) Domains) (fun d ->
            [
              foreach (e (Cores_of d) Cores) (fun c ->
                  [ if_ (count c = int 0) [ return c ] [] ]);
            ]);
        return last;
      ]
  in
  [ move target (e (Call (choose, [])) Core) ready ]

let all_groups_unblock =
  let last = read target last_core in
  let choose =
    func "nearest_idle" [] (Some Core)
      [
        foreach ~ty:Domain (e (Domains_of last) Domains) (fun d ->
            [
              foreach ~ty:Group (e (Groups_of d) Groups) (fun g ->
                  [
                    foreach (e (Cores_of g) Cores) (fun c ->
                        [ if_ (count c = int 0) [ return c ] [] ]);
                  ]);
            ]);
        return last;
      ]
  in
  [ move target (e (Call (choose, [])) Core) ready ]

let sorted_unblock =
  let c = fresh "best" Core in
  [
    foreach ~order:lowest_cload all_cores (fun each -> [ set c each; break () ]);
    move target (local c) ready;
  ]

(* The least of the loads, kept in locals. *)
let argmin_unblock =
  let best = fresh "best" Core and least = fresh "least" Int in
  let seen = fresh "seen" Int in
  [
    set best (read target last_core);
    set least (cload (read target last_core));
    foreach all_cores (fun c ->
        [
          set seen (cload c);
          if_
            (local seen < local least)
            [ set best c; set least (local seen) ]
            [];
        ]);
    move target (local best) ready;
  ]

let last_core_if_idle =
  let last = read target last_core in
  [
    if_
      (valid last && cload last = int 0)
      [ move target last ready ]
      Build.least_loaded;
  ]

let balancing_of_idle =
  handler ~is_synchronized:true Balancing
    [
      foreach all_cores (fun c -> [ if_ (count c = int 0) [ steal_for c ] [] ]);
    ]

let all =
  [
    ("ULE", Gcwc, policy (Some (ule ())));
    ("ULE: new", Lcwc New, policy (Some (ule ())));
    ("conservation", Conservation, policy (Some (ule ())));
    ("CFS-CWC: weights", Gcwc, Wrong.cfs_cwc);
    ( "one thread at a time",
      Gcwc,
      policy (Some (ule ~enough:(fun _ _ -> yes) ())) );
    ("no until", Gcwc, policy (Some (ule ~until:None ())));
    ( "only for idle cores",
      Gcwc,
      policy ~balancing:balancing_of_idle (Some (ule ())) );
    ( "for the set of idle cores",
      Gcwc,
      policy
        ~balancing:
          (handler ~is_synchronized:true Balancing
             [ foreach (e Idle_cores Cores) (fun c -> [ steal_for c ]) ])
        (Some (ule ())) );
    ( "one of the set of idle cores",
      Lcwc Unblock,
      Wrong.with_unblock
        [ move target (first ~order:[] (e Idle_cores Cores)) ready ] );
    ( "synchronized newly idle",
      Gcwc,
      policy
        ~others:[ handler ~is_synchronized:true Newly_idle [ steal_for self ] ]
        (Some (ule ())) );
    ("Listing 1's unblock", Lcwc Unblock, Wrong.with_unblock listing1_unblock);
    ("all domains", Lcwc Unblock, Wrong.with_unblock all_domains_unblock);
    ("all groups", Lcwc Unblock, Wrong.with_unblock all_groups_unblock);
    ("first of a sorted loop", Lcwc Unblock, Wrong.with_unblock sorted_unblock);
    ("least load in locals", Lcwc Unblock, Wrong.with_unblock argmin_unblock);
    ("last core if idle", Lcwc Unblock, Wrong.with_unblock last_core_if_idle);
    ( "interrupts, exempt",
      Lcwc Unblock,
      Wrong.(
        with_unblock ~relaxations:[ exempt_interrupts ] interrupt_to_last_core)
    );
  ]
