(* Fiber-local storage: a new fiber begins with its maker's storage. *)

open With_run
module Fls = Dromos.Fls

let key : string Fls.key = Fls.new_key ()
let look () = Option.value (Fls.find_opt key) ~default:"nothing"

let is what expected got =
  if not (String.equal expected got) then
    raise (Wrong (Printf.sprintf "%s: %s expected, %s found" what expected got))

let bound f = any (fun () -> Fls.let_ key "mine" f)

let dag_look () =
  let found = ref "" and g = Dromos.Dag.create () in
  let a = Dromos.Dag.vertex g ignore in
  Dromos.Dag.precede a (Dromos.Dag.vertex g (fun () -> found := look ()));
  Dromos.Dag.run g;
  !found

let scope_look start =
  let found = ref "" in
  Dromos.Scope.run (fun scope -> start scope (fun () -> found := look ()));
  !found

let ways =
  [
    ("yield", fun () -> Dromos.yield (); look ());
    ("async", fun () -> Dromos.await (Dromos.async look));
    ("Scope.fork", fun () -> scope_look (fun s f -> Dromos.Scope.fork s f));
    ("timeout", fun () -> Dromos.timeout 10. look);
    ("Dag", dag_look);
    ("blocking", fun () -> Dromos.blocking look);
    ( "a run in blocking",
      fun () -> Dromos.blocking (fun () -> Dromos.run ~workers:1 look) );
    ("a run in a run", fun () -> Dromos.run look);
    ("Fifo", fun () -> Dromos.Fifo.run look);
    ("Round_robin", fun () -> Dromos.Sched.Round_robin.run look);
    ("Stealing", fun () -> Dromos.Sched.Stealing.run look);
    ( "Cml.spawn",
      fun () ->
        let found = ref "" in
        Dromos.Sched.Round_robin.run (fun () ->
            Dromos.Sched.Cml.(join (spawn (fun () -> found := look ()))));
        !found );
    ( "protect", fun () -> Dromos.protect look );
  ]
[@@ocamlformat "disable"]

let inherited () =
  List.iter (fun (what, way) -> bound (fun () -> is what "mine" (way ()))) ways;
  bound (fun () ->
      let l = Dromos.Par.List.map ~grain:1 (fun _ -> look ()) [ 1; 2; 3; 4 ] in
      List.iter (is "Par" "mine") l;
      let a, b = Dromos.both look look in
      is "left" "mine" a;
      is "right" "mine" b)

(* A branch taken while its fiber has a later binding does not see the
   binding. *)
let not_what_came_later () =
  parallel (fun () ->
      Fls.let_ key "mine" (fun () ->
          let runs = Atomic.make false in
          let (), found =
            Dromos.both
              (fun () ->
                Fls.let_ key "later" (fun () ->
                    spin_until "the right branch" runs))
              (fun () ->
                Atomic.set runs true;
                look ())
          in
          is "the branch" "mine" found;
          is "after it" "mine" (look ())))

(* A task run in place by its reader does not see the reader's binding, and the
   reader keeps its binding. *)
let task_run_in_place () =
  let two () =
    let task = Fls.let_ key "maker" (fun () -> Dromos.async look) in
    Fls.let_ key "reader" (fun () ->
        is "the task" "maker" (Dromos.await task);
        is "its reader" "reader" (look ()))
  in
  go ~workers:1 two;
  any two

let own_values () =
  let own i () =
    let mine = string_of_int i in
    Fls.let_ key mine (fun () ->
        let (), () = Dromos.both Dromos.yield ignore in
        is "own" mine (look ()))
  in
  any (fun () ->
      Dromos.Par.for_ ~grain:1 0 200 (fun i -> own i ());
      is "the maker" "nothing" (look ()));
  (* All fibers of a Fifo are one fiber of Dromos, but keep their bindings
     apart. *)
  any (fun () ->
      Dromos.Fifo.run (fun () ->
          for i = 1 to 20 do
            ignore
              (Dromos.Fifo.fork (fun () ->
                   Fls.let_ key (string_of_int i) (fun () ->
                       Dromos.Fifo.yield ();
                       is "Fifo" (string_of_int i) (look ());
                       Dromos.sleep 0.001;
                       is "Fifo" (string_of_int i) (look ()))))
          done);
      is "after Fifo.run" "nothing" (look ()))

let blocking () =
  bound (fun () ->
      Dromos.blocking (fun () ->
          Fls.set key "there";
          is "set there" "there" (look ());
          Fls.let_ key "deeper" (fun () -> is "let_" "deeper" (look ()));
          is "after let_" "there" (look ()));
      is "here" "mine" (look ()));
  (* The thread later serves other callers. *)
  any (fun () -> is "a thread's" "nothing" (Dromos.blocking look))

let threads () =
  is "a thread" "nothing" (look ());
  let storage = bound Fls.current in
  let found = ref "" in
  Thread.join (Thread.create (fun () -> found := Fls.within storage look) ());
  is "within" "mine" !found;
  is "this thread" "nothing" (look ());
  match Fls.set key "no" with
  | () -> raise (Wrong "set on a thread: no exception")
  | exception Dromos.Misplaced _ -> ()

let exceptions () =
  let boom () =
    match Fls.let_ key "inner" (fun () -> raise Exit) with
    | () -> raise (Wrong "no exception")
    | exception Exit -> is "after it" "mine" (look ())
  in
  bound (fun () ->
      boom ();
      ignore (Dromos.both boom boom : unit * unit))

let cases =
  [
    case "a new task has its maker's values" inherited;
    case "not values bound later" not_what_came_later;
    case "a task that its reader runs" task_run_in_place;
    case "each its own" own_values;
    case "in blocking" blocking;
    case "on threads" threads;
    case "exceptions" exceptions;
  ]
