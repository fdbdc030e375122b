(* No random policy is both proved and violated. The prover is sound and
   incomplete, and the model checker searches small machines. So only definite
   answers of the two are compared.

   DROMOS_POLICY_SOAK=600 goes on for 600 seconds, on larger machines. With the
   argument "unshrunk" a disagreement is shown without shrinking. *)

open Dromos_policy_core
open Dromos_policy_semantics
open Dromos_policy_explore
open Dromos_policy_prove

let sprintf = Printf.sprintf
let unshrunk = Array.mem "unshrunk" Sys.argv
let soak = Option.map float_of_string (Sys.getenv_opt "DROMOS_POLICY_SOAK")
let seconds = Option.value soak ~default:(if unshrunk then 400. else 45.)
let most = if soak = None && not unshrunk then 200 else max_int

(* Larger machines show hardly more: most wrong policies fail with three cores.
   Groups need four. A soak searches some policies further. *)
let series ~larger (promise : Promise.t) =
  if promise = Waiting then Bounds.alone @ Bounds.among_thieves
  else
    let all =
      if promise = Hcwc then
        [
          (4, 4, 0, false); (4, 5, 0, false); (4, 4, 1, false); (4, 4, 0, true);
        ]
      else
        [
          (2, 3, 0, false); (2, 3, 0, true); (3, 4, 0, false); (3, 4, 1, false);
        ]
    in
    let more =
      if not larger then []
      else if promise = Hcwc then [ (4, 5, 1, false) ]
      else [ (2, 3, 1, true); (2, 3, 2, false); (3, 4, 0, true) ]
    in
    List.map
      (fun (cores, threads, events, varied) ->
        { Bounds.cores; threads; events; varied })
      (all @ more)

(* {1 What both say} *)

type tally = {
  mutable proved : int;
  mutable violated : int;
  mutable unknown : int;
}

let tallies : (string, tally) Hashtbl.t = Hashtbl.create 8

let tally property =
  let name = Prove.property_name property in
  match Hashtbl.find_opt tallies name with
  | Some t -> t
  | None ->
      let t = { proved = 0; violated = 0; unknown = 0 } in
      Hashtbl.add tallies name t;
      t

let property : Promise.t -> Prove.property = function
  | Gcwc -> Gcwc
  | Hcwc -> Hcwc
  | Lcwc event -> Lcwc event
  | Waiting -> Waiting

(* Trees of a machine beside the usual tree: nested groups, groups of one core,
   groups of different sizes, groups that overlap, and two domains over all
   cores. *)
let trees cores =
  let all = List.init cores Fun.id in
  let between a b = List.filter (fun c -> a <= c && c < b) all in
  let below = between 0 in
  let from n = between n cores in
  let single = List.map (fun c -> [ c ]) all in
  let halves = [ below (cores / 2); from (cores / 2) ] in
  [
    [ halves; [ [ 0 ]; [ 1 ] ] ];
    [ [ [ 0 ]; from 1 ]; [ [ 1 ]; from 2 ] ];
    [
      [ below (cores - 1); from (cores - 1) ];
      [ [ 0 ]; between 1 (cores - 1) ];
      [ [ 0 ]; [ 1 ] ];
    ];
    [ [ below (cores - 1); from 1 ]; single ];
    [ [ below cores ]; halves; single ];
  ]

let number_of_trees = List.length (trees 3)

let topology tree cores =
  if cores < 3 then Topology.flat cores
  else Topology.make ~cores (List.nth (trees cores) tree)

(* Each violation with its property. Conservation is searched with every
   property. *)
let violations ~tree ~larger ~proved policy =
  let topology = Option.map topology tree in
  List.filter_map
    (fun promise ->
      let further = larger && proved (property promise) in
      let series = series ~larger:further promise in
      let states = if further then 300_000 else 4_000 in
      let r =
        Explore.check ~seconds:10. ~states ~series ?topology policy promise
      in
      match r.verdict with
      | Holds | Limit -> None
      | Violated trace ->
          let of_ =
            match trace.fault with
            | Breach _ | Starves _ -> property promise
            | Conservation _ | Stuck -> Prove.Conservation
          in
          Some (of_, trace))
    (Promise.Waiting :: Promise.all policy)

