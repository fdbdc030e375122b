open Fiber
module Pool = Dromos_kernel.Pool

(* One active run. All fields but [run] are guarded by [lock]. *)
type entry = {
  entry_run : run;
  asked : int;
  mutable free : int list; (* roles nobody serves *)
  mutable leaving : int; (* roles whose worker looks around a last time *)
  mutable asked_meanwhile : bool; (* a request came while one was leaving *)
  mutable refused : bool; (* wants more workers, the bound forbids *)
}

(* A domain of the set. *)
type helper = {
  mutable job : worker option;
  wake_in : Unix.file_descr;
  wake_out : Unix.file_descr;
}

let lock = Mutex.create ()
let active : entry list ref = ref []
let parked : helper list ref = ref []
let alive = ref 0
let busy = ref 0 (* helpers that serve, or are about to *)
let domains () = !alive
let locked f = Mutex.protect lock f
let entry_of run = List.find_opt (fun e -> e.entry_run == run) !active

(* Vacant roles are part of the run's signal, unless they were refused. *)
let set_vacant entry n =
  let run = entry.entry_run in
  let before = Atomic.exchange run.vacant n in
  ignore (Atomic.fetch_and_add run.run_signal (n - before))

let update_vacant entry =
  set_vacant entry
    (if entry.refused then 0 else List.length entry.free + entry.leaving)

let running () = List.length !active + !busy

let bound () =
  List.fold_left (fun m e -> Int.max m e.asked) (List.length !active) !active

(* {1 Serving} *)

(* Racy looks at other workers: a hint that there is a frame to be had. *)
let ask_for_frames worker =
  let look other =
    let fiber = other.local.current in
    if other != worker && fiber != Fiber.nobody then
      let (Frame newest) = fiber.top in
      match newest.cell with
      | (Latent | Border _) when not (Fiber.is_nil fiber.top) ->
          other.local.ask ()
      | Latent | Border _ | Promoted _ -> ()
  in
  Array.iter look worker.run.workers

let rest worker =
  worker.resting <- true;
  ask_for_frames worker

(* An exception that reaches the loop itself (an asynchronous one: a break, a
   signal handler that raises) must not stop a worker that others count on. *)
let rec serve_on worker ~until first =
  match Pool.serve worker.run.pool ~worker:worker.id ~until with
  | () -> first
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      worker.local.current <- Fiber.nobody;
      worker.run.interrupt ();
      let first = match first with None -> Some (e, bt) | some -> some in
      if until () then first else serve_on worker ~until first

(* A caller gets its companion when its run first becomes parallel. Before any
   domain was spawned there is none, so that [Unix.fork] leaves no thread of ours
   behind. The first record of a domain keeps its companion for later runs; a
   domain joins its systhreads when it ends, so it is stopped there. *)
let without_companion local =
  Option.iter (fun stop -> stop ()) local.companion;
  local.companion <- None

let with_companion local =
  if local.companion == None then begin
    let companion = Companion.start local ~every:(-1.0) ignore in
    local.companion <- Some (fun () -> Companion.stop companion);
    if Fiber.is_first local && not (Domain.is_main_domain ()) then
      Domain.at_exit (fun () -> without_companion local)
  end

let serve worker ~until =
  let local = Fiber.local () in
  local.serving <- Some worker;
  worker.local <- local;
  let interrupted = serve_on worker ~until None in
  local.serving <- None;
  worker.local <- Fiber.nobody.worker.local;
  if not (Fiber.is_first local) then without_companion local;
  match interrupted with
  | None -> ()
  | Some (e, bt) -> Printexc.raise_with_backtrace e bt

(* {1 Helpers} *)

let park_seconds = 0.05
let rest_check_seconds = 0.1

(* Ask [helper] to look at its job. *)
let poke helper =
  match Unix.write helper.wake_in (Bytes.make 1 '!') 0 1 with
  | _ -> ()
  | exception Unix.Unix_error _ -> ()

(* Sleeps until there is a job, or for [park_seconds] at least. *)
let rec park helper =
  match Unix.select [ helper.wake_out ] [] [] park_seconds with
  | [], _, _ -> ()
  | _ -> ignore (Unix.read helper.wake_out (Bytes.create 16) 0 16)
  | exception Unix.Unix_error (EINTR, _, _) -> park helper
  | exception Unix.Unix_error (EINVAL, _, _) -> Thread.delay 0.01

let assign entry helper =
  match entry.free with
  | [] -> invalid_arg "Crew.assign"
  | id :: free ->
      entry.free <- free;
      let worker = entry.entry_run.workers.(id) in
      worker.leave <- false;
      worker.shed <- false;
      worker.resting <- false;
      helper.job <- Some worker;
      incr busy

(* A run that was refused a worker and may have one now. *)
let wanting () =
  if running () >= bound () then None
  else List.find_opt (fun e -> e.refused && e.free <> []) !active

(* The helper's role is free again, and its domain goes to a run that was
   refused one, if there is one. With the lock held. *)
let release helper worker =
  decr busy;
  helper.job <- None;
  (match entry_of worker.run with
  | None -> ()
  | Some entry ->
      entry.free <- worker.id :: entry.free;
      if running () >= bound () then entry.refused <- true;
      update_vacant entry);
  match wanting () with
  | None -> parked := helper :: !parked
  | Some entry ->
      entry.refused <- false;
      assign entry helper;
      update_vacant entry

let retire helper =
  locked (fun () ->
      match helper.job with
      | Some _ -> false
      | None ->
          parked := List.filter (fun h -> h != helper) !parked;
          decr alive;
          true)

(* {2 Leaving}

   Whoever publishes a task first hands it to the hub and then looks at
   [vacant]; a worker that leaves first raises [vacant] and then looks into the
   hub. So either the publisher asks for a worker, which is seen in
   [asked_meanwhile], or the leaver finds the task and stays. *)

let announce worker =
  locked (fun () ->
      match entry_of worker.run with
      | None -> ()
      | Some entry ->
          entry.leaving <- entry.leaving + 1;
          update_vacant entry)

let stays worker =
  locked (fun () ->
      match entry_of worker.run with
      | None -> false
      | Some entry ->
          entry.leaving <- entry.leaving - 1;
          let stays = entry.asked_meanwhile || not worker.resting in
          entry.asked_meanwhile <- false;
          update_vacant entry;
          stays)

(* One look into the hub, as this worker, and the task it finds. *)
let look_around worker =
  let looked = ref false in
  let until () =
    let stop = !looked in
    looked := true;
    stop
  in
  serve worker ~until

let rec work helper worker =
  let run = worker.run in
  let over () = Atomic.get run.over in
  (* An interruption has been handed to the run, whose caller raises it. *)
  let serve_until until = match until () with () -> () | exception _ -> () in
  serve_until (fun () ->
      serve worker ~until:(fun () -> worker.leave || over ()));
  let must_go = over () || worker.shed in
  worker.leave <- false;
  if not must_go then begin
    announce worker;
    serve_until (fun () -> look_around worker);
    if stays worker then work helper worker
    else locked (fun () -> release helper worker)
  end
  else locked (fun () -> release helper worker)

let rec live helper =
  match helper.job with
  | Some worker ->
      let { backtraces; _ } = worker.run in
      if Printexc.backtrace_status () <> backtraces then
        Printexc.record_backtrace backtraces;
      work helper worker;
      live helper
  | None ->
      park helper;
      if not (helper.job = None && retire helper) then live helper

(* Called now and then by a helper's companion: a worker that was resting then
   and is resting now goes home. Before that it asks once more, for a
   frame that was linked after it went to sleep and has not been published. *)
let check_rest helper was_resting () =
  match helper.job with
  | Some worker when worker.resting ->
      if !was_resting then begin
        worker.leave <- true;
        Pool.wake worker.run.pool worker.id
      end
      else ask_for_frames worker;
      was_resting := not !was_resting
  | Some _ | None -> was_resting := false

let helper_domain helper () =
  let local = Fiber.local () in
  let companion =
    Companion.start local ~every:rest_check_seconds
      (check_rest helper (ref false))
  in
  local.companion <- Some (fun () -> Companion.stop companion);
  live helper;
  without_companion local;
  Unix.close helper.wake_in;
  Unix.close helper.wake_out

(* Outside the lock: spawning takes a while. *)
let spawn helper =
  match Domain.spawn (helper_domain helper) with
  | (_ : unit Domain.t) -> ()
  | exception _ ->
      (* No domain to be had: the run goes on with those it has. *)
      locked (fun () ->
          decr alive;
          decr busy;
          match helper.job with
          | None -> ()
          | Some worker ->
              Option.iter
                (fun entry ->
                  entry.free <- worker.id :: entry.free;
                  entry.refused <- true;
                  update_vacant entry)
                (entry_of worker.run))

let new_helper () =
  let wake_out, wake_in = Unix.pipe ~cloexec:true () in
  { job = None; wake_in; wake_out }

type answer = Nothing | Poke of helper | Spawn of helper

let grant entry =
  if entry.free = [] then begin
    if entry.leaving > 0 then entry.asked_meanwhile <- true;
    Nothing
  end
  else if running () >= bound () then begin
    entry.refused <- true;
    update_vacant entry;
    Nothing
  end
  else begin
    let answer =
      match !parked with
      | helper :: rest ->
          parked := rest;
          assign entry helper;
          Poke helper
      | [] ->
          let helper = new_helper () in
          assign entry helper;
          incr alive;
          Spawn helper
    in
    update_vacant entry;
    answer
  end

let carry_out = function
  | Nothing -> ()
  | Poke helper -> poke helper
  | Spawn helper -> spawn helper

let request run =
  (match Fiber.find_local () with
  | Some ({ serving = Some _; _ } as local) -> with_companion local
  | Some _ | None -> ());
  carry_out
    (locked (fun () ->
         match entry_of run with
         | Some entry when not entry.refused -> grant entry
         | Some _ | None -> Nothing))

(* {1 Runs} *)

(* Too many run: one borrowed worker of the run that has most is to leave. *)
let shed () =
  let served e =
    e.entry_run.workers |> Array.to_list |> List.tl
    |> List.filter (fun w -> not (List.mem w.id e.free || w.shed))
  in
  let most =
    List.fold_left
      (fun best e ->
        let s = served e in
        if List.length s > List.length best then s else best)
      [] !active
  in
  match most with
  | [] -> None
  | worker :: _ ->
      worker.shed <- true;
      worker.leave <- true;
      Some worker

let enter run ~asked =
  let shed =
    locked (fun () ->
        let free = List.init (Array.length run.workers - 1) succ in
        let entry =
          {
            entry_run = run;
            asked;
            free;
            leaving = 0;
            asked_meanwhile = false;
            refused = false;
          }
        in
        active := entry :: !active;
        if running () > bound () then begin
          entry.refused <- true;
          update_vacant entry;
          shed ()
        end
        else begin
          update_vacant entry;
          None
        end)
  in
  Option.iter (fun w -> Pool.wake w.run.pool w.id) shed

(* There is room again for runs that were refused workers. Their tasks may have
   been published long ago, so they get one each now, not at the next request. *)
let reconsider entry =
  if entry.refused && running () < bound () then begin
    entry.refused <- false;
    update_vacant entry;
    grant entry
  end
  else Nothing

let leave run =
  let answers =
    locked (fun () ->
        active := List.filter (fun e -> e.entry_run != run) !active;
        List.map reconsider !active)
  in
  List.iter carry_out answers;
  Array.iter (fun w -> if w.id > 0 then Pool.wake run.pool w.id) run.workers
