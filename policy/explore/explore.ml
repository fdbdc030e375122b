type verdict = Holds | Violated of Trace.t | Limit

type result = {
  promise : Promise.t;
  verdict : verdict;
  largest : Bounds.t option;
  covered : Bounds.t list;
  states : int;
  seconds : float;
}

let breaks_promise (t : Trace.t) =
  match t.fault with
  | Breach _ | Starves _ -> true
  | Conservation _ | Stuck -> false

(* Searches the same machine once more without joining steps, for a trace with
   fewer steps to a fault of the same kind. *)
let shorter ?fault ?source_lock ?topology ?given ~due ~until policy promise
    bounds trace =
  let until = Float.max until (Sys.time () +. 1.) in
  match
    Search.run ~until
      (Instance.make ?fault ?source_lock ?topology ?given ~due ~hurry:false
         policy promise bounds)
  with
  | { outcome = Violated t; _ }
    when breaks_promise t = breaks_promise trace
         && List.length t.steps < List.length trace.steps ->
      t
  | _ -> trace

(* Each machine has a share of the time: a machine with more threads is tried
   even if a smaller one has too many states. *)
let check_waits ~seconds ?states series policy =
  let began = Sys.time () in
  let rec go covered total = function
    | [] ->
        let verdict = if covered = [] then Limit else Holds in
        (verdict, covered, total)
    | (bounds : Bounds.t) :: more -> (
        let left = seconds -. (Sys.time () -. began) in
        let share = left /. float (1 + List.length more) in
        let found =
          if Kinds.timed policy then
            { Starvation.outcome = Cut_off; states = 0 }
          else
            Starvation.run
              ~until:(Sys.time () +. share)
              ?most:states (Solo.make policy bounds)
        in
        let total = total + found.states in
        match found.outcome with
        | Never -> go (bounds :: covered) total more
        | Starves trace -> (Violated trace, covered, total)
        | Cut_off -> go covered total more)
  in
  let verdict, covered, states = go [] 0 series in
  {
    promise = Promise.Waiting;
    verdict;
    largest = (match covered with [] -> None | b :: _ -> Some b);
    covered;
    states;
    seconds = Sys.time () -. began;
  }

(* A machine to search: all its starts or the given ones, and the time at which
   to leave it for the rest. *)
type task = {
  bounds : Bounds.t;
  given : Instance.start list Lazy.t option;
  topology : (int -> Topology.t) option;
  quiet : bool; (* the option of Instance.make *)
  due : bool; (* the option of Instance.make *)
  by : float;
}

(* The first [smallest] machines of the series come before the pairs of groups,
   and the pairs before the machines of the witness. Each kind has its part of
   the time. *)
let smallest = 4
let part_of_smallest = 0.3
let part_of_pairs = 0.5
let part_of_witness = 0.6

let tasks ?topology ~began ~seconds ~series policy promise witness =
  let at_rest_and_due task =
    [ { task with due = false }; { task with due = true } ]
  in
  let of_series by bounds =
    at_rest_and_due
      { bounds; given = None; topology; quiet = false; due = false; by }
  in
  let until part = began +. (part *. seconds) in
  match witness with
  | None -> List.concat_map (of_series (until 1.)) series
  | Some witness ->
      let given (bounds, starts) =
        at_rest_and_due
          {
            bounds;
            given = Some starts;
            topology;
            quiet = false;
            due = false;
            by = until part_of_witness;
          }
      and of_pair { Pairs.topology; bounds; start; quiet } =
        {
          bounds;
          given = Some (Lazy.from_val [ start ]);
          topology = Some (fun _ -> topology);
          quiet;
          due = false;
          by = until part_of_pairs;
        }
      and pairs = if topology = None then Pairs.machines policy promise else []
      and usual =
        Option.value topology ~default:(Instance.usual_topology policy promise)
      in
      let first, others =
        List.partition
          (fun (i, _) -> i < smallest)
          (List.mapi (fun i b -> (i, b)) series)
      in
      List.concat_map (fun (_, b) -> of_series (until part_of_smallest) b) first
      @ List.map of_pair pairs
      @ List.concat_map given
          (Witnessed.machines policy promise ~topology:usual witness)
      @ List.concat_map (fun (_, b) -> of_series (until 1.) b) others

(* A machine of the first kinds that took too long has another turn before the
   rest of the series. *)