(* Returns the answers, or an error if they disagree. *)
let answers ?tree ?(larger = false) text =
  let policy = Random_policy.policy text in
  let proofs = (Prove.policy policy).results in
  (* A proved property is worth a long search. A fault elsewhere is found
     soon. *)
  let proved property =
    List.exists
      (fun (r : Prove.result) ->
        r.property = property
        && match r.verdict with Proved _ -> true | _ -> false)
      proofs
  in
  let found = violations ~tree ~larger ~proved policy in
  let replayed (_, trace) =
    match Trace.replay trace with
    | Ok () -> None
    | Error why -> Some ("not replayed: " ^ why)
  and agreed (r : Prove.result) =
    match (r.verdict, List.assoc_opt r.property found) with
    (* Nothing is proved of a thread that is stolen again and again. *)
    | Proved { bound = Some { stolen = Without_bound; _ }; _ }, Some trace
      when trace.instance.bounds.cores > 1 ->
        None
    | Proved _, Some trace ->
        Some
          (Format.asprintf "%s is PROVED, and VIOLATED:@.%a"
             (Prove.property_name r.property)
             Trace.pp trace)
    | _ -> None
  in
  match (List.find_map replayed found, List.find_map agreed proofs) with
  | Some wrong, _ | None, Some wrong -> Error wrong
  | None, None -> Ok (proofs, found)

let shows ?tree text =
  match answers ?tree text with
  | Ok _ -> false
  | Error _ -> true
  | exception Failure _ -> false

(* Shows the least policy with a fault, perhaps a different fault. *)
let fail ?tree text wrong =
  let small = if unshrunk then text else Shrink.policy text (shows ?tree) in
  let text, wrong =
    match answers ?tree small with
    | Error wrong -> (small, wrong)
    | Ok _ -> (text, wrong)
  in
  let file = Filename.temp_file "disagreement" ".policy" in
  Out_channel.with_open_text file (fun out -> output_string out text);
  Printf.printf "%s\n%s\n%sDROMOS_TEST_SEED=%d; the policy is in %s\n%!" text
    wrong
    (Option.fold ~none:"" ~some:(sprintf "tree %d of the test; ") tree)
    Watch.seed file;
  exit 1

let compare_one ?tree ?larger text =
  match answers ?tree ?larger text with
  | Error wrong -> fail ?tree text wrong
  | Ok (proofs, found) ->
      List.iter
        (fun (r : Prove.result) ->
          let tally = tally r.property in
          match (r.verdict, List.assoc_opt r.property found) with
          | Proved _, _ -> tally.proved <- tally.proved + 1
          | _, Some _ -> tally.violated <- tally.violated + 1
          | Nothing_to_prove _, None -> ()
          | (Refuted_obligation _ | Unknown _), None ->
              tally.unknown <- tally.unknown + 1)
        proofs

(* {1 The run} *)

(* A generator that makes only right policies, or only wrong policies, compares
   nothing. *)
let degenerate compared =
  let few (t : tally) =
    t.proved * 20 < compared || t.violated * 20 < compared
  in
  List.filter_map
    (fun p -> if few (tally p) then Some (Prove.property_name p) else None)
    [ Prove.Gcwc; Lcwc New; Lcwc Unblock; Waiting ]

let report compared =
  Printf.printf "%d policies compared\n" compared;
  Hashtbl.iter
    (fun name t ->
      Printf.printf "  %-24s %d PROVED, %d VIOLATED, %d UNKNOWN\n" name t.proved
        t.violated t.unknown)
    tallies;
  print_endline ""

let kept () =
  Array.iter
    (fun file ->
      let text =
        In_channel.with_open_text ("kept/" ^ file) In_channel.input_all
      in
      compare_one text;
      if Visits.uses_topology (Random_policy.policy text) then
        for tree = 0 to number_of_trees - 1 do
          compare_one ~tree text
        done)
    (Sys.readdir "kept")

let run () =
  kept ();
  let until = Unix.gettimeofday () +. seconds in
  let rec go n =
    if n < most && Unix.gettimeofday () < until then begin
      let tree =
        if Random.State.bool Watch.chance then None
        else Some (Random.State.int Watch.chance number_of_trees)
      in
      compare_one ?tree
        ~larger:(unshrunk || (soak <> None && n land 15 = 0))
        (Random_policy.text ~idle:true Watch.chance
           ~name:(sprintf "random_%d" n));
      go (n + 1)
    end
    else n
  in
  let compared = go 0 in
  report compared;
  match degenerate compared with
  | [] -> ()
  | names ->
      Printf.printf "hardly anything to compare: %s\n"
        (String.concat ", " names);
      exit 1

let () =
  Watch.suite "prover and model checker" (fun () ->
      match Watch.during ~limit:(seconds +. 120.) "agreement" run with
      | () -> ()
      | exception Decide.No_prover _ ->
          print_endline "skipped: no prover is installed (z3 or cvc5)")
