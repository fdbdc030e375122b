let sprintf = Printf.sprintf

type part =
  | Margin
  | Take
  | Select
  | Until
  | Repeated
  | Groups
  | Order
  | Idle
  | Placement
  | Balancing
  | Schedule
  | Alone

let parts =
  [ Margin; Margin; Take; Select; Until; Repeated; Groups; Order; Idle;
    Placement; Placement; Balancing; Schedule; Alone ]
[@@ocamlformat "disable"]

type sense = Mostly of float | All_but of part

type t = {
  chance : Random.State.t;
  may_idle : bool;
  patient : bool;
  sense : sense;
  queues : string list;
  one_thread : bool;
  loads : [ `None | `Constant of int | `Varied | `Wild ];
  affinity : [ `None | `Only | `Big ];
  steals : bool;
  by_group : bool;
  thread : string;
  core : string;
  choose : string;
  settle : string;
}

let below t n = Random.State.int t.chance n
let one t all = List.nth all (below t (List.length all))
let often t p = Random.State.float t.chance 1. < p

let sensible t part sound odd =
  let sense =
    match t.sense with
    | Mostly p -> often t p
    | All_but other -> part <> other || often t 0.3
  in
  one t (if sense then sound else odd)

let perhaps t p text = if often t p then text else ""

(* Names with another meaning in the OCaml made from policies. *)
let names =
  String.split_on_char ' '
    "method val m v self_ target List Exit place move choose choose_taking \
     first_core ordered runnable filtered on_tick stealing policy maker found \
     crowd_taking enough T _ user fun state_q0 thread_word source none_ Method \
     exists Bool set_own words"

let make ?(idle = false) chance =
  let below n = Random.State.int chance n in
  let odd = below 3 = 0 and patient = below 4 = 0 in
  let rec distinct taken = function
    | [] -> List.rev taken
    | usual :: rest ->
        let n = List.nth names (below (List.length names)) in
        let name = if odd && not (List.mem n taken) then n else usual in
        distinct (name :: taken) rest
  in
  match distinct [] [ "chosen_core"; "settle"; "t"; "c" ] with
  | [ choose; settle; thread; core ] ->
      {
        chance;
        may_idle = idle;
        patient;
        sense =
          (if Random.State.bool chance then
             Mostly (0.6 +. Random.State.float chance 0.4)
           else All_but (List.nth parts (below (List.length parts))));
        queues = List.init (1 + (below 5 / 2)) (sprintf "q%d");
        one_thread = below 3 = 0 && not patient;
        loads =
          (match below 11 with
          | 0 | 1 -> `None
          | 2 | 3 -> `Constant (List.nth [ 2; 3; 1024 ] (below 3))
          | 4 | 5 -> `Varied
          | 6 -> `Wild
          | _ -> `Constant 1);
        affinity =
          (match below 8 with 0 | 1 -> `Only | 2 -> `Big | _ -> `None);
        steals = below 20 > 0;
        by_group = below 5 = 0;
        thread;
        core = (if odd && below 4 = 0 then choose else core);
        choose;
        settle;
      }
  | _ -> assert false

(* {1 Observing} *)

let unit_loads t = t.loads = `None || t.loads = `Constant 1

(* Counts all threads that run or are ready on a core. *)
let number t c =
  let of_state q = sprintf "count(%s.%s)" c q in
  one t
    [
      sprintf "count(%s)" c;
      sprintf "count(%s)" c;
      (if unit_loads t then sprintf "%s.cload" c else sprintf "count(%s)" c);
      sprintf "crowd(%s)" c;
      sprintf "(%s)"
        (String.concat " + " (List.map of_state ("current" :: t.queues)));
    ]

let ordered by = sprintf "order = { %s }" by

let busiest t =
  ordered
    (sensible t Select
       [ "highest cload"; "highest count"; "highest cload, highest count" ]
       [ "lowest cload"; "lowest count"; "highest rank"; "lowest rank" ])

let idlest t =
  ordered
    (sensible t Order
       [ "lowest count"; "lowest cload"; "lowest count, highest rank" ]
       [ "highest cload"; "highest count"; "lowest rank" ])

let is_idle t c =
  sensible t Idle
    [
      sprintf "count(%s) == 0" c;
      sprintf "%s.cload == 0" c;
      sprintf "%s < 1" (number t c);
      sprintf "%s in idle_cores" c;
    ]
    [
      sprintf "count(%s) <= 1" c;
      sprintf "%s.cload < 2" c;
      sprintf "count(%s.current) == 0" c;
      sprintf "!(%s in active_cores) || count(%s) <= 1" c c;
    ]

let is_busy t c =
  sensible t Until
    [
      sprintf "count(%s) != 0" c;
      sprintf "%s.cload > 0" c;
      sprintf "%s >= 1" (number t c);
      sprintf "!(%s in idle_cores)" c;
    ]
    [
      "true";
      sprintf "count(%s) >= 2" c;
      sprintf "%s in active_cores || empty(idle_cores)" c;
      sprintf "count(%s.%s) != 0" c (one t t.queues);
    ]

(* {1 Moving} *)

let shuffled t all =
  List.map snd
    (List.sort compare
       (List.map (fun x -> (Random.State.bits t.chance, x)) all))

let enqueue ?(all = true) t thread core =
  let move q =
    if core = "" then sprintf "%s => %s;" thread q
    else sprintf "%s => %s.%s;" thread core q
  in
  let condition () =
    one t
      [
        sprintf "%s.slice > 0" thread;
        sprintf "%s.kind == URGENT" thread;
        sprintf "%s.key %% 2 == 0" thread;
        sprintf "%s.pinned" thread;
        sprintf "%s.old" thread;
        sprintf "%s.slice / %s.key != 0" thread thread;
        sprintf "valid(%s.home) && %s.cg.used > 0" thread thread;
        sprintf "%s.key %% %s.slice > 0" thread thread;
        sprintf "(%s.slice & 1) != 0 || %s.c.run / 2 > 1" thread thread;
      ]
  in
  let rec go = function
    | [] -> ""
    | [ q ] -> move q
    | q :: others ->
        sprintf "if (%s) { %s } else { %s }" (condition ()) (move q) (go others)
  in
  if all || often t 0.6 then go (shuffled t t.queues) else move (one t t.queues)
