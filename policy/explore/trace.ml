open Core
open Steps

type fault =
  | Breach of Promise.breach
  | Conservation of string
  | Stuck
  | Starves of { thread : int; since : int; from : int }

type t = {
  instance : Instance.t;
  initial : Machine.state;
  moves : Instance.move list;
  steps : Steps.t list;
  final : Machine.state;
  fault : fault;
}

(* {1 Construction} *)

(* The move to a packed state, from a state in which threads and frames keep
   their names. *)
type packed = { block : Bytes.t; offset : int; length : int; budget : int }

let move_to (i : Instance.t) s { block; offset; length; budget } =
  let wanted = Bytes.sub_string block offset length in
  let found = ref None in
  Instance.moves i s (fun move ->
      if !found = None then begin
        let next = Array.copy s in
        Instance.apply i next move;
        let n = Pack.pack i.pack next in
        if
          next.(Layout.budget) = budget
          && Bytes.sub_string (Pack.bytes i.pack) 0 n = wanted
        then found := Some move
      end);
  match !found with
  | Some move -> move
  | None -> failwith "Trace: no move leads to a state that was reached"

(* The first state, as it was before packing. Registers that no longer matter
   still hold the thread of the event, which the text for people names. *)
let begun (i : Instance.t) { block; offset; length; budget } =
  let wanted = Bytes.sub block offset length in
  let found = ref None in
  Instance.starts i (fun s ->
      if !found = None then begin
        let n = Pack.pack i.pack s in
        if Bytes.sub (Pack.bytes i.pack) 0 n = wanted then
          found := Some (Array.copy s)
      end);
  let s =
    match !found with
    | Some s -> s
    | None ->
        let s = Machine.initial i.machine in
        Pack.unpack i.pack block offset s;
        s
  in
  s.(Layout.budget) <- budget;
  s

let of_path (i : Instance.t) path fault =
  match path with
  | [] -> invalid_arg "Trace.of_path: no state"
  | first :: path ->
      let s = begun i first in
      let initial = Array.copy s in
      let played =
        List.map
          (fun packed ->
            let move = move_to i s packed in
            (move, Steps.play i s move))
          path
      in
      {
        instance = i;
        initial;
        moves = List.map fst played;
        steps = List.concat_map snd played;
        final = s;
        fault;
      }

(* One step for each handler. *)
let of_run (solo : Solo.t) initial moves fault =
  let s = Array.copy initial in
  let step move =
    let before = Array.copy s in
    Solo.apply solo s move;
    {
      core =
        (match move with Instance.Begin { self; _ } -> self | Continue _ -> 0);
      runner = 0;
      text = Solo.describe solo before move s;
      after = Array.copy s;
    }
  in
  let steps = List.map step moves in
  { instance = solo.instance; initial; moves; steps; final = s; fault }

(* {1 Running it again} *)

let fault_of (i : Instance.t) s =
  if Instance.over i s then
    match Instance.counts i s with
    | Some b -> Some (Breach b)
    | None ->
        Instance.finish i (Array.copy s)
        |> Option.map (fun what -> Conservation what)
  else begin
    let moves = ref 0 in
    Instance.moves i s (fun _ -> incr moves);
    if !moves = 0 then Some Stuck else None
  end

let possible i s move =
  let found = ref false in
  Instance.moves i s (fun other -> if other = move then found := true);
  !found

(* Checks the claim of a starving thread on the states after 0, 1, .. steps. *)
let starves solo ~thread ~since ~from moves states =
  let n = Array.length states - 1 in
  let all_from i p = Array.for_all p (Array.sub states i (n + 1 - i)) in
  0 < since && since <= from && from < n
  && Solo.queued solo states.(since - 1) thread = false
  && all_from since (fun s -> Solo.waits solo s thread)
  && Solo.key solo states.(from) = Solo.key solo states.(n)
  && Solo.goes_round solo
       (List.filteri (fun i _ -> i >= from) moves)
       states.(from)

let replay_starving t solo ~thread ~since ~from =
  let initial = Array.copy t.initial in
  let rec possible s = function
    | [] -> true
    | move :: moves ->
        let found = ref false in
        Solo.moves solo s (fun other -> if other = move then found := true);
        !found
        && begin
             Solo.apply solo s move;
             possible s moves
           end
  in
  if not (possible (Array.copy initial) t.moves) then
    Error "one of the moves is impossible"
  else
    let again = of_run solo initial t.moves t.fault in
    let states =
      Array.of_list (initial :: List.map (fun step -> step.after) again.steps)
    in
    if again.steps <> t.steps then Error "the steps are others now"
    else if starves solo ~thread ~since ~from t.moves states then Ok ()
    else Error "the thread does not wait for ever"

let replay_event t i =
  let s = Array.copy t.initial in
  let rec go n expected = function
    | [] ->
        if expected <> [] then Error "the moves end before the steps do"
        else if fault_of i s = Some t.fault then Ok ()
        else Error "nothing, or something else, is wrong at the end"
    | move :: moves ->
        if not (possible i s move) then
          Error (Printf.sprintf "after %d steps the next move is impossible" n)
        else compare_steps n expected (play i s move) moves
  and compare_steps n expected steps moves =
    match (expected, steps) with
    | _, [] -> go n expected moves
    | e :: expected, step :: steps
      when e.text = step.text && e.after = step.after ->
        compare_steps (n + 1) expected steps moves
    | e :: _, step :: _ ->
        Error
          (Printf.sprintf "step %d was \"%s\", and now is \"%s\"" (n + 1) e.text
             step.text)
    | [], step :: _ ->
        Error (Printf.sprintf "a step too many: \"%s\"" step.text)
  in
  go 0 t.steps t.moves

