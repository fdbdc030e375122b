open Types
module Signals = Dromos_service.Signals

type entry = {
  entry_run : run;
  asked : int;
  mutable free : int list; (* roles without a domain *)
  mutable leaving : int; (* roles whose worker looks around a last time *)
  mutable kept : int; (* leaving workers that a request asks to stay *)
  mutable refused : bool; (* wants more workers than the bound allows *)
}

type helper = {
  mutable job : worker option;
  mutable asleep : bool;
  mutable patience : int; [@owner Crew]
  wake_in : Unix.file_descr;
  wake_out : Unix.file_descr;
}

let lock = Mutex.create ()
let locked f = Signals.protect lock f
let active : entry list ref = ref []
let parked : helper list ref = ref []
let alive = ref 0
let lively = ref 0
let busy = ref 0 (* pool domains that serve, or are about to *)
let find run = List.find_opt (fun e -> e.entry_run == run) !active
let runs () = List.map (fun e -> e.entry_run) !active

(* {1 The bound} *)

(* The number of callers that the bound counts. The caller of a standing run
   sleeps most of the time, on a domain that was made for the run, and does not
   take the place of another run's worker. *)
let callers () =
  List.fold_left
    (fun n e -> if e.entry_run.standing then n else n + 1)
    0 !active

let running () = callers () + !busy

(* The largest number of callers and pool domains: two less than the system's
   limit. The main domain needs a place, if the program called no run there, and
   so does the service domain, later. *)
let most = Dromos_service.Host.max_domains () - 2

let bound () =
  let asked = List.fold_left (fun m e -> Int.max m e.asked) 0 !active in
  Int.max (callers ()) (Int.min most asked)

let has_room () = running () < bound ()

(* The run's signal includes the number of vacant roles, so that forks publish
   branches. Two kinds of roles are left out: roles that the bound has refused,
   since no worker can come; and the roles of leaving workers that will stay
   ([kept]). Such a worker may run a long task in its last look around, and its
   role would keep the signal positive all the while. *)
let update_vacant entry =
  let run = entry.entry_run in
  let unserved = List.length entry.free + entry.leaving in
  let vacant = if entry.refused then 0 else unserved - entry.kept in
  Atomic.set run.unserved unserved;
  let before = Atomic.exchange run.vacant vacant in
  ignore (Atomic.fetch_and_add run.run_signal (vacant - before))

(* [is_awaited entry id]: role [id]'s inbox holds tasks that only this role may
   run. Each publication of such a task makes a request, and the request fills
   such a role first, if one is free. The role is filled even beyond the bound:
   the fibers that wait for these tasks may belong to the runs that used the
   bound up, so a refusal could deadlock. *)
let is_awaited entry id = Atomic.get entry.entry_run.workers.(id).inbox > 0
let has_awaited entry = List.exists (is_awaited entry) entry.free

let pick entry =
  match List.partition (is_awaited entry) entry.free with
  | id :: awaited, others -> Some (id, awaited @ others)
  | [], id :: others -> Some (id, others)
  | [], [] -> None

let set_refused entry refused =
  entry.refused <- refused;
  update_vacant entry

(* {1 Pool domains} *)

type answer = Nothing | Poke of helper | Spawn of helper

let assign entry helper id free =
  let worker = entry.entry_run.workers.(id) in
  entry.free <- free;
  Worker.assigned worker;
  helper.job <- Some worker;
  incr busy;
  update_vacant entry

let grant make entry id free =
  match !parked with
  | helper :: rest ->
      parked := rest;
      assign entry helper id free;
      Poke helper
  | [] -> (
      match make () with
      | helper ->
          assign entry helper id free;
          incr alive;
          Spawn helper
      | exception Unix.Unix_error _ ->
          (* The process has no descriptors left: the run goes on with the
             workers it has. *)
          set_refused entry true;
          Nothing)

let request make entry =
  match pick entry with
  | Some (id, free) when is_awaited entry id -> grant make entry id free
  | _ when entry.refused -> Nothing
  | None ->
      if entry.kept < entry.leaving then begin
        entry.kept <- entry.kept + 1;
        update_vacant entry
      end;
      Nothing
  | Some (id, free) ->
      if has_room () then grant make entry id free
      else begin
        set_refused entry true;
        Nothing
      end

(* The tasks of awaited roles may have been published long ago, so the roles get
   their workers now instead of at the next request. *)
let reconsider make =
  let rec more entry =
    match request make entry with
    | Nothing -> []
    | answer -> answer :: (if has_awaited entry then more entry else [])
  in
  let again entry =
    if has_awaited entry || (entry.refused && has_room ()) then begin
      set_refused entry false;
      more entry
    end
    else []
  in
  List.concat_map again !active

let announce worker =
  match find worker.run with
  | None -> ()
  | Some entry ->
      entry.leaving <- entry.leaving + 1;
      update_vacant entry

let wanting () =
  match List.find_opt has_awaited !active with
  | Some _ as found -> found
  | None when has_room () ->
      List.find_opt (fun e -> e.refused && e.free <> []) !active
  | None -> None

(* Signals that a worker's output is written. A thread waits for the condition
   only at the end of a run, and only if a worker is still awake. *)
let written = Condition.create ()

let tell_written worker =
  Worker.is_written worker;
  Condition.broadcast written

(* The number of spins before the wait. A worker that is awake has written
   within some microseconds, sooner than a sleeping thread wakes up. *)
let looks = 1_000

let wait_until_written run =
  let is_unwritten w = w.id > 0 && not w.written in
  let unwritten () = Array.exists is_unwritten run.workers in
  let rec look n =
    if n > 0 && unwritten () then begin
      Domain.cpu_relax ();
      look (n - 1)
    end
  in
  look looks;
  if unwritten () then
    locked (fun () ->
        while unwritten () do
          Condition.wait written lock
        done)

let release helper worker =
  tell_written worker;
  decr busy;
  helper.job <- None;
  Option.iter
    (fun entry ->
      entry.free <- worker.id :: entry.free;
      if (not (has_room ())) || is_awaited entry worker.id then
        entry.refused <- true;
      update_vacant entry)
    (find worker.run);
  match wanting () with
  | None -> parked := helper :: !parked
  | Some entry -> (
      match pick entry with
      | None -> parked := helper :: !parked
      | Some (id, free) ->
          assign entry helper id free;
          (* The run requests again only when it publishes a task. The run
             therefore counts as refused while it lacks workers, and gets an
             offer when the next domain comes back. *)
          set_refused entry
            (has_awaited entry || (entry.free <> [] && not (has_room ()))))

let stays_or_release helper worker =
  let stays =
    match find worker.run with
    | None -> false
    | Some entry ->
        entry.leaving <- entry.leaving - 1;
        let found = not worker.resting in
        let stays = found || entry.kept > 0 in
        let still = if found then entry.kept else entry.kept - 1 in
        entry.kept <- Int.max 0 (Int.min still entry.leaving);
        if stays then update_vacant entry;
        stays
  in
  if not stays then release helper worker;
  stays

let gone helper =
  decr alive;
  decr busy;
  let give_back worker =
    tell_written worker;
    Option.iter
      (fun entry ->
        entry.free <- worker.id :: entry.free;
        set_refused entry true)
      (find worker.run)
  in
  Option.iter give_back helper.job;
  helper.job <- None

let failed = gone
let began () = incr lively

let give_up helper =
  decr lively;
  gone helper

let falls_asleep helper =
  helper.asleep <- Option.is_none helper.job;
  helper.asleep

let wakes_up helper =
  let was = helper.asleep in
  helper.asleep <- false;
  was

let retire helper =
  match helper.job with
  | Some _ -> false
  | None ->
      parked := List.filter (fun h -> h != helper) !parked;
      decr alive;
      decr lively;
      true

(* {1 Runs} *)

let enter run ~asked =
  let entry =
    {
      entry_run = run;
      asked;
      free = List.init (Array.length run.workers - 1) succ;
      leaving = 0;
      kept = 0;
      refused = false;
    }
  in
  active := entry :: !active;
  set_refused entry (running () > bound ())

let leave run = active := List.filter (fun e -> e.entry_run != run) !active

(* Borrowed workers of a run that serve and were not asked to go. *)
let steady entry =
  Array.to_list entry.entry_run.workers
  |> List.filter (fun w ->
         w.id > 0 && (not (List.mem w.id entry.free)) && not w.over_quota)

let told_to_go entry =
  Array.fold_left
    (fun n w ->
      if w.over_quota && not (List.mem w.id entry.free) then n + 1 else n)
    0 entry.entry_run.workers

let excess () =
  let going = List.fold_left (fun n e -> n + told_to_go e) 0 !active in
  let rec shed told n =
    let longest best entry =
      let candidates = steady entry in
      if List.length candidates > List.length best then candidates else best
    in
    match List.fold_left longest [] !active with
    | worker :: _ when n > 0 ->
        Worker.ask_over_quota worker;
        shed (worker :: told) (n - 1)
    | _ -> told
  in
  shed [] (running () - going - bound ())
