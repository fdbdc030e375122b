(* Tasks driven by hand: random steps, in any domain. Between two steps only the record of
   a task keeps its data alive, so the next step of the task checks every pin of a fork,
   every unpin of a join, every move of a collection, and every free of a cycle. The
   forking task joins its branches, mostly in order. With every third seed a further task
   sometimes joins them, so that no pin expires in their heaps.

   driven.exe SEED DOMAINS STEPS, the steps of each domain. A run with one domain is
   deterministic. *)

open Driven_world

let number i = int_of_string Sys.argv.(i)
let seed, domains, steps = (number 1, number 2, number 3)
let wild = seed mod 3 = 0
let in_order = [| 60; 85; 95; 100 |].(seed / 3 mod 4)

(* {1 Tasks}, those that have ended included *)

(* The data of a suspended task: in the runtime's record if the task has a heap, else here.
   Dromos's fibers do the same. *)
type kept = In_hand of Driven_world.t | In_heap of Task.t ref
type state = Free | Offered | Suspended of kept | Running | Over

type slot = {
  mutable task : Task.t;
  mutable parent : int;
  mutable born : int;
  mutable state : state;
}

let slots =
  Array.init 24 (fun _ ->
      { task = Task.none; parent = 0; born = 0; state = Free })

let mutex = Mutex.create ()
let locked f = Mutex.protect mutex f
let births = ref 0

(* The parent of branches that a domain forks in its own heap, outside all tasks. *)
let home = -1
let task_of i = if i = home then Task.none else slots.(i).task

(* While true, no task is forked, and all tasks come to an end. *)
let ending = Atomic.make false
let ends () = Atomic.get ending

let those may =
  List.filter (fun i -> may slots.(i)) (List.init (Array.length slots) Fun.id)

let any st l = List.nth l (int st (List.length l))

let newest l =
  let younger i j = compare slots.(j).born slots.(i).born in
  List.hd (List.sort younger l)

(* Gives one of the matching slots to the caller; returns its index and former state. *)
let claim may choose =
  locked (fun () ->
      match those may with
      | [] -> None
      | l ->
          let i = choose l in
          let state = slots.(i).state in
          slots.(i).state <- Running;
          Some (i, state))

let let_go i state = locked (fun () -> slots.(i).state <- state)
let is_free s = s.state = Free
let waits s = match s.state with Offered | Suspended _ -> true | _ -> false
let is_to_be_joined s = match s.state with Offered | Over -> true | _ -> false

(* Calls [f] with a slot for one more task, if a slot is free. *)
let with_slot parent f =
  let begin_ (i, _) =
    let task, state = f i in
    locked (fun () ->
        incr births;
        let s = slots.(i) in
        s.task <- task;
        s.parent <- parent;
        s.born <- !births;
        s.state <- state)
  in
  if not (ends ()) then Option.iter begin_ (claim is_free List.hd)

let fork parent part =
  let code () = of_part part in
  with_slot parent (fun _ -> (Task.fork (task_of parent) code, Offered))

let join st by w =
  let may s =
    let others = wild && (ends () || chance st 30) in
    is_to_be_joined s && (s.parent = by || others)
  in
  let choose l = if int st 100 < in_order then newest l else any st l in
  let finish (i, state) =
    let joining = task_of by and task = slots.(i).task in
    if state = Offered then begin
      Check.must "no domain has it" (Task.withdraw joining task);
      Check.must "no domain will" (not (Task.take task))
    end
    else
      Array.iter
        (fun n ->
          look n;
          add st w n)
        (Task.join joining task : node array);
    let_go i Free
  in
  Option.iter finish (claim may choose)

(* {1 Steps of a task} *)

let begins task =
  Check.must "no other domain has it" (Task.take task);
  Task.enter task;
  (Task.code task : Driven_world.t Task.code) ()

(* Resumes the task. Before that, the domain may enter the task's heap and fork there, as
   a worker offers the open frames of a fiber before the fiber is resumed. *)
let goes_on st i kept =
  let task = slots.(i).task in
  let offer n = if chance st 4 then fork i [| n |] in
  match kept with
  | In_hand w ->
      Task.enter task;
      w
  | In_heap token ->
      if chance st 2 then begin
        Task.enter task;
        Check.garbage (int st 200);
        Option.iter offer !(Task.cell task)
      end;
      (Task.resume !token : Driven_world.t)

let suspends task w =
  if Task.has_heap task then begin
    let token = ref task in
    Task.suspend task w token;
    Suspended (In_heap token)
  end
  else begin
    Task.enter Task.none;
    Suspended (In_hand w)
  end

let may_end st i =
  (ends () || chance st 8)
  && ((wild && chance st 20)
     || locked (fun () -> those (fun s -> s.state <> Free && s.parent = i) = [])
     )

let finishes i task result =
  Task.finish task result;
  let leave s = if s.parent = i then s.parent <- home in
  locked (fun () -> Array.iter leave slots);
  Over

let leaves st i task w =
  if may_end st i then finishes i task (part st w) else suspends task w

let look_at_frame st task w =
  if Task.has_heap task then begin
    let cell = Task.cell task in
    Option.iter look !cell;
    cell := Some (pick st w)
  end

(* The domain may step further tasks meanwhile, as a second thread of the domain would. *)
let rec visit st own i w =
  let task = slots.(i).task in
  act st w;
  look_at_frame st task w;
  if chance st 2 then fork i (part st w);
  if ends () || chance st 3 then join st i w;
  if (not (ends ())) && chance st 30 then begin
    step st own;
    Task.enter task
  end;
  act st w;
  leaves st i task w

and begin_root st own =
  with_slot home (fun i ->
      let task = Task.make ~several:(chance st 2) in
      slots.(i).task <- task;
      Task.enter task;
      (task, visit st own i (make st)))

and at_home st own =
  Task.enter Task.none;
  act st own;
  if chance st 3 then begin_root st own;
  if chance st 4 then fork home (part st own);
  if ends () || chance st 4 then join st home own

and in_task st own =
  let go (i, state) =
    let_go i
      (match state with
      | Suspended kept -> visit st own i (goes_on st i kept)
      | _ -> visit st own i (begins slots.(i).task))
  in
  Option.iter go (claim waits (any st))

and step st own = if chance st 10 then at_home st own else in_task st own

(* {1 Rounds}. Domains come and go. Sometimes all tasks come to an end, and no object may
   stay. *)

let steps_of n steps () =
  let st = Random.State.make [| seed; n |] in
  let own = make st in
  Check.repeat steps (fun () -> step st own)

let rec end_all st own = function
  | 0 -> Check.must "all come to an end" false
  | _ when those (fun s -> s.state <> Free) = [] -> ()
  | steps ->
      step st own;
      end_all st own (steps - 1)

let nothing_is_left st own =
  Check.repeat 3 (fun () ->
      let_go_of_all st own;
      Gc.full_major ());
  let words = (Gc.stat ()).live_words in
  Check.must (Printf.sprintf "%d words are left" words) (words < 200_000)

let end_round st own =
  Atomic.set ending true;
  end_all st own 1_000_000;
  nothing_is_left st own;
  Atomic.set ending false

let rec rounds n steps st own =
  let now = min steps 300 in
  let other i = Domain.spawn (steps_of ((n * domains) + i + 1) now) in
  let others = List.init (domains - 1) other in
  Check.repeat now (fun () -> step st own);
  List.iter Domain.join others;
  if now = steps || chance st 2 then end_round st own;
  if now < steps then rounds (n + 1) (steps - now) st own

let run () =
  let st = Random.State.make [| seed |] in
  rounds 0 steps st (make st)

(* The run happens in a child process, so that the parent can print the seed after a
   crash. *)
let () =
  match Unix.fork () with
  | 0 ->
      ignore (Unix.alarm 300 : int);
      run ()
  | child ->
      let ended = snd (Unix.waitpid [] child) = Unix.WEXITED 0 in
      let settings = Option.value (Sys.getenv_opt "DROMOS_HEAP") ~default:"" in
      Printf.printf
        "%s tasks driven by hand: DROMOS_HEAP=%s driven.exe %d %d %d\n"
        (if ended then "PASS" else "FAIL")
        settings seed domains steps;
      if not ended then exit 1
