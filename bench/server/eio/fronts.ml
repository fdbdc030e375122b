open Bench_server
open Fibserver

(* {1 Any way to compute, behind Eio} *)

type env = Eio_unix.Stdenv.base

type start = {
  with_ : 'a. env -> workers:int -> ((int -> int) -> 'a) -> 'a;
      (** [with_ env ~workers f] applies [f] to a function for fibers. *)
}

let serve start ~workers ~ready =
  Eio_posix.run @@ fun env ->
  let stop, stopped = Eio.Promise.create () in
  Parent.watch (fun () -> Eio.Promise.resolve stopped ());
  start.with_ env ~workers (Http.serve ~net:env#net ~ready ~stop)

let once clock compute n =
  let gaps = Gaps.create () in
  let rec ticker () =
    Eio.Time.Mono.sleep clock 0.001;
    Gaps.tick gaps;
    ticker ()
  in
  Eio.Fiber.first ticker (fun () ->
      ignore (compute n : int);
      Gaps.stop gaps);
  gaps

let stall start ~workers ~n ~runs =
  Eio_posix.run @@ fun env ->
  start.with_ env ~workers @@ fun compute ->
  ignore (compute 25 : int);
  List.init runs (fun _ -> once env#mono_clock compute n)

let front name about start =
  {
    Front.name;
    about;
    parallel = true;
    serve = serve start;
    stall = stall start;
  }

(* {1 The ways to compute} *)

(* After Arun's thesis (bench/README.md), section 2.6: the fiber waits for a
   promise that a task of the Domainslib pool resolves. Both schedulers handle
   the effect of the wait. *)
let domainslib =
  let with_ _ ~workers f =
    let open Domainslib in
    let pool = Task.setup_pool ~num_domains:workers () in
    let fork f g =
      let second = Task.async pool g in
      let a = f () in
      (a, Task.await pool second)
    in
    let compute n =
      let promise = Dromos.Promise.create () in
      let task () = Dromos.Promise.resolve promise (Fib.by fork n) in
      ignore (Task.async pool task : unit Task.promise);
      Dromos_eio.wrap (fun () -> Dromos.await promise)
    in
    Fun.protect
      ~finally:(fun () -> Task.teardown_pool pool)
      (fun () -> f compute)
  in
  { with_ }

(* The thesis's "Eio domain manager": requests run side by side on domains of
   Eio, each request in sequence. *)
let executor =
  let with_ (env : env) ~workers f =
    Eio.Switch.run @@ fun sw ->
    let pool =
      Eio.Executor_pool.create ~sw ~domain_count:workers env#domain_mgr
    in
    f (fun n ->
        Eio.Executor_pool.submit_exn pool ~weight:1. (fun () ->
            Fib.sequential n))
  in
  { with_ }

(* A run that accepts tasks from other threads for as long as [f] lasts. *)
let with_run ~workers f =
  let ready = Dromos.Promise.create () and over = Dromos.Promise.create () in
  let body () =
    Dromos.Scope.run (fun scope ->
        Dromos.Promise.resolve ready scope;
        (* The run waits for tasks from other threads: an idle moment is no
           deadlock. *)
        Dromos_suspend.External.incr ();
        Fun.protect ~finally:Dromos_suspend.External.decr (fun () ->
            Dromos.await over))
  in
  let domain =
    Domain.spawn (fun () -> Dromos.run ~workers ~hub:Dromos.Hub.fifo body)
  in
  let scope = Dromos.await ready in
  Fun.protect
    ~finally:(fun () ->
      Dromos.Promise.resolve over ();
      Domain.join domain)
    (fun () -> f scope)

let dromos =
  let with_ _ ~workers f =
    with_run ~workers (fun scope ->
        f (fun n ->
            let task = Dromos.Scope.async scope (fun () -> Fib.dromos n) in
            Dromos_eio.wrap (fun () -> Dromos.await task)))
  in
  { with_ }

let all =
  [
    front "eio-dromos" "Eio; awaits tasks of a Dromos run" dromos;
    front "eio-domainslib"
      "Eio; awaits tasks of a Domainslib pool, through the bridge (the thesis')"
      domainslib;
    front "eio-domains" "Eio; Executor_pool, a request on one domain" executor;
  ]
