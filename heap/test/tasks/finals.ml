(* Finalisers of values in heaps in which no task allocates: the heap of a task that waits
   or has ended, and the heap of a domain or a task while the domain runs a second task. A
   task may wait for an action that only a finaliser takes. *)

external suspend : Task.t -> 'a -> 'b ref -> unit = "hh_task_suspend"
external resume : Task.t -> 'a = "hh_task_resume"

let called = Atomic.make 0
let told () = Atomic.get called

(* Attaches a finaliser with the value as argument, and a finaliser without. The
   functions are private too. *)
let[@inline never] attach x =
  let n = ref 1 in
  let call _ = ignore (Atomic.fetch_and_add called !n : int) in
  Gc.finalise call x;
  Gc.finalise_last call x

let must_call what collect =
  Atomic.set called 0;
  collect ();
  Check.must (Printf.sprintf "%s: %d" what (told ())) (told () = 2)

(* The task must get its value back when it resumes. *)
let while_it_waits before collect =
  let task = Task.make ~several:true and token = ref () in
  Task.enter task;
  before ();
  suspend task (List.init 100 string_of_int) token;
  must_call "while it waits" collect;
  Check.must "the value it kept" (List.length (resume task : string list) = 100);
  ignore (Sys.opaque_identity token);
  Task.finish task ();
  (Task.join Task.none task : unit)

let suspended () =
  while_it_waits (fun () -> attach (ref "private")) Gc.full_major

let place = Atomic.make []

(* A cycle must call the finalisers; the test shares enough to make a cycle due. *)
let in_a_cycle () =
  let before () =
    let shared = [ ref 0 ] in
    attach shared;
    Atomic.set place shared;
    Atomic.set place []
  in
  let share () =
    let rounds = ref 0 in
    while told () < 2 && !rounds < 2_000 do
      incr rounds;
      Atomic.set place (List.init 1_000 ref);
      Check.garbage 1_000
    done
  in
  while_it_waits before share

let ended () =
  let task = Task.make ~several:true in
  Task.enter task;
  attach (ref "its own");
  Task.finish task ();
  must_call "before it is joined" Gc.full_major;
  (Task.join Task.none task : unit)

let beneath () =
  let below = Task.make ~several:true and task = Task.make ~several:true in
  Task.enter below;
  Task.enter Task.none;
  attach (ref "the domain's");
  Task.enter task;
  must_call "beneath a task" Gc.full_major;
  Task.enter below;
  attach (ref "another task's");
  Task.enter task;
  must_call "beneath another" Gc.full_major;
  let finish t =
    Task.finish t ();
    (Task.join Task.none t : unit)
  in
  finish task;
  finish below

(* A finaliser wakes a fiber, as in a user's program. If the fiber is never woken, the run
   reports a deadlock and raises. *)
let woken () =
  Dromos.run ~workers:2 (fun () ->
      let p = Dromos.Promise.create () in
      Gc.finalise (fun p -> Dromos.Promise.resolve p ()) p;
      Dromos.Promise.await p)

let () =
  Check.case "a finaliser of a task that waits" suspended;
  Check.case "a finaliser that a cycle finds there" in_a_cycle;
  Check.case "a finaliser of a task that has ended" ended;
  Check.case "a finaliser of a domain in a task's heap" beneath;
  Check.case "a finaliser that wakes a fiber" woken
