(* Hooks of workers, and reports to the program. *)

open Common

let place = Domain.DLS.new_key (fun () -> -1)

(* The hooks run in pairs on one domain; each task finds the value left by its
   worker's hook. *)
let pairs () =
  let started = Atomic.make 0 and stopped = Atomic.make 0 in
  let on_worker_start n =
    bool "outside of runs" false (Dromos.inside ());
    Domain.DLS.set place n;
    Atomic.incr started
  in
  let on_worker_stop n =
    int "the same domain" n (Domain.DLS.get place);
    Domain.DLS.set place (-1);
    Atomic.incr stopped
  in
  let t = Runtime.create ~hub ~workers ~on_worker_start ~on_worker_stop () in
  let look _ =
    let n = Runtime.run t (fun () -> Domain.DLS.get place) in
    bool "a worker's number" true (0 <= n && n < workers)
  in
  for _ = 1 to 3 do
    Dromos.run ~workers:2 (fun () ->
        Dromos.Par.Array.iter look (Array.init 300 Fun.id))
  done;
  Runtime.stop t;
  bool "some" true (Atomic.get started > 0);
  int "in pairs" (Atomic.get started) (Atomic.get stopped)

(* Borrowed workers go back to the pool after some rest. *)
let comes_and_goes () =
  let serving = Atomic.make 0 in
  let t =
    Runtime.create ~hub ~workers:3
      ~on_worker_start:(fun _ -> Atomic.incr serving)
      ~on_worker_stop:(fun _ -> Atomic.decr serving)
      ()
  in
  let meet n =
    let all = Latch.create n in
    let tasks =
      List.init n (fun _ ->
          Runtime.submit t (fun () ->
              Latch.count_down all;
              (* Holds its worker until each task has a worker. *)
              while Latch.count all > 0 do
                Domain.cpu_relax ()
              done))
    in
    List.iter Promise.await tasks
  in
  meet 3;
  int "three at work" 3 (Atomic.get serving);
  until "two go" (fun () -> Atomic.get serving = 1);
  meet 3;
  int "three again" 3 (Atomic.get serving);
  Runtime.stop t;
  int "none" 0 (Atomic.get serving)

let raising () =
  let told = Atomic.make 0 in
  let t =
    Runtime.create ~hub ~workers:1
      ~on_unhandled:(fun _ _ -> Atomic.incr told)
      ~on_worker_start:(fun _ -> failwith "on purpose")
      ~on_worker_stop:(fun _ -> raise Exit)
      ()
  in
  int "serves" 1 (Runtime.run t (fun () -> 1));
  Runtime.stop t;
  int "both told" 2 (Atomic.get told)

(* {1 Programs of their own} *)

let ends name =
  let out, into = Unix.pipe ~cloexec:true () in
  let err, err_into = Unix.pipe ~cloexec:true () in
  let program = "ends/ends.exe" in
  let pid =
    Unix.create_process program [| program; name |] Unix.stdin into err_into
  in
  Unix.close into;
  Unix.close err_into;
  let read fd = In_channel.input_all (Unix.in_channel_of_descr fd) in
  let out = read out in
  let err = read err in
  let status =
    match snd (Unix.waitpid [] pid) with
    | Unix.WEXITED n -> n
    | Unix.WSIGNALED _ | Unix.WSTOPPED _ -> -1
  in
  (status, out, err)

let exits name status out () =
  let found, printed, err = ends name in
  int "status" status found;
  Alcotest.(check string) "stdout" out printed;
  Alcotest.(check string) "stderr" "" err

let unhandled () =
  let status, _, err = ends "unhandled" in
  int "status" 0 status;
  let says part = bool (part ^ " in " ^ err) true (Said.contains err part) in
  List.iter says [ "\"mail\""; "\"deliver\""; "no such box"; "Raised at" ]

let case = Watch.case

let cases =
  [
    case "in pairs" pairs;
    case "workers come and go" comes_and_goes;
    case "hooks that raise" raising;
    case "exit, a task waits" (exits "waiting" 0 "begun;cleaned up;");
    case "exit, a task computes" (exits "computing" 0 "begun;");
    case "exit, by a task" (exits "from-a-task" 3 "begun;");
    case "idle: no report" (exits "idle" 0 "42");
    case "fork" (exits "fork" 0 "refused");
    case "unhandled, by default" unhandled;
  ]