let again until task tasks =
  let hurried, others = List.partition (fun t -> t.by < until) tasks in
  match task.given with
  | Some _ -> tasks
  | None -> hurried @ ({ task with by = until } :: others)

(* The machines that were searched to the end twice: at rest, and with each
   [schedule] due. *)
let rec searched = function
  | [] -> []
  | (bounds, due) :: earlier when List.mem (bounds, not due) earlier ->
      bounds :: searched earlier
  | _ :: earlier -> searched earlier

let check_event ?fault ?source_lock ~seconds ?states ?series ?topology ?witness
    policy promise =
  let began = Sys.time () in
  let until = began +. seconds in
  let series =
    match series with
    | Some s -> s
    | None ->
        Bounds.series ~groups:(promise = Promise.Hcwc)
          ~varied:(Instance.varies policy)
          ~thieves:(Instance.thieves policy promise)
  in
  let finish verdict held total =
    let covered = searched held in
    {
      promise;
      verdict;
      largest = (match covered with [] -> None | b :: _ -> Some b);
      covered;
      states = total;
      seconds = Sys.time () -. began;
    }
  in
  let over held total =
    finish (if searched held = [] then Limit else Holds) held total
  in
  let rec go held total = function
    | [] -> over held total
    | _ when Sys.time () >= until -> over held total
    | ({ by; _ } as task) :: others when by < until && Sys.time () >= by ->
        go held total (again until task others)
    | ({ bounds; given; topology; quiet; due; by } as task) :: others -> (
        let given = Option.map Lazy.force given in
        let found =
          Search.run ~until:by ?most:states
            (Instance.make ?fault ?source_lock ~quiet ~due ?topology ?given
               policy promise bounds)
        in
        let total = total + found.states in
        match found.outcome with
        | Holds when given = None -> go ((bounds, due) :: held) total others
        | Holds -> go held total others
        | Violated trace ->
            let trace =
              if quiet then trace
              else
                shorter ?fault ?source_lock ?topology ?given ~due ~until policy
                  promise bounds trace
            in
            finish (Violated trace) held total
        | Out_of_time when by < until -> go held total (again until task others)
        | Out_of_time -> over held total
        | Out_of_room ->
            (* The next machines of the series may be smaller. *)
            go held total others)
  in
  go [] 0 (tasks ?topology ~began ~seconds ~series policy promise witness)

let check ?fault ?source_lock ?(seconds = 2.) ?states ?series ?topology ?witness
    policy promise =
  match promise with
  | Promise.Waiting ->
      let several =
        if policy.Core.steal = None then [] else Bounds.among_thieves
      in
      let series = Option.value series ~default:(Bounds.alone @ several) in
      check_waits ~seconds ?states series policy
  | Gcwc | Hcwc | Lcwc _ ->
      check_event ?fault ?source_lock ~seconds ?states ?series ?topology
        ?witness policy promise

let pp ppf r =
  let rate = float r.states /. max 1e-6 r.seconds in
  let cost ppf () =
    Format.fprintf ppf "%d states, %.2f s, %.0f states a second" r.states
      r.seconds rate
  in
  match (r.verdict, r.largest) with
  | Violated trace, _ ->
      Format.fprintf ppf "@[<v>VIOLATED (%a)@,%a@]" cost () Trace.pp trace
  | Holds, Some b ->
      Format.fprintf ppf "%s: holds up to %s (%a)" (Promise.name r.promise)
        (Bounds.show b) cost ()
  | (Holds | Limit), _ ->
      Format.fprintf ppf "%s: nothing could be searched to its end (%a)"
        (Promise.name r.promise) cost ()

let to_json r : Yojson.Safe.t =
  let verdict, rest =
    match r.verdict with
    | Holds -> ("holds", [])
    | Limit -> ("limit", [])
    | Violated t -> ("violated", [ ("trace", Trace.to_json t) ])
  in
  let bounds (b : Bounds.t) =
    `Assoc
      [
        ("cores", `Int b.cores);
        ("threads", `Int b.threads);
        ("events", `Int b.events);
        ("varied", `Bool b.varied);
      ]
  in
  `Assoc
    ([
       ("property", `String (Promise.name r.promise));
       ("verdict", `String verdict);
       ("largest", Option.fold ~none:`Null ~some:bounds r.largest);
       ("states", `Int r.states);
       ("seconds", `Float r.seconds);
     ]
    @ rest)
