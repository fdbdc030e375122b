open Conformance

let fifo =
  {
    name = "fifo";
    run = Dromos_fifo.run;
    fork =
      (fun f ->
        let fiber = Dromos_fifo.fork f in
        fun () -> Dromos_fifo.cancel fiber);
    cancels = true;
  }

(* Each task has a scope of its own, so a cancellation reaches the task
   alone. *)
let dromos ~workers hub =
  let fork f =
    let scope = Dromos.Promise.create () in
    let body () =
      match
        Dromos.Scope.run (fun s ->
            Dromos.Promise.resolve scope s;
            f ())
      with
      | () -> ()
      | exception Dromos.Cancelled -> ()
    in
    ignore (Dromos.async body : unit Dromos.Promise.t);
    let scope = Dromos.await scope in
    fun () -> Dromos.Scope.cancel scope
  in
  {
    name = Printf.sprintf "%s-%d" (Dromos.Hub.name hub) workers;
    run = (fun f -> Dromos.run ~workers ~hub f);
    fork;
    cancels = true;
  }

(* A Fifo in a fiber of Dromos: an idle Fifo suspends the fiber. *)
let inside =
  {
    fifo with
    name = "fifo in dromos";
    run = (fun f -> Dromos.run ~workers:2 (fun () -> Dromos_fifo.run f));
  }

let nested =
  {
    fifo with
    name = "fifo in fifo";
    run = (fun f -> Dromos_fifo.run (fun () -> Dromos_fifo.run f));
  }

let schedulers =
  [ fifo; nested; inside ]
  @ List.concat_map
      (fun hub -> [ dromos ~workers:1 hub; dromos ~workers:2 hub ])
      Dromos.Hub.all

let () =
  Watch.suite "conformance" (fun () ->
      Alcotest.run "conformance"
        (List.map (fun s -> (s.name, cases s)) schedulers))