(* The answer, and the new machine on which the trace was made again. *)
let made_again t =
  match t.fault with
  | Starves { thread; since; from } ->
      let solo = Solo.make t.instance.policy t.instance.bounds in
      (replay_starving t solo ~thread ~since ~from, solo.instance.machine)
  | Breach _ | Conservation _ | Stuck ->
      let i = Instance.again t.instance in
      (replay_event t i, i.machine)

let replay t = fst (made_again t)
let passes_63_bits t = Machine.passed (snd (made_again t))

(* {1 For people} *)

let cores_text verb = function
  | [ c ] -> Printf.sprintf "core %d is %s" c verb
  | cores ->
      Printf.sprintf "the group of cores %s is %s" (Numbers.show cores) verb

let fault_text = function
  | Breach { overloaded; idle } ->
      cores_text "overloaded" overloaded ^ ", while " ^ cores_text "idle" idle
  | Conservation what -> what
  | Stuck -> "nothing can move any more, and the event is not over"
  | Starves { thread; since; from } ->
      Printf.sprintf
        "t%d is ready from step %d on and never runs: the steps after step %d \
         end in the state they began with, and can be repeated for ever"
        thread since from

let title t =
  let searched = Promise.name t.instance.promise in
  match t.fault with
  | Breach _ | Starves _ -> searched
  | Conservation _ | Stuck ->
      "conservation of threads, searched with " ^ searched

(* The start of the run, beside the places of the threads. *)
let begins t =
  let i = t.instance in
  let with_word word = List.map (fun text -> (word, text)) in
  (if Visits.uses_topology i.policy then
     with_word "groups" (Surroundings.shape (Machine.layout i.machine).topology)
   else [])
  @ with_word "system" (Surroundings.said i.machine t.initial)
  @ with_word "before" (Surroundings.earlier i.machine t.initial)

(* Conservation is checked after the handlers under way have ended and each due
   [schedule] has run: the state at this check, if it differs from the final
   state. *)
let ended t =
  match t.fault with
  | Breach _ | Stuck | Starves _ -> None
  | Conservation _ ->
      let s = Array.copy t.final in
      ignore (Instance.finish t.instance s : string option);
      let shown = Look.show t.instance.machine s in
      if shown = Look.show t.instance.machine t.final then None else Some shown

let pp ppf t =
  let m = t.instance.machine and begins = begins t in
  Format.fprintf ppf "@[<v>%s, %s@," (title t) (Bounds.show t.instance.bounds);
  List.iter
    (fun (word, text) -> Format.fprintf ppf "%-6s %s@," word text)
    begins;
  if List.mem_assoc "before" begins then
    Format.fprintf ppf
      "       (handlers set each of these values; no run was searched that \
       sets them so)@,";
  Format.fprintf ppf "start  %s@," (Look.show m t.initial);
  List.iteri
    (fun i step -> Format.fprintf ppf "%4d   %s@," (i + 1) step.text)
    t.steps;
  Format.fprintf ppf "end    %s@," (Look.show m t.final);
  Option.iter (Format.fprintf ppf "then   %s@,") (ended t);
  Format.fprintf ppf "%s@]" (fault_text t.fault)

let json_of_core m s c : Yojson.Safe.t =
  let l = Machine.layout m in
  let thread t = `Int t in
  let queues =
    List.filter_map
      (fun st ->
        if st.state_class = Ready then
          Some (st.state_name, `List (List.map thread (Look.queue m s c st)))
        else None)
      (Array.to_list l.policy.states)
  in
  let in_set ghost = `Bool (Layout.marked l s ghost c) in
  `Assoc
    [
      ("current", Option.fold ~none:`Null ~some:thread (Look.current m s c));
      ("queues", `Assoc queues);
      ("cload", `Int s.(Layout.cload l c));
      ("count", `Int s.(Layout.count l c));
      ("synch", `Bool (Look.synch m s c));
      ("blocked", in_set Layout.blocked);
      ("unblocked", in_set Layout.unblocked);
    ]

let to_json t : Yojson.Safe.t =
  let i = t.instance in
  let cores s = `List (List.init i.bounds.cores (json_of_core i.machine s)) in
  let ints l = `List (List.map (fun n -> `Int n) l) in
  let overloaded, idle =
    match t.fault with
    | Breach b -> (b.overloaded, b.idle)
    | Conservation _ | Stuck | Starves _ -> ([], [])
  in
  let waits =
    match t.fault with
    | Starves { thread; since; from } ->
        [
          ( "starves",
            `Assoc
              [
                ("thread", `Int thread);
                ("ready_after_step", `Int since);
                ("repeats_after_step", `Int from);
              ] );
        ]
    | Breach _ | Conservation _ | Stuck -> []
  in
  `Assoc
    ([
       ("policy", `String i.policy.policy_name);
       ("property", `String (title t));
       ("bounds", `String (Bounds.show i.bounds));
       ("cores", `Int i.bounds.cores);
       ("threads", `Int i.bounds.threads);
       ( "begins",
         `List
           (List.map
              (fun (word, text) -> `String (word ^ " " ^ text))
              (begins t)) );
       ("initial", cores t.initial);
       ( "steps",
         `List
           (List.mapi
              (fun n step ->
                `Assoc
                  [
                    ("core", `Int step.core);
                    ("runner", `Int step.runner);
                    ("text", `String step.text);
                    ("time", `Int (n + 1));
                    ("cores", cores step.after);
                  ])
              t.steps) );
       ("fault", `String (fault_text t.fault));
       ("overloaded", ints overloaded);
       ("idle", ints idle);
     ]
    @ waits)
