(* Prints text only: the provers are asked about the same terms. *)

open Dromos_policy_core
open Core
open Printf

(* In one file, a module is named without a file name. *)
let without_files text =
  let line l =
    List.fold_left
      (fun l file ->
        let prefix = "  use " ^ file ^ "." in
        let n = String.length prefix in
        if String.starts_with ~prefix l then
          "  use " ^ String.sub l n (String.length l - n)
        else l)
      l
      [ "state"; "looks"; "balancing"; "placement"; "groups" ]
  in
  String.split_on_char '\n' text |> List.map line |> String.concat "\n"

(* {1 Names} *)

let identifier name =
  let c = function
    | ('a' .. 'z' | 'A' .. 'Z' | '0' .. '9' | '_') as c -> String.make 1 c
    | _ -> "_"
  in
  "x_" ^ String.concat "" (List.map c (List.of_seq (String.to_seq name)))

(* Different names get different identifiers. *)
let naming names =
  let table = Hashtbl.create 16 and used = Hashtbl.create 16 in
  List.iter
    (fun name ->
      if not (Hashtbl.mem table name) then begin
        let rec free candidate =
          if Hashtbl.mem used candidate then free (candidate ^ "'")
          else candidate
        in
        let chosen = free (identifier name) in
        Hashtbl.add used chosen ();
        Hashtbl.add table name chosen
      end)
    names;
  fun name -> Hashtbl.find table name

let sort : Term.sort -> string = function Int -> "int" | Bool -> "bool"

let symbols terms =
  let declared =
    List.map
      (fun (f : Term.symbol) ->
        sprintf "  %s %s %s%s\n"
          (match f.result with Int -> "function" | Bool -> "predicate")
          (identifier f.symbol)
          (String.concat " " (List.init f.arity (fun _ -> "int")))
          (match f.result with Int -> " : int" | Bool -> ""))
      (Term.symbols terms)
  in
  String.concat "" declared

(* {1 A record of the observations, and predicates over it} *)

type record = { type_name : string; fields : Term.var list }

let record type_name terms = { type_name; fields = Term.variables terms }
let field_names r = naming (List.map (fun (v : Term.var) -> v.name) r.fields)

let declare r =
  let name = field_names r in
  let field (v : Term.var) =
    sprintf "    %s_%s: %s;  (* %s *)\n" r.type_name (name v.name) (sort v.sort)
      v.name
  in
  sprintf "  type %s = {\n    %s_nothing: int;\n%s  }\n" r.type_name r.type_name
    (String.concat "" (List.map field r.fields))

let in_record r term =
  let name = field_names r in
  let is_field n = List.exists (fun (v : Term.var) -> v.name = n) r.fields in
  Term.whyml term ~name:(fun n ->
      if is_field n then sprintf "v.%s_%s" r.type_name (name n)
      else identifier n)

let distinct l =
  List.fold_left (fun l x -> if List.mem x l then l else x :: l) [] l
  |> List.rev

let predicate r name terms =
  let text =
    match distinct terms with
    | [] -> "true"
    | ts -> String.concat "\n    /\\ " (List.map (in_record r) ts)
  in
  sprintf "  predicate %s (v: %s) =\n    %s\n" name r.type_name text

let all_terms (cases : Obligation.case list) =
  List.concat_map
    (fun (c : Obligation.case) ->
      c.known @ List.map snd c.roles @ c.path @ [ c.shown ])
    cases

let known cases = List.concat_map (fun (c : Obligation.case) -> c.known) cases

let roles core cases =
  List.concat_map
    (fun (c : Obligation.case) ->
      List.filter_map
        (fun (of_core, fact) -> if of_core = core then Some fact else None)
        c.roles)
    cases

let implication (c : Obligation.case) = Term.implies (Term.and_ c.path) c.shown

(* {1 Balancing} *)

let named name obligations =
  (List.find (fun (o : Obligation.t) -> o.name = name) obligations).cases

let filter_part steal obligations =
  let f = steal.by_core.can_steal_core in
  let cases = named "filter_complete" obligations in
  let r = record "looked" (all_terms cases) in
  ( all_terms cases,
    [
      declare r;
      predicate r "saw_heavy"
        (known cases @ roles (Balancing.core f.filter_source.local_name) cases);
      predicate r "saw_zero"
        (roles (Balancing.core f.filter_destination.local_name) cases);
      predicate r "can_steal" (List.map implication cases);
    ] )

