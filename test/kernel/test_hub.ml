(* Hubs without threads: for any order of actions of workers and outsiders, a
   task is returned once, to a worker that may run it, and a thief that steals
   in vain has missed no task. One thread plays all the parts; test_parking and
   test_pool have the threads. *)

module Hub = Dromos_hub.Hub
module Gen = QCheck2.Gen

let seed =
  match Sys.getenv_opt "DROMOS_SEED" with
  | Some seed -> int_of_string seed
  | None -> Random.State.bits (Random.State.make_self_init ())

type op =
  | Push of int * Hub.reason
  | Pop of int
  | Retract of int
  | Steal of int
  | Submit of Hub.reason
  | Submit_to of int
  | Tick of int
  | Relieve of int (* the role passes to a new thread *)

let show_reason = function
  | Hub.New -> "new"
  | Unblock -> "unblock"
  | Yield -> "yield"
  | Preempt -> "preempt"

let show = function
  | Push (i, reason) -> Printf.sprintf "push %d %s" i (show_reason reason)
  | Pop i -> Printf.sprintf "pop %d" i
  | Retract i -> Printf.sprintf "retract %d" i
  | Steal i -> Printf.sprintf "steal %d" i
  | Submit reason -> "submit " ^ show_reason reason
  | Submit_to i -> Printf.sprintf "submit_to %d" i
  | Tick i -> Printf.sprintf "tick %d" i
  | Relieve i -> Printf.sprintf "relieve %d" i

(* Each choice is made in proportion to its weight. *)
let weighted choices =
  Gen.oneof (List.concat_map (fun (n, g) -> List.init n (fun _ -> g)) choices)

let op workers =
  let open Gen in
  let worker = int_bound (workers - 1) in
  let reason =
    oneof
      (List.map return
         [ Hub.New; Hub.New; Hub.Unblock; Hub.Yield; Hub.Preempt ])
  in
  weighted
    [
      (6, map2 (fun i r -> Push (i, r)) worker reason);
      (4, map (fun i -> Pop i) worker);
      (1, map (fun i -> Retract i) worker);
      (4, map (fun i -> Steal i) worker);
      (1, map (fun r -> Submit r) reason);
      (1, map (fun i -> Submit_to i) worker);
      (2, map (fun i -> Tick i) worker);
      (1, map (fun i -> Relieve i) worker);
    ]

let program =
  let open Gen in
  let* workers = int_range 1 4 in
  let* length = oneof [ int_bound 30; int_bound 1500 ] in
  let* ops = list_repeat length (op workers) in
  return (workers, ops)

let print (workers, ops) =
  Printf.sprintf "%d workers: %s" workers
    (String.concat "; " (List.map show ops))

let fail fmt = Printf.ksprintf failwith fmt

