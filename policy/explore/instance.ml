open Core

type start = {
  on_cores : int list;
  system : Surroundings.t;
  threads_have : (attribute * int) list;
}

type t = {
  policy : policy;
  promise : Promise.t;
  bounds : Bounds.t;
  machine : Machine.t;
  pack : Pack.t;
  kinds : event list;
  relevant : Relevant.t;
  fault : Scope.fault option;
  source_lock : Scope.source_lock option;
  hurry : bool;
  quiet : bool;
  due : bool;
  given : start list option;
  tried : Machine.state;  (** the state in which a step is tried *)
}

let usual_topology policy promise cores =
  if cores > 2 && (promise = Promise.Hcwc || Visits.uses_topology policy) then
    Topology.tree ~cores 2
  else Topology.flat cores

let make ?fault ?source_lock ?(hurry = true) ?(quiet = false) ?(due = false)
    ?topology ?given policy promise (bounds : Bounds.t) =
  let topology =
    match topology with
    | Some of_cores -> of_cores bounds.cores
    | None -> usual_topology policy promise bounds.cores
  in
  let machine =
    Machine.create ?fault ?source_lock
      ~runners:(if quiet then 1 else 2 + bounds.events)
      ~threads:bounds.threads topology policy
  in
  let relevant = Relevant.make policy in
  let kinds = Environment.kinds machine ~during:(Promise.event promise) in
  let machine =
    if quiet then machine
    else
      Machine.watching machine
        (Exchanged.among machine relevant
           (Promise.event promise :: Schedule
           :: (if bounds.events > 0 then kinds else [])))
  in
  {
    policy;
    promise;
    bounds;
    machine;
    pack =
      Pack.make machine relevant ~system:bounds.varied
        ~late:(Relevant.late policy (Promise.event promise));
    kinds;
    relevant;
    fault;
    source_lock;
    hurry;
    quiet;
    due;
    given;
    tried = Machine.initial machine;
  }

let again t =
  let topology _ = (Machine.layout t.machine).topology in
  make ?fault:t.fault ?source_lock:t.source_lock ~hurry:t.hurry ~quiet:t.quiet
    ~due:t.due ~topology ?given:t.given t.policy t.promise t.bounds

let thieves policy promise =
  Environment.thieves
    (Machine.create ~threads:1 (Topology.flat 1) policy)
    ~during:(Promise.event promise)

(* {1 Ranges of attributes} *)

(* The most classes that a search can enumerate: the number of starts grows
   like this number to the power of the number of threads. *)
let most_classes threads =
  if threads <= 3 then 12 else if threads = 4 then 6 else 4

let ranges policy relevant topology threads =
  let all =
    List.filter_map
      (fun a ->
        match Values.range policy relevant topology a with
        | [] | [ _ ] -> None
        | values -> Some (a, values))
      (Relevant.distinguishing relevant)
  in
  (* Enumerations come first: they are few, and policies decide by them. *)
  let size (_, values) = List.length values in
  let few (a, _) = match a.ty with Int -> 1 | _ -> 0 in
  let sorted =
    List.stable_sort (fun x y -> compare (few x, size x) (few y, size y)) all
  in
  let _, chosen =
    List.fold_left
      (fun (product, chosen) x ->
        if product * size x <= most_classes threads then
          (product * size x, x :: chosen)
        else (product, chosen))
      (1, []) sorted
  in
  List.rev chosen

let varies policy =
  let relevant = Relevant.make policy in
  let topology = Topology.flat 2 in
  ranges policy relevant topology 2 <> []
  || Surroundings.attributes policy relevant topology <> []

let classes t =
  if not t.bounds.varied then [ [] ]
  else
    List.fold_right
      (fun (a, values) rest ->
        List.concat_map (fun v -> List.map (List.cons (a, v)) rest) values)
      (ranges t.policy t.relevant (Machine.layout t.machine).topology
         t.bounds.threads)
      [ [] ]

(* The attributes of threads that name the core on which the thread was. *)
let homes t =
  List.filter
    (fun (a : attribute) -> a.ty = Core && not a.system)
    (Relevant.distinguishing t.relevant)

(* {1 Starts} *)

type spot = On of int | Away of int  (** last core, or -1 *) | Gone

let set t s thread (a, v) = Look.set_attribute t.machine s a thread v

