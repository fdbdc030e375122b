open Bench_core
open Domainslib

let in_pool pool body =
  let result = Task.run pool body in
  fun () -> result

let elements pool ~n ~cutoff:_ =
  let input = Array.init n Fun.id in
  fun () ->
    in_pool pool (fun () ->
        let squares = Array.make n 0 in
        let square i = squares.(i) <- input.(i) * input.(i) land 1023 in
        Task.parallel_for pool ~start:0 ~finish:(n - 1) ~body:square;
        Task.parallel_for_reduce pool ~start:0 ~finish:(n - 1)
          ~body:(Array.get squares) ( + ) 0)

let tasks pool ~n ~cutoff:_ () =
  in_pool pool (fun () ->
      let made = List.init n (fun i -> Task.async pool (fun () -> i land 1)) in
      List.fold_left (fun sum p -> sum + Task.await pool p) 0 made)

let nested pool ~n ~cutoff:_ () =
  let rec deep d =
    if d = 0 then 0
    else 1 + Task.await pool (Task.async pool (fun () -> deep (d - 1)))
  in
  in_pool pool (fun () -> deep n)

let width = 100

(* A task for each vertex; the task awaits the tasks of the vertices before. *)
let dag pool ~n ~cutoff:_ () =
  let ran = Atomic.make 0 in
  in_pool pool (fun () ->
      let none = Task.async pool ignore in
      let vertices = Array.make n none in
      let vertex i () =
        if i >= width then begin
          Task.await pool vertices.(i - width);
          Task.await pool vertices.(i - width + 1)
        end;
        Atomic.incr ran
      in
      for i = 0 to n - 1 do
        vertices.(i) <- Task.async pool (vertex i)
      done;
      Array.iter (Task.await pool) vertices;
      Atomic.get ran)

let start ~workers =
  let pool = Task.setup_pool ~num_domains:(workers - 1) () in
  let jobs =
    [
      ("grow_elements", Peak.job (elements pool));
      ("grow_tasks", Peak.job (tasks pool));
      ("grow_nested", Peak.job (nested pool));
      ("grow_dag", Peak.job (dag pool));
    ]
  in
  { Contestant.jobs; probes = []; stop = (fun () -> Task.teardown_pool pool) }

let contestants =
  [
    {
      Contestant.name = "domainslib-growth";
      about = "Domainslib's loops, tasks and promises";
      parallel = true;
      start;
    };
  ]