type world = {
  hub : int ref Hub.t; (* the task writes a number *)
  there : (int, int option) Hashtbl.t; (* number, and the only able worker *)
  last : (int * int ref Hub.task) option array; (* each worker's last push *)
  mutable next : int;
}

let fresh w target =
  let n = w.next in
  w.next <- n + 1;
  Hashtbl.replace w.there n target;
  (n, Hub.task (fun number -> number := n))

let taken w n i =
  match Hashtbl.find_opt w.there n with
  | None -> fail "task %d came twice" n
  | Some (Some target) when target <> i -> fail "task %d on worker %d" n i
  | Some _ -> Hashtbl.remove w.there n

let got w i = function
  | None -> false
  | Some (task : int ref Hub.task) ->
      let number = ref (-1) in
      task.code number;
      taken w !number i;
      true

let may_run i _ target found =
  found || match target with None -> true | Some target -> target = i

(* [exact]: thieves need no help from a victim. *)
let step ~exact w = function
  | Push (i, reason) ->
      let n, task = fresh w None in
      w.last.(i) <- Some (n, task);
      w.hub.push i reason task
  | Pop i -> ignore (got w i (w.hub.pop i))
  | Retract i -> (
      match w.last.(i) with
      | Some (n, task) -> if w.hub.retract i task then taken w n i
      | None -> ())
  | Steal i ->
      if (not (got w i (w.hub.steal i))) && exact then
        if Hashtbl.fold (may_run i) w.there false then
          fail "worker %d stole nothing, but there is something" i
  | Submit reason -> w.hub.submit reason (snd (fresh w None))
  | Submit_to i -> w.hub.submit_to i Hub.New (snd (fresh w (Some i)))
  | Tick i -> w.hub.tick i
  | Relieve i ->
      w.hub.retire i;
      w.hub.enlist i

(* Every worker pops in turn, until all tasks are gone. *)
let rec drain w rounds =
  if Hashtbl.length w.there > 0 then
    if rounds = 0 then fail "%d tasks are lost" (Hashtbl.length w.there)
    else begin
      for i = 0 to w.hub.size - 1 do
        if not (got w i (w.hub.pop i)) then ignore (got w i (w.hub.steal i))
      done;
      drain w (rounds - 1)
    end

let conserves (maker : Hub.maker) ~exact (workers, ops) =
  let hub = maker.make ~workers in
  let there = Hashtbl.create 64 and last = Array.make workers None in
  let w = { hub; there; last; next = 0 } in
  for i = 0 to workers - 1 do
    hub.enlist i
  done;
  List.iter (step ~exact w) ops;
  drain w 20_000;
  for i = 0 to workers - 1 do
    if got w i (hub.pop i) || got w i (hub.steal i) then fail "one too many"
  done;
  true

let case name maker ~exact =
  let (QCheck2.Test.Test cell as test) =
    QCheck2.Test.make ~name ~count:300 ~print program (conserves maker ~exact)
  in
  Alcotest.test_case (QCheck2.Test.get_name cell) `Quick (fun () ->
      QCheck2.Test.check_exn ~rand:(Random.State.make [| seed |]) test)

(* Tasks taken back leave no growing data: neither their code nor their places,
   although the worker pops nothing meanwhile, and an older task stays below. *)
let forgets (maker : Hub.maker) () =
  let hub = maker.make ~workers:1 in
  hub.enlist 0;
  let push code =
    let task = Hub.task code in
    hub.push 0 Hub.New task;
    task
  in
  let oldest = push ignore in
  let live () =
    Gc.full_major ();
    (Gc.stat ()).live_words
  in
  let before = live () in
  for i = 1 to 100_000 do
    let big = Array.make 8 i in
    let task = push (fun () -> ignore (Sys.opaque_identity big)) in
    if not (hub.retract 0 task) then Alcotest.fail "not taken back"
  done;
  let words = live () - before in
  if words > 10_000 then Alcotest.failf "%d words are left" words;
  let is_oldest = function Some task -> task == oldest | None -> false in
  Alcotest.(check bool) "the oldest is there" true (is_oldest (hub.pop 0));
  Alcotest.(check bool) "and nothing else" false (hub.has_work 0)

(* A task that is moved between two places is briefly in neither, so a worker
   may go to sleep without the task. The hub then notifies the worker, and the
   worker finds the task. *)
let tells (maker : Hub.maker) () =
  let hub = maker.make ~workers:2 in
  hub.enlist 0;
  hub.enlist 1;
  let yielding = Hub.task ignore in
  let rec find () =
    match hub.steal 1 with
    | Some task -> task == yielding || find ()
    | None -> hub.waits_for_answer 1 && find ()
  in
  let told = ref 0 and missed = ref 0 in
  hub.notifier.notify <-
    (fun i ->
      if i = 1 then begin
        incr told;
        if find () then hub.push 0 Hub.Yield yielding else incr missed
      end);
  hub.push 0 Hub.Yield yielding;
  (* The last task of the deque runs before the yielding task. *)
  for _ = 1 to 1000 do
    hub.push 0 Hub.New (Hub.task ignore);
    match hub.pop 0 with
    | Some task when task == yielding -> hub.push 0 Hub.Yield yielding
    | Some _ | None -> ()
  done;
  if !told = 0 then Alcotest.fail "no worker was told";
  Alcotest.(check int) "told in vain" 0 !missed

(* A task is pushed while no thread serves as the other worker, and the task's
   owner does not use the hub any more. *)
let waits_for_a_newcomer (maker : Hub.maker) () =
  let hub = maker.make ~workers:2 in
  hub.enlist 0;
  let first = Hub.task ignore and second = Hub.task ignore in
  let comes what task =
    hub.enlist 1;
    (match hub.steal 1 with
    | Some found -> Alcotest.(check bool) what true (found == task)
    | None -> Alcotest.failf "%s: nothing to take" what);
    hub.retire 1
  in
  hub.push 0 Hub.New first;
  comes "the first to come" first;
  hub.push 0 Hub.New second;
  comes "a task that comes again" second

let newcomer name maker =
  Alcotest.test_case name `Quick (waits_for_a_newcomer maker)

let telling name maker = Alcotest.test_case name `Quick (tells maker)
let forgetful name maker = Alcotest.test_case name `Quick (forgets maker)

let () =
  Printf.printf "DROMOS_SEED=%d\n%!" seed;
  Alcotest.run "hub"
    [
      ( "conservation",
        Dromos_hub.
          [
            case "std" Std.maker ~exact:true;
            case "fifo" Fifo.maker ~exact:true;
            case "hybrid" Hybrid.maker ~exact:true;
            case "private" Private_.maker ~exact:false;
            case "dealing" Dealing.maker ~exact:false;
          ] );
      ( "a deferred task is announced",
        Dromos_hub.[ telling "std" Std.maker; telling "hybrid" Hybrid.maker ] );
      ( "a task waits for a newcomer",
        Dromos_hub.
          [
            newcomer "std" Std.maker;
            newcomer "fifo" Fifo.maker;
            newcomer "hybrid" Hybrid.maker;
            newcomer "dealing" Dealing.maker;
          ] );
      ( "tasks taken back leave nothing",
        Dromos_hub.
          [
            forgetful "std" Std.maker;
            forgetful "fifo" Fifo.maker;
            forgetful "hybrid" Hybrid.maker;
            forgetful "private" Private_.maker;
            forgetful "dealing" Dealing.maker;
          ] );
    ]