let put_on t s thread core =
  let m = t.machine in
  let l = Machine.layout m and fr = Machine.fragments m in
  let event = if Machine.has m Unblock then Unblock else New in
  ignore (Machine.run m s event ~self:core ~target:thread : Machine.report);
  let from = s.(Layout.where l thread) in
  if Layout.in_structure l from && Layout.core_of l from <> core then begin
    let towards = Layout.place l core (Layout.state_of l from) in
    Fragments.leave fr s thread ~towards;
    Fragments.lower fr s thread ~from;
    Fragments.make_room fr s towards;
    Fragments.raise_ fr s thread ~towards;
    Fragments.enter fr s thread
  end;
  List.iter (fun a -> set t s thread (a, core)) (homes t)

(* The place of threads that have ended already, for starts with fewer
   threads. *)
let gone t =
  let l = Machine.layout t.machine in
  List.find_opt
    (fun st -> st.state_class = Terminated)
    (Array.to_list t.policy.states)
  |> Option.map (fun st -> Layout.place l 0 st.state_id)

let clear (s : Machine.state) =
  s.(Layout.blocked) <- 0;
  s.(Layout.unblocked) <- 0;
  s.(Layout.placed) <- 0;
  s.(Layout.fits) <- 0

(* The most sleeping threads. A thread that no event will wake is treated as if
   it did not exist. *)
let awake_most t =
  t.bounds.events
  + match t.promise with Lcwc _ -> 1 | Gcwc | Hcwc | Waiting -> 0

let homes_away t =
  if homes t = [] then [ -1 ]
  else List.init (t.bounds.cores + 1) (fun c -> c - 1)

let distributions t f =
  let classes = List.mapi (fun i c -> (i, c)) (classes t) in
  let cores = t.bounds.cores in
  let away = homes_away t in
  let rec go thread spots ~core ~asleep ~least =
    if thread = t.bounds.threads then f (List.rev spots)
    else begin
      for c = core to cores - 1 do
        List.iter
          (fun (_, k) ->
            go (thread + 1) ((On c, k) :: spots) ~core:c ~asleep ~least)
          classes
      done;
      if asleep < awake_most t then
        List.iteri
          (fun i home ->
            List.iter
              (fun (j, k) ->
                if (i, j) >= least then
                  go (thread + 1) ((Away home, k) :: spots) ~core:cores
                    ~asleep:(asleep + 1) ~least:(i, j))
              classes)
          away;
      if gone t <> None then
        let missing = t.bounds.threads - thread in
        f (List.rev_append spots (List.init missing (fun _ -> (Gone, []))))
    end
  in
  go 0 [] ~core:0 ~asleep:0 ~least:(0, 0)

(* With an affinity, a core counts as overloaded only if the same thread runs
   on the core throughout. A core with an empty slot is therefore marked as in
   U. *)
let excuse_empty t s =
  for c = 0 to t.bounds.cores - 1 do
    if Machine.runs_nothing t.machine s c then
      Layout.mark (Machine.layout t.machine) s Layout.unblocked c
  done

let place_all t surroundings spots =
  let s = Machine.initial t.machine in
  Surroundings.set t.machine s surroundings;
  List.iteri
    (fun thread (spot, attributes) ->
      List.iter (set t s thread) attributes;
      match spot with
      | On c -> put_on t s thread c
      | Away home ->
          if home >= 0 then
            List.iter (fun a -> set t s thread (a, home)) (homes t)
      | Gone ->
          Option.iter
            (fun p -> s.(Layout.where (Machine.layout t.machine) thread) <- p)
            (gone t))
    spots;
  if not t.due then Environment.settle t.machine s;
  clear s;
  if Query.affinity t.policy <> None then excuse_empty t s;
  s.(Layout.budget) <- t.bounds.events;
  s

let every l f = List.find_map f (List.init l.Layout.threads Fun.id)

(* The core of a thread that may not run on the core, if there is one. *)
let misplaced t s =
  let m = t.machine in
  let l = Machine.layout m in
  if Query.affinity t.policy = None then None
  else
    every l (fun thread ->
        let p = s.(Layout.where l thread) in
        if
          Layout.in_structure l p
          && not (Machine.may_run m s ~thread ~core:(Layout.core_of l p))
        then Some (Layout.core_of l p)
        else None)

(* True if a thread that has not ended may run on no core. *)
let homeless t s =
  let m = t.machine in
  let l = Machine.layout m in
  Query.affinity t.policy <> None
  && every l (fun thread ->
         let may core = Machine.may_run m s ~thread ~core in
         if
           Some s.(Layout.where l thread) <> gone t
           && not (List.exists may (List.init t.bounds.cores Fun.id))
         then Some thread
         else None)
     <> None

