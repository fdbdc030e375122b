(* Lending against a direct computation, in random histories of tasks and
   locks. *)

module Lock_watch = Dromos_sync.Author.Lock_watch

type Lock_watch.id += Numbered of int

type lock = {
  number : int;
  owner : int ref;  (** 0: no owner *)
  mutable line : int list;  (** the waiting tasks, the first first *)
  mutable given : int;
      (** the task that was given the lock and has not run yet; or 0 *)
  seen : Lock_watch.lock;
}

type task = {
  id : int;
  mutable level : int;
  mutable wants : lock option;  (** the lock the task waits for *)
}

type world = {
  tasks : task array;
  locks : lock array;
  mutable graph : Lending.t;
}

let lock number =
  let owner = ref 0 in
  let is = function Numbered n -> n = number | _ -> false in
  let seen =
    { Lock_watch.id = Numbered number; is; owner = (fun () -> !owner) }
  in
  { number; owner; line = []; given = 0; seen }

(* {1 The definition} *)

let greatest = function
  | [] -> None
  | levels -> Some (List.fold_left Int.max min_int levels)

let task world id = world.tasks.(id - 1)

(* The levels lent to the task as a holder of locks. *)
let rec lent_as_holder world id =
  Array.to_list world.locks
  |> List.filter (fun lock -> !(lock.owner) = id)
  |> List.concat_map (fun lock -> List.map (counts world) lock.line)
  |> greatest

and counts world id =
  let { level; _ } = task world id in
  Option.fold (lent_as_holder world id) ~none:level ~some:(Int.max level)

let lent world id =
  let as_holder = lent_as_holder world id in
  match (task world id).wants with
  | Some { owner = { contents = 0 }; line; _ } ->
      greatest (Option.to_list as_holder @ List.map (counts world) line)
  | Some _ | None -> as_holder

(* {1 Steps} *)

let may_run world id =
  match (task world id).wants with None -> true | Some lock -> lock.given = id

let apply world change =
  let before = Array.map (fun t -> Lending.lent world.graph t.id) world.tasks in
  let graph, changed = change world.graph in
  world.graph <- graph;
  Array.iteri
    (fun i { id; _ } ->
      let now = Lending.lent graph id in
      Watch.check
        Alcotest.(option int)
        (Printf.sprintf "lent to %d" id)
        (lent world id) now;
      if now <> before.(i) && may_run world id && not (List.mem id changed) then
        Alcotest.failf "%d was not told" id)
    world.tasks

let holds world id =
  Array.to_list world.locks |> List.filter (fun lock -> !(lock.owner) = id)

(* Locks are taken in ascending order, so there is no cycle. *)
let try_lock world task lock =
  let above held = held.number < lock.number in
  if task.wants = None && List.for_all above (holds world task.id) then
    if !(lock.owner) = 0 && lock.given = 0 && lock.line = [] then
      lock.owner := task.id
    else begin
      task.wants <- Some lock;
      lock.line <- lock.line @ [ task.id ];
      apply world (fun g -> Lending.wait g task.id ~level:task.level lock.seen)
    end

let release world task lock =
  if task.wants = None && !(lock.owner) = task.id then begin
    lock.owner := 0;
    if lock.line <> [] then begin
      apply world (fun g -> Lending.free g task.id lock.seen);
      lock.given <- List.hd lock.line
    end
  end

let leave_line lock id = lock.line <- List.filter (( <> ) id) lock.line

(* The task that was given the lock continues. *)
let go_on world lock =
  if lock.given <> 0 then begin
    let id = lock.given in
    lock.given <- 0;
    leave_line lock id;
    (task world id).wants <- None;
    lock.owner := id;
    apply world (fun g -> Lending.leave g id)
  end

let cancel world task =
  match task.wants with
  | Some lock when lock.given <> task.id ->
      leave_line lock task.id;
      task.wants <- None;
      apply world (fun g -> Lending.leave g task.id)
  | Some _ | None -> ()

let set_level world task level =
  task.level <- level;
  apply world (fun g -> Lending.level g task.id level)

let look world task = apply world (fun g -> Lending.look g task.id)
let draw n = Random.State.int Watch.chance n
let pick a = a.(draw (Array.length a))

let step world =
  let task = pick world.tasks and lock = pick world.locks in
  match draw 12 with
  | 0 | 1 | 2 | 3 -> try_lock world task lock
  | 4 | 5 -> release world task lock
  | 6 | 7 -> go_on world lock
  | 8 -> cancel world task
  | 9 | 10 -> set_level world task (draw 10)
  | _ -> look world task

(* All tasks release, and all waiting tasks have their turn. *)
let rec drain world =
  Array.iter (go_on world) world.locks;
  Array.iter
    (fun lock ->
      if !(lock.owner) <> 0 then release world (task world !(lock.owner)) lock)
    world.locks;
  let busy lock = !(lock.owner) <> 0 || lock.line <> [] in
  if Array.exists busy world.locks then drain world

let level = Alcotest.(option int)

let nothing_left (graph : Lending.t) =
  let none = Lending.By_id.is_empty in
  Watch.check Alcotest.bool "nothing is left" true
    (none graph.groups && none graph.held && none graph.waits && none graph.lent)