(* A single execution gives all paths, with and without a taken candidate. *)
let take_part policy steal =
  let s = steal.by_core in
  let destination = Balancing.core s.destination.local_name in
  let run ~least =
    Balancing.take policy steal ~least ~destination_role:(Some Idle)
      ~with_:(fun _ -> Term.true_)
  in
  let endings = run ~least:false in
  let case (e : Balancing.taking) =
    Obligation.case ~roles:[ destination ] e.path Term.true_ ""
  in
  let cases = List.map case endings in
  let with_least = known (List.map case (run ~least:(s.enough = None))) in
  let wanted =
    List.filter (fun f -> not (List.mem f (known cases))) with_least
  in
  let taken =
    List.filter (fun (e : Balancing.taking) -> e.took) endings
    |> List.map (fun (e : Balancing.taking) ->
           Term.and_ (Symbolic.branches e.path))
  in
  let count =
    Symbolic.locked_words (Balancing.core s.source.local_name) `Count
  in
  let terms = (count :: all_terms cases) @ wanted in
  let r = record "offered" terms in
  ( terms,
    [
      declare r;
      sprintf "  function source_count (v: offered) : int = %s\n"
        (in_record r count);
      predicate r "exact" (known cases);
      predicate r "wanted" wanted;
      predicate r "offered_zero" (roles destination cases);
      predicate r "takes" [ Term.or_ taken ];
    ] )

let until_part steal obligations =
  let destination = Balancing.core steal.by_core.destination.local_name in
  let cases = named "until_sound" obligations in
  let r = record "ended" (all_terms cases) in
  let holds (c : Obligation.case) =
    Term.and_ (c.path @ [ Term.not_ c.shown ])
  in
  ( all_terms cases,
    [
      declare r;
      predicate r "ended_zero" (known cases @ roles destination cases);
      predicate r "until_" [ Term.or_ (List.map holds cases) ];
    ] )

let phases policy steal obligations =
  let filter_terms, filter = filter_part steal obligations in
  let take_terms, take = take_part policy steal in
  let until_terms, until = until_part steal obligations in
  let clone =
    "  (** the obligations: these goals. What follows is Skeleton. *)\n\
    \  clone Phases with\n\
    \    type looked = looked, predicate saw_heavy = saw_heavy,\n\
    \    predicate saw_zero = saw_zero, predicate can_steal = can_steal,\n\
    \    type offered = offered, function source_count = source_count,\n\
    \    predicate exact = exact, predicate wanted = wanted,\n\
    \    predicate offered_zero = offered_zero, predicate takes = takes,\n\
    \    type ended = ended, predicate ended_zero = ended_zero,\n\
    \    predicate until_ = until_\n"
  in
  sprintf
    "(** What the policy says in the three phases of stealing. *)\n\
     module Stealing\n\
    \  use int.Int\n\
    \  use int.EuclideanDivision\n\n\
     %s\n\
     %s%send\n"
    (symbols (filter_terms @ take_terms @ until_terms))
    (String.concat "\n" (filter @ take @ until))
    clone

(* {1 All other obligations} *)

let goal (o : Obligation.t) i (c : Obligation.case) =
  let hypotheses = distinct (c.known @ List.map snd c.roles @ c.path) in
  let terms = hypotheses @ [ c.shown ] in
  let variables = Term.variables terms in
  let name = naming (List.map (fun (v : Term.var) -> v.name) variables) in
  let text t =
    Term.whyml t ~name:(fun n ->
        if List.exists (fun (v : Term.var) -> v.name = n) variables then name n
        else identifier n)
  in
  let quantifier =
    match variables with
    | [] -> ""
    | vs ->
        sprintf "forall %s.\n    "
          (String.concat ", "
             (List.map
                (fun (v : Term.var) ->
                  sprintf "%s: %s" (name v.name) (sort v.sort))
                vs))
  in
  sprintf "  goal %s_%d: %s%s\n" o.name (i + 1) quantifier
    (String.concat "\n    -> " (List.map text terms))

let goals title obligations =
  let terms =
    List.concat_map (fun (o : Obligation.t) -> all_terms o.cases) obligations
  in
  let one (o : Obligation.t) =
    sprintf "  (** %s: %s (line %d) *)\n%s" o.name o.about o.place.line
      (if o.cases = [] then "  (* by the shape of the policy *)\n"
       else String.concat "\n" (List.mapi (goal o) o.cases))
  in
  sprintf "module %s\n  use int.Int\n  use int.EuclideanDivision\n\n%s\n%send\n"
    title (symbols terms)
    (String.concat "\n" (List.map one obligations))

let in_phases =
  [ "filter_complete"; "steal_safe"; "steal_progress"; "until_sound" ]

let of_property policy (property, obligations) =
  match (property, policy.steal) with
  | (Prove.Gcwc | Hcwc), Some steal ->
      phases policy steal obligations
      ^ "\n"
      ^ goals "Balancing"
          (List.filter
             (fun (o : Obligation.t) -> not (List.mem o.name in_phases))
             obligations)
  | (Gcwc | Hcwc), None -> ""
  | Lcwc event, _ when Prove.mended_by_balancing policy ->
      sprintf "(* LCWC of %s follows from Balancing, by Within. *)\n"
        (Query.event_name event)
  | Lcwc event, _ ->
      goals (String.capitalize_ascii (Query.event_name event)) obligations
  | Conservation, _ -> goals "Conservation" obligations
  | Waiting, _ -> ""

(* Text that users wrote must not end a comment. *)
let in_comment = String.map (function '*' | '"' -> '.' | c -> c)

let export policy =
  let theories =
    List.map without_files
      Theories.[ state; looks; balancing; placement; groups; within ]
  in
  sprintf
    "(* The policy %s, by `dromos policy`: the theories, which hold for all\n\
    \   policies, and then its own obligations. Check it with\n\
    \   why3 prove -a split_vc -P z3 THIS-FILE\n\
    \   Premises: %s. *)\n\n"
    policy.policy_name
    (match
       List.concat_map
         (fun (property, _) -> Prove.premises policy property)
         (Prove.obligations policy)
       |> distinct |> List.map Prove.premise
     with
    | [] -> "none"
    | ps -> in_comment (String.concat "; " ps))
  ^ String.concat "\n" theories
  ^ "\n\n"
  ^ String.concat "\n"
      (List.map (of_property policy) (Prove.obligations policy))