(* Notes the cores on which the coming thread may run. *)
let note_fits t s thread =
  let m = t.machine in
  if Query.affinity t.policy <> None then
    List.iter
      (fun core ->
        if Machine.may_run m s ~thread ~core then
          Layout.mark (Machine.layout m) s Layout.fits core)
      (List.init t.bounds.cores Fun.id)

let exempt t s event target =
  List.exists
    (function
      | Exempt e when e.event = event ->
          Machine.evaluate t.machine s ~target e.condition <> 0
      | _ -> false)
    t.policy.relaxations

let surroundings t =
  if t.bounds.varied then
    Surroundings.all t.policy t.relevant (Machine.layout t.machine).topology
  else [ [] ]

(* A single distribution, given. A thread that wakes up may have any home. *)
let as_given t start f =
  let there =
    List.concat
      (List.mapi
         (fun c n -> List.init n (fun _ -> (On c, start.threads_have)))
         start.on_cores)
  in
  match t.promise with
  | Gcwc | Hcwc | Waiting -> f there
  | Lcwc _ ->
      List.iter
        (fun home -> f (there @ [ (Away home, start.threads_have) ]))
        (homes_away t)

let wakers m s event ~self ~target =
  if not (Machine.asks_waker m event) then [ -1 ]
  else
    match Look.current m s self with
    | Some thread when thread <> target -> [ -1; thread ]
    | Some _ | None -> [ -1 ]

let starts_among t f distributions surroundings =
  let m = t.machine in
  let event = Promise.event t.promise in
  let begin_at placed ~self ~target ~value =
    if not (exempt t placed event value) then begin
      let s = Array.copy placed in
      (match t.promise with
      | Lcwc _ -> note_fits t s target
      | Gcwc | Hcwc | Waiting -> ());
      List.iter
        (fun waker ->
          let s = Array.copy s in
          Machine.start ~waker m s ~runner:0 event ~self ~target;
          f s)
        (wakers m s event ~self ~target)
    end
  in
  distributions (fun spots ->
      let s = place_all t surroundings spots in
      let selves =
        if Machine.reads_self m event then List.init t.bounds.cores Fun.id
        else [ 0 ]
      in
      match t.promise with
      | _ when misplaced t s <> None || homeless t s -> ()
      | _ when t.due && not (Environment.any_due m s) -> ()
      | Gcwc | Hcwc | Waiting ->
          List.iter (fun c -> begin_at s ~self:c ~target:c ~value:c) selves
      | Lcwc _ ->
          List.iteri
            (fun thread (spot, _) ->
              match spot with
              | Away _ ->
                  List.iter
                    (fun self ->
                      begin_at s ~self ~target:thread ~value:(thread + 1))
                    selves
              | On _ | Gone -> ())
            spots)

let starts t f =
  match t.given with
  | None -> List.iter (starts_among t f (distributions t)) (surroundings t)
  | Some given ->
      List.iter
        (fun start -> starts_among t f (as_given t start) start.system)
        given

(* {1 Moves} *)

type move =
  | Continue of { runner : int; draw : int }
  | Begin of {
      runner : int;
      event : event;
      self : int;
      target : int;
      waker : int;
    }

let over t s = not (Machine.busy t.machine s 0)

let rec free m s r =
  if r = Machine.runners m then -1
  else if Machine.busy m s r then free m s (r + 1)
  else r

let moves t s f =
  let m = t.machine in
  for r = 0 to Machine.runners m - 1 do
    if Machine.busy m s r && Machine.ready m s r then
      for draw = 0 to Machine.ways m s r - 1 do
        f (Continue { runner = r; draw })
      done
  done;
  let runner = free m s 1 in
  if runner > 0 then begin
    Environment.due m s (fun c ->
        f (Begin { runner; event = Schedule; self = c; target = c; waker = -1 }));
    if s.(Layout.budget) > 0 then
      Environment.starts m ~kinds:t.kinds s (fun event ~self ~target ->
          let self = if self < 0 then runner mod t.bounds.cores else self in
          List.iter
            (fun waker -> f (Begin { runner; event; self; target; waker }))
            (wakers m s event ~self ~target))
  end

let copy_part from into at length =
  for i = at to at + length - 1 do
    Array.unsafe_set into i (Array.unsafe_get from i : int)
  done

