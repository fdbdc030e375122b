(* Thieves against a model: the state reported by each home, the thieves that
   are out, and the waiting thieves, last first.

   On two domains, only atomic calls are made: homes that report once, as the
   waiting thieves are a stack; and one home beside a domain that admits thieves
   and has no fiber for them. Operations of several steps run at the end, as a
   game whose rules are checked. *)

(* {1 One thread} *)

type cmd =
  | Starves of int  (** the given home *)
  | Eats of int
  | Let_in
  | Visit of int * meanwhile * loot  (** by the home's admitted thief *)
  | Clear

and meanwhile = Nothing | Came_besides

and loot =
  | None_left
  | Some_left
  | Eaten_at_once
      (** the fiber is delivered, and the home is idle again at once *)

let show_cmd = function
  | Starves h -> Printf.sprintf "Starves %d" h
  | Eats h -> Printf.sprintf "Eats %d" h
  | Let_in -> "Let_in"
  | Visit (h, meanwhile, loot) ->
      Printf.sprintf "Visit %d%s%s" h
        (if meanwhile = Came_besides then ", fed besides" else "")
        (match loot with
        | None_left -> ", in vain"
        | Some_left -> ""
        | Eaten_at_once -> ", eaten at once")
  | Clear -> "Clear"

type place = { lair : int Thieves.t; homes : Thieves.home array }

let home p h = p.homes.(h)
let say_starves p h = Thieves.starves p.lair (home p h) (fun () -> h)

(* The outcome of the visit. *)
let visit p h meanwhile loot =
  let said = ref "was not asked" in
  let take () =
    said := "in vain";
    if meanwhile = Came_besides then Thieves.eats (home p h);
    if loot = None_left then None else Some ()
  in
  let deliver () =
    said := "delivered";
    if loot = Eaten_at_once then begin
      Thieves.eats (home p h);
      say_starves p h
    end
  in
  Thieves.visit p.lair (home p h) ~take ~deliver (fun () -> h);
  !said

module Spec = struct
  type nonrec cmd = cmd

  type state = {
    starving : int list;
    out : int list;
    lair : int list;
    let_in : int list;  (** admitted, and not back yet *)
  }

  type sut = place

  let homes = 3
  let show_cmd = show_cmd
  let init_state = { starving = []; out = []; lair = []; let_in = [] }

  let init_sut () =
    {
      lair = Thieves.create ();
      homes = Array.init homes (fun _ -> Thieves.home ());
    }

  let cleanup _ = ()

  let precond cmd state =
    match cmd with
    | Visit (h, _, _) -> List.mem h state.let_in
    | Starves _ | Eats _ | Let_in | Clear -> true

  let arb_cmd state =
    let open QCheck.Gen in
    let any = int_bound (homes - 1) in
    let visits =
      match state.let_in with
      | [] -> []
      | them ->
          let visit h meanwhile loot = Visit (h, meanwhile, loot) in
          [
            ( 6,
              map3 visit (oneofl them)
                (oneofl [ Nothing; Nothing; Came_besides ])
                (oneofl [ None_left; Some_left; Eaten_at_once ]) );
          ]
    in
    QCheck.make ~print:show_cmd
      (frequency
         ([
            (5, map (fun h -> Starves h) any);
            (2, map (fun h -> Eats h) any);
            (5, return Let_in);
            (1, return Clear);
          ]
         @ visits))

  let add x l = if List.mem x l then l else x :: l
  let remove x = List.filter (fun y -> y <> x)

  let send h state =
    if List.mem h state.out then state
    else { state with out = h :: state.out; lair = h :: state.lair }

  let starves h state = send h { state with starving = add h state.starving }
  let eats h state = { state with starving = remove h state.starving }

  let visited h meanwhile loot state =
    let asked = List.mem h state.starving in
    let state =
      if asked && meanwhile = Came_besides then eats h state else state
    in
    let state = if asked && loot <> None_left then eats h state else state in
    if asked && loot = Eaten_at_once then starves h state else state

  let back h state =
    let state =
      { state with out = remove h state.out; let_in = remove h state.let_in }
    in
    if List.mem h state.starving then send h state else state

  let next_state cmd state =
    match cmd with
    | Starves h -> starves h state
    | Eats h -> eats h state
    | Let_in -> (
        match state.lair with
        | [] -> state
        | h :: lair -> { state with lair; let_in = h :: state.let_in })
    | Visit (h, meanwhile, loot) -> back h (visited h meanwhile loot state)
    | Clear -> { state with lair = [] }

  let run cmd p =
    let open STM in
    match cmd with
    | Starves h -> Res (unit, say_starves p h)
    | Eats h -> Res (unit, Thieves.eats (home p h))
    | Let_in -> Res (option int, Thieves.let_in p.lair)
    | Visit (h, meanwhile, loot) -> Res (string, visit p h meanwhile loot)
    | Clear -> Res (list int, Thieves.clear p.lair)

  let outcome h loot state =
    if not (List.mem h state.starving) then "was not asked"
    else if loot = None_left then "in vain"
    else "delivered"

  let postcond cmd state res =
    let open STM in
    match (cmd, res) with
    | (Starves _ | Eats _), Res ((Unit, _), ()) -> true
    | Let_in, Res ((Option Int, _), thief) -> thief = List.nth_opt state.lair 0
    | Visit (h, _, loot), Res ((String, _), said) ->
        String.equal said (outcome h loot state)
    | Clear, Res ((List Int, _), them) -> them = state.lair
    | _, _ -> false
end

(* {1 Two domains} *)

(* Each home reports once, so the thief is simply pushed. *)
module Lair = struct
  type cmd = Send of int | Let_in | Clear
  type state = int list
  type sut = int Thieves.t

  let show_cmd = function
    | Send n -> Printf.sprintf "Send %d" n
    | Let_in -> "Let_in"
    | Clear -> "Clear"

  let arb_cmd _ =
    let open QCheck.Gen in
    QCheck.make ~print:show_cmd
      (frequency
         [
           (4, map (fun n -> Send n) (int_bound 99));
           (3, return Let_in);
           (1, return Clear);
         ])

  let init_state = []
  let init_sut = Thieves.create
  let cleanup _ = ()
  let precond _ _ = true

  let next_state cmd state =
    match (cmd, state) with
    | Send n, _ -> n :: state
    | Let_in, _ :: others -> others
    | Let_in, [] | Clear, _ -> []

  let run cmd lair =
    let open STM in
    match cmd with
    | Send n -> Res (unit, Thieves.starves lair (Thieves.home ()) (fun () -> n))
    | Let_in -> Res (option int, Thieves.let_in lair)
    | Clear -> Res (list int, Thieves.clear lair)

  let postcond cmd (state : state) res =
    let open STM in
    match (cmd, res) with
    | Send _, Res ((Unit, _), ()) -> true
    | Let_in, Res ((Option Int, _), thief) -> thief = List.nth_opt state 0
    | Clear, Res ((List Int, _), them) -> them = state
    | _, _ -> false
end

(* A raid admits a thief, which visits in vain. *)
module Raids = struct
  type cmd = Starves | Eats | Raid
  type state = { starves : bool; out : bool }
  type sut = place

  let show_cmd = function
    | Starves -> "Starves"
    | Eats -> "Eats"
    | Raid -> "Raid"

  let among cmds (_ : state) =
    QCheck.make ~print:show_cmd (QCheck.Gen.oneofl cmds)

  let arb_cmd = among [ Starves; Eats; Raid ]
  let init_state = { starves = false; out = false }
  let init_sut = Spec.init_sut
  let cleanup _ = ()

  (* A home reports idleness once. *)
  let precond cmd state =
    match cmd with Starves -> not state.starves | Eats | Raid -> true

  let next_state cmd state =
    match cmd with
    | Starves -> { starves = true; out = true }
    | Eats -> { state with starves = false }
    | Raid -> { state with out = state.starves }

  let run cmd p =
    let open STM in
    match cmd with
    | Starves -> Res (unit, say_starves p 0)
    | Eats -> Res (unit, Thieves.eats (home p 0))
    | Raid ->
        let said =
          match Thieves.let_in p.lair with
          | None -> "no thief"
          | Some h -> visit p h Nothing None_left
        in
        Res (string, said)

  let postcond cmd state res =
    let open STM in
    match (cmd, res) with
    | (Starves | Eats), Res ((Unit, _), ()) -> true
    | Raid, Res ((String, _), said) ->
        String.equal said
          (if not state.out then "no thief"
           else if state.starves then "in vain"
           else "was not asked")
    | _, _ -> false
end

module Sequential = STM_sequential.Make (Spec)
module Stack = STM_domain.Make (Lair)
module Raided = STM_domain.Make (Raids)

let one_home =
  let home = Raids.(among [ Starves ]) and other = Raids.(among [ Raid ]) in
  QCheck.Test.make ~count:30 ~name:"two domains, a home and its visitor"
    (Raided.arb_triple_asym 6 3 Raids.arb_cmd home other) (fun programs ->
      QCheck.assume (Raided.all_interleavings_ok programs);
      Util.repeat 10 Raided.agree_prop_par_asym programs)

let tests =
  [
    Sequential.agree_test ~count:1000 ~name:"one thread";
    Stack.agree_test_par ~count:30 ~name:"two domains, lurking thieves";
    one_home;
    Game.test;
  ]
