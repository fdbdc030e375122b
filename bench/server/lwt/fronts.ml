open Bench_server
open Fibserver
open Lwt.Syntax

(* {1 Any way to compute, behind Lwt} *)

type backend = {
  compute : int -> int Lwt.t;
  stop : unit -> unit Lwt.t;  (** after the last computation *)
}

let serve start ~workers ~ready =
  let socket = Server.listen ~host:"127.0.0.1" ~port:0 in
  Dromos_lwt.run (fun () ->
      let backend = start ~workers in
      let server =
        Server.start ~most:Fib.most ~compute:backend.compute socket
      in
      let over = Dromos.Promise.create () in
      Parent.watch (Dromos.Promise.resolve over);
      ready (Server.port server);
      let* () = Dromos_lwt.of_promise over in
      let* () = Server.stop ~grace:0. server in
      backend.stop ())

let rec ticker gaps =
  let* () = Lwt_unix.sleep 0.001 in
  Gaps.tick gaps;
  ticker gaps

let once compute n =
  let gaps = Gaps.create () in
  let ticker = ticker gaps in
  let* (_ : int) = compute n in
  Gaps.stop gaps;
  Lwt.cancel ticker;
  Lwt.return gaps

let stall start ~workers ~n ~runs =
  Dromos_lwt.run (fun () ->
      let backend = start ~workers in
      let* (_ : int) = backend.compute 25 in
      let* all =
        Lwt_list.map_s
          (fun () -> once backend.compute n)
          (List.init runs (fun _ -> ()))
      in
      let* () = backend.stop () in
      Lwt.return all)

let front name about ?(parallel = true) start =
  { Front.name; about; parallel; serve = serve start; stall = stall start }

(* {1 The ways to compute} *)

let with_pool compute ~workers =
  let pool = Dromos_lwt.Pool.start ~workers ~hub:Dromos.Hub.fifo () in
  { compute = compute pool; stop = (fun () -> Dromos_lwt.Pool.stop pool) }

let dromos pool n = Dromos_lwt.offload ~pool (fun () -> Fib.dromos n)

(* The composition against which Arun's thesis (bench/README.md) warns: parallel,
   but Lwt's thread is blocked until the result is there. *)
let blocking pool n =
  let result = Dromos.Promise.create () in
  let task () = Dromos.Promise.resolve result (Fib.dromos n) in
  let (_ : unit Lwt.t) = Dromos_lwt.offload ~pool task in
  Lwt.return (Dromos.await result)

let inline ~workers:_ =
  { compute = (fun n -> Lwt.return (Fib.sequential n)); stop = Lwt.return }

(* OCaml has at most 128 domains. *)
let most_domains = 100

(* The pool bounds the number of domains: each domain takes a place of the pool. *)
let domains ~workers:_ =
  let places = Lwt_pool.create most_domains Lwt.return in
  let compute n =
    Lwt_pool.use places (fun () ->
        let result = Dromos.Promise.create () in
        let domain =
          Domain.spawn (fun () ->
              Dromos.Promise.resolve result (Fib.sequential n))
        in
        let* x = Dromos_lwt.of_promise result in
        Domain.join domain;
        Lwt.return x)
  in
  { compute; stop = Lwt.return }

let all =
  [
    front "lwt-dromos" "cohttp-lwt; offloaded to a Dromos run"
      (with_pool dromos);
    front "lwt-blocking" "cohttp-lwt; its thread waits for the same run"
      (with_pool blocking);
    front "lwt-inline" "cohttp-lwt; its thread computes" ~parallel:false inline;
    front "lwt-domains"
      (Printf.sprintf "cohttp-lwt; a new domain for each request (at most %d)"
         most_domains)
      ~parallel:false domains;
  ]