(* Array.blit would run the write barrier for every word. *)
let copy t (from : Machine.state) (into : Machine.state) =
  let m = t.machine in
  let fixed = (Machine.layout m).fixed in
  copy_part from into 0 fixed;
  let size = Machine.frame_size m in
  for r = 0 to Machine.runners m - 1 do
    let f = Machine.frame m r in
    if from.(f) = 0 then into.(f) <- 0 else copy_part from into f size
  done

let nothing _ _ = ()

(* True if the next step would use an exchanged attribute. *)
let would_meet t s r =
  let m = t.machine in
  Machine.watches m
  && begin
       copy t s t.tried;
       Machine.step m t.tried r;
       Machine.met m
     end

(* The steps of one move. A step with several results (`any`) is a move of its
   own, and is not joined to the steps before. A step that uses an exchanged
   attribute, or is followed by code that uses one, commutes with nothing and
   is not joined either. *)
let rec steps t note s r =
  let m = t.machine in
  if Machine.busy m s r && Machine.ready m s r then begin
    let back = Machine.holds_back m s r in
    note s r;
    Machine.step m s r;
    if t.hurry then
      if (not back) || Machine.met m then releases t note s r
      else if Machine.ways m s r = 1 then steps t note s r
  end

(* The last release of the event under test is not joined: it ends the event,
   and the state at the end is checked. *)
and releases t note s r =
  let m = t.machine in
  if
    Machine.busy m s r && Machine.releases m s r
    && (not (r = 0 && Machine.may_end m s r))
    && not (would_meet t s r)
  then begin
    note s r;
    Machine.step m s r;
    releases t note s r
  end

(* True if only the event under test can move. All steps up to the end of the
   event are then one move, and no state between is kept. *)
let rec alone t s r =
  if r = 0 then
    t.quiet || (s.(Layout.budget) = 0 && not (Environment.any_due t.machine s))
  else (not (Machine.busy t.machine s r)) && alone t s (r - 1)

let rec to_the_end note t s =
  if
    Machine.busy t.machine s 0
    && alone t s (Machine.runners t.machine - 1)
    && Machine.ready t.machine s 0
    && Machine.ways t.machine s 0 = 1
  then begin
    steps t note s 0;
    to_the_end note t s
  end

let apply ?(note = nothing) t s move =
  (match move with
  | Continue { runner; draw } ->
      s.(Layout.draw) <- draw;
      steps t note s runner;
      s.(Layout.draw) <- 0
  | Begin { runner; event; self; target; waker } ->
      if event <> Schedule then s.(Layout.budget) <- s.(Layout.budget) - 1;
      Machine.start ~waker t.machine s ~runner event ~self ~target;
      if (not (Machine.met t.machine)) && Machine.ways t.machine s runner = 1
      then steps t note s runner);
  if t.hurry then to_the_end note t s

(* {1 The end of an event} *)

let finish t s =
  let m = t.machine in
  let all = List.init (Machine.runners m) Fun.id in
  let rec go () =
    let busy = List.filter (Machine.busy m s) all in
    match List.find_opt (Machine.ready m s) busy with
    | Some r ->
        Machine.step m s r;
        go ()
    | None ->
        if busy = [] then None else Some "handlers wait for each other's locks"
  in
  match go () with
  | Some _ as message -> message
  | None -> (
      Environment.settle m s;
      let late = ref None in
      Environment.due m s (fun c ->
          if Look.waiting m s c then
            late :=
              Some
                (Printf.sprintf
                   "schedule leaves core %d without a thread to run, though \
                    some are ready"
                   c));
      if !late <> None then !late
      else
        match (Look.broken m s, misplaced t s) with
        | None, Some core ->
            Some
              (Printf.sprintf "a thread is on core %d, on which it may not run"
                 core)
        | broken, _ -> broken)

let counts t s =
  let rounds = Query.rounds t.policy in
  match Promise.breach t.promise t.machine s with
  | None -> None
  | Some _ as breach when rounds = 0 || not (Machine.has t.machine Balancing) ->
      breach
  | Some _ -> (
      let m = t.machine in
      let s = Array.copy s in
      match finish t s with
      | Some _ -> None
      | None ->
          let selves =
            if Machine.reads_self m Balancing then
              List.init t.bounds.cores Fun.id
            else [ 0 ]
          in
          for _ = 1 to rounds do
            List.iter
              (fun c ->
                ignore
                  (Machine.run m s Balancing ~self:c ~target:c : Machine.report);
                Environment.settle m s)
              selves
          done;
          Promise.breach ~mended:true t.promise m s)
