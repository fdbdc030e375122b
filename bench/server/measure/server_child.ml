open Example_http
open Fibserver

let fronts = Bench_server_lwt.Fronts.all @ Fronts_eio.all

let missing =
  if Fronts_eio.all = [] then
    [
      "Eio and Domainslib are not both installed as findlib libraries: servers \
       on them are not compared";
    ]
  else []

let serving = "--serve-in-this-process"

let front name =
  match List.find_opt (fun f -> f.Bench_server.Front.name = name) fronts with
  | Some front -> front
  | None -> failwith ("no server is called " ^ name)

let print figures =
  let number (name, x) = Printf.sprintf "%S: %.9g" name x in
  Printf.printf "{\"figures\": {%s}}\n%!"
    (String.concat ", "
       (List.filter_map
          (fun (name, x) ->
            if Float.is_finite x then Some (number (name, x)) else None)
          figures))

(* {1 Load} *)

let path n = Printf.sprintf "/fib/%d" n

let load server ~rate ~seconds n =
  Lwt_main.run
    (Load.run ~address:(Served.address server) ~path:(path n) ~rate ~seconds
       ~expect:(string_of_int (Fib.sequential n) ^ "\n")
       ())

(* Big requests, one after another on one connection, beside the small
   requests. *)
let mixed server ~rate ~seconds n =
  let open Lwt.Syntax in
  let big = ref 0 in
  let rec one_after_the_other client =
    let* _ = Client.get client (path n) in
    incr big;
    one_after_the_other client
  in
  let small = 10 in
  let result =
    Lwt_main.run
      (let* client = Client.connect (Served.address server) in
       let loop = one_after_the_other client in
       let* result =
         Load.run ~address:(Served.address server) ~path:(path small) ~rate
           ~seconds
           ~expect:(string_of_int (Fib.sequential small) ^ "\n")
           ()
       in
       Lwt.cancel loop;
       let* () = Client.close client in
       Lwt.return result)
  in
  (result, float_of_int !big /. seconds)

let of_load (r : Load.result) =
  let ms p = 1000. *. Load.percentile r.latencies p in
  [
    ("throughput", r.throughput);
    ("p50_ms", ms 0.5);
    ("p90_ms", ms 0.9);
    ("p99_ms", ms 0.99);
    ("max_ms", ms 1.);
    ("errors", float_of_int (Load.errors r));
    ("lag_ms", 1000. *. r.lag);
  ]

(* Warms the server up: before its first answers, a server grows heaps and
   starts domains. *)
let warm server = ignore (load server ~rate:50. ~seconds:0.3 25 : Load.result)

let with_server front ~workers f =
  let server =
    Served.start [ Sys.executable_name; serving; front; string_of_int workers ]
  in
  Fun.protect ~finally:(fun () -> Served.stop server) @@ fun () ->
  warm server;
  let cpu = Served.cpu server in
  let figures = f server in
  let used = Served.cpu server -. cpu in
  figures
  @ ("cpu_s", used)
    ::
    (match Served.max_rss_kib server with
    | Some kib -> [ ("max_rss_mib", float_of_int kib /. 1024.) ]
    | None -> [])

(* {1 The ticker} *)

let stall name ~workers ~n =
  let gaps = (front name).stall ~workers ~n ~runs:10 in
  let sorted f =
    let a = Array.of_list (List.map f gaps) in
    Array.sort Float.compare a;
    a
  in
  let longest = sorted Bench_server.Gaps.longest in
  let fib = sorted Bench_server.Gaps.seconds in
  let ms a p = 1000. *. Load.percentile a p in
  [
    ("longest_ms", ms longest 1.);
    ("p50_of_longest_ms", ms longest 0.5);
    ("fib_ms", ms fib 0.5);
  ]

(* {1 The child} *)

let measure (job : Bench_core.Server_job.t) =
  let { Bench_core.Server_job.server; workers; load = amount; seconds; n; _ } =
    job
  in
  match (job.bench, Wrk.program) with
  | "fibserver", _ ->
      with_server server ~workers (fun server ->
          of_load (load server ~rate:(float_of_int amount) ~seconds n))
  | "fibserver_mixed", _ ->
      with_server server ~workers (fun server ->
          let small, big =
            mixed server ~rate:(float_of_int amount) ~seconds n
          in
          of_load small @ [ ("big_per_s", big) ])
  | "fibserver_wrk", Some wrk ->
      with_server server ~workers (fun server ->
          Wrk.run wrk ~address:(Served.address server) ~path:(path n)
            ~connections:amount ~seconds)
  | "ticker", _ -> stall server ~workers ~n
  | bench, _ -> failwith ("no measurement of servers is called " ^ bench)

let main arguments =
  match (Bench_core.Server_job.of_arguments arguments, arguments) with
  | Some job, _ ->
      (* Without the driver, no other process would end a hanging child. *)
      ignore (Unix.alarm 900);
      Load.precise ();
      print (measure job);
      true
  | None, [ flag; name; workers ] when flag = serving ->
      (front name).serve ~workers:(int_of_string workers)
        ~ready:(Printf.printf "port %d\n%!");
      true
  | None, _ -> false
