open Core

type witness = (string * int list) list

let most_cores = 16
let most_on_one = 16

(* {1 Sizes} *)

let literals policy =
  let found = ref [] in
  Visits.policy ~statement:ignore policy ~expression:(fun e ->
      match e.it with Int_value n -> found := n :: !found | _ -> ());
  !found

(* The witness of a loop is a state before the last round, and a policy changes
   its decision at the numbers in its comparisons. So the next two numbers are
   sizes too. *)
let sizes ~least ~most numbers =
  List.concat_map (fun n -> [ n; n + 1; n + 2 ]) numbers
  |> List.filter (fun n -> least <= n && n <= most)
  |> List.sort_uniq compare

(* A single core has [heavy] threads, and [busy] further cores have one thread
   each. *)
let distributions ~cores ~heavy ~busy =
  let some n v = List.init n (fun _ -> v) in
  let forth = (heavy :: some busy 1) @ some (cores - 1 - busy) 0 in
  List.sort_uniq compare [ forth; List.rev forth ]

(* {1 Attributes} *)

(* True for "idle.capacity", "capacity of the first core" and "capacity", if
   the attribute is capacity. *)
let speaks_of (a : attribute) name =
  a.name = name
  || String.ends_with ~suffix:("." ^ a.name) name
  || String.starts_with ~prefix:(a.name ^ " of ") name

let seen policy witness (a : attribute) =
  List.concat_map
    (fun (name, values) -> if speaks_of a name then values else [])
    witness
  |> List.filter (Values.can_be policy a)
  |> List.sort_uniq compare

let owners (topology : Topology.t) on_cores = function
  | Of_core ->
      let with_ f =
        List.concat (List.mapi (fun c n -> if f n then [ c ] else []) on_cores)
      in
      [ with_ (fun _ -> true); with_ (( = ) 0); with_ (( < ) 0) ]
  | Of_group -> [ List.init (Array.length topology.groups) Fun.id ]
  | Of_domain -> [ List.init (Array.length topology.domains) Fun.id ]
  | Global -> [ [ 0 ] ]
  | Of_thread -> []

let most_surroundings = 24
let first_of n all = List.filteri (fun i _ -> i < n) all

(* First no value is set; then the observed values are set for all cores, for
   idle cores, and for the rest. *)
let surroundings attributes topology on_cores =
  List.fold_left
    (fun so_far (a, values) ->
      let said =
        List.concat_map
          (fun v ->
            List.map
              (List.map (fun i -> (a, i, v)))
              (owners topology on_cores a.owner))
          values
      in
      List.concat_map
        (fun others -> List.map (fun s -> s @ others) ([] :: said))
        so_far
      |> first_of most_surroundings)
    [ [] ] attributes

let threads_have attributes =
  List.fold_left
    (fun so_far (a, values) ->
      List.concat_map
        (fun others -> others :: List.map (fun v -> (a, v) :: others) values)
        so_far
      |> first_of most_surroundings)
    [ [] ] attributes

(* The attributes that may differ at the start: attributes of threads that make
   threads differ, and attributes of the system. *)
let attributes policy witness relevant =
  let given =
    List.filter_map
      (fun (a : attribute) ->
        match seen policy witness a with
        | [] -> None
        | values -> Some (a, first_of 3 values))
      (Array.to_list policy.attributes)
  in
  let distinguish = Relevant.distinguishing relevant in
  let of_threads (a, _) = List.memq a distinguish && a.ty <> Core in
  let of_others ((a : attribute), _) =
    a.system && a.owner <> Of_thread && Relevant.kept relevant a
  in
  (List.filter of_threads given, List.filter of_others given)

(* {1 Machines} *)

let starts ~of_threads ~of_others ~topology ~cores ~heavy ~busy =
  List.concat_map
    (fun on_cores ->
      List.concat_map
        (fun system ->
          List.map
            (fun threads_have -> { Instance.on_cores; system; threads_have })
            (threads_have of_threads))
        (surroundings of_others topology on_cores))
    (distributions ~cores ~heavy ~busy)

let machines policy promise ~topology witness =
  let relevant = Relevant.make policy in
  let of_threads, of_others = attributes policy witness relevant in
  let numbers = List.concat_map snd witness @ literals policy in
  let coming =
    match (promise : Promise.t) with Lcwc _ -> 1 | Gcwc | Hcwc | Waiting -> 0
  in
  let heaviest = sizes ~least:(2 - coming) ~most:most_on_one (0 :: 1 :: numbers)
  and some = sizes ~least:0 ~most:most_cores (0 :: numbers) in
  let of_size cores =
    let topology = topology cores in
    let bounds heavy busy =
      {
        Bounds.cores;
        threads = heavy + busy + coming;
        events = 0;
        varied = of_threads <> [] || of_others <> [];
      }
    in
    List.concat_map
      (fun heavy ->
        List.filter_map
          (fun busy ->
            if busy > cores - 2 then None
            else
              Some
                ( bounds heavy busy,
                  lazy
                    (starts ~of_threads ~of_others ~topology ~cores ~heavy ~busy)
                ))
          (List.sort_uniq compare ((cores - 2) :: some)))
      heaviest
  in
  List.concat_map of_size (sizes ~least:2 ~most:most_cores (0 :: 1 :: numbers))
  |> List.stable_sort
       (fun (({ cores; threads; _ } : Bounds.t), _) ((b : Bounds.t), _) ->
         compare (cores + threads) (b.cores + b.threads))