let histories () =
  for _ = 1 to 400 do
    let tasks =
      Array.init
        (2 + draw 8)
        (fun i -> { id = i + 1; level = draw 10; wants = None })
    in
    let locks = Array.init (1 + draw 5) lock in
    let world = { tasks; locks; graph = Lending.empty } in
    for _ = 1 to 200 do
      step world
    done;
    drain world;
    nothing_left world.graph
  done

(* A task outside the waiters takes the lock, without announcing its wait. *)
let taken () =
  let l = lock 0 in
  l.owner := 1;
  let graph, told = Lending.(wait empty) 2 ~level:5 l.seen in
  Watch.check Alcotest.(list int) "the holder is told" [ 1 ] told;
  l.owner := 0;
  let graph, _ = Lending.free graph 1 l.seen in
  Watch.check Alcotest.(option int) "before" None (Lending.lent graph 1);
  l.owner := 3;
  let graph, told = Lending.take graph l.seen in
  Watch.check Alcotest.bool "told" true (List.mem 3 told);
  Watch.check Alcotest.(option int) "after" (Some 5) (Lending.lent graph 3)

(* The lock changes hands after a task has announced its wait, and before the
   task is in the queue. When the task looks again, all waiters lend to the
   present holder. *)
let behind_its_back () =
  let l = lock 0 in
  l.owner := 1;
  let graph, _ = Lending.(wait empty) 2 ~level:5 l.seen in
  l.owner := 3;
  let graph, _ = Lending.wait graph 4 ~level:7 l.seen in
  Watch.check level "as far as it is known" (Some 5) (Lending.lent graph 1);
  let graph, told = Lending.look graph 2 in
  Watch.check Alcotest.bool "told" true (List.mem 1 told);
  Watch.check level "no more" None (Lending.lent graph 1);
  let graph, _ = Lending.level graph 2 9 in
  Watch.check level "both lend" (Some 9) (Lending.lent graph 3);
  let graph, _ = Lending.leave graph 2 in
  Watch.check level "one lends" (Some 7) (Lending.lent graph 3);
  nothing_left (fst (Lending.leave graph 4))

(* Some tasks begin to wait before the holder has written its name. *)
let not_named () =
  let l = lock 0 in
  l.owner := 1;
  let graph, _ = Lending.(wait empty) 2 ~level:5 l.seen in
  l.owner := 0;
  let graph, _ = Lending.wait graph 4 ~level:7 l.seen in
  l.owner := 3;
  let graph, told = Lending.wait graph 6 ~level:1 l.seen in
  Watch.check level "lending before the name" (Some 7) (Lending.lent graph 3);
  Watch.check Alcotest.bool "told" true (List.mem 3 told);
  let graph, _ = Lending.leave graph 4 in
  let graph, _ = Lending.look graph 2 in
  Watch.check level "all" (Some 5) (Lending.lent graph 3);
  l.owner := 2;
  let graph, _ = Lending.leave graph 2 in
  Watch.check level "to the next" (Some 1) (Lending.lent graph 2);
  nothing_left (fst (Lending.leave graph 6))

(* The holder releases the lock and takes the lock again; a second task came
   between. *)
let had_again () =
  let l = lock 0 in
  l.owner := 1;
  let graph, _ = Lending.(wait empty) 2 ~level:5 l.seen in
  l.owner := 0;
  let graph, _ = Lending.wait graph 4 ~level:7 l.seen in
  l.owner := 1;
  let graph, told = Lending.look graph 2 in
  Watch.check level "both lend" (Some 7) (Lending.lent graph 1);
  Watch.check Alcotest.(list int) "told" [ 1 ] told;
  let graph, _ = Lending.leave graph 4 in
  nothing_left (fst (Lending.leave graph 2))

(* The last of the tasks that lend to the old holder has the lock now. *)
let the_last_of_them () =
  let l = lock 0 in
  l.owner := 1;
  let graph, _ = Lending.(wait empty) 2 ~level:5 l.seen in
  l.owner := 0;
  let graph, _ = Lending.wait graph 4 ~level:7 l.seen in
  l.owner := 2;
  let graph, _ = Lending.leave graph 2 in
  Watch.check level "lent" (Some 7) (Lending.lent graph 2);
  nothing_left (fst (Lending.leave graph 4))

(* Tasks that wait for each other's locks: the computation ends. *)
let cycle () =
  let n = 6 in
  let locks = Array.init n lock in
  Array.iteri (fun i l -> l.owner := i + 1) locks;
  let graph = ref Lending.empty in
  for i = 0 to n - 1 do
    let next = locks.((i + 1) mod n) in
    graph := fst (Lending.wait !graph (i + 1) ~level:i next.seen)
  done;
  for i = 0 to n - 1 do
    Watch.check
      Alcotest.(option int)
      "the greatest of all"
      (Some (n - 1))
      (Lending.lent !graph (i + 1))
  done;
  for i = 0 to n - 1 do
    graph := fst (Lending.level !graph (i + 1) 0)
  done;
  for i = 0 to n - 1 do
    graph := fst (Lending.leave !graph (i + 1))
  done;
  Watch.check Alcotest.bool "nothing is lent" true
    (Lending.By_id.is_empty !graph.lent)

let () =
  Alcotest.run "lending"
    [
      ( "lending",
        [
          Watch.case "random histories" histories;
          Watch.case "taken" taken;
          Watch.case "behind its back" behind_its_back;
          Watch.case "not named yet" not_named;
          Watch.case "had again" had_again;
          Watch.case "the last of them" the_last_of_them;
          Watch.case "a cycle" cycle;
        ] );
    ]
