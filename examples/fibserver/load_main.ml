(* The load generator's command line; see Load. Exit status: 0; 1 if a request
   went wrong; 2 for a bad command line. *)

open Example_http

let report (r : Load.result) =
  let ms p = 1000. *. Load.percentile r.latencies p in
  Printf.printf
    "offered    %.1f requests/s, %d sent over at most %d connections\n\
     throughput %.1f right answers/s\n\
     latency    p50 %.2f ms, p90 %.2f ms, p99 %.2f ms, max %.2f ms\n\
     errors     %d wrong, %d failed, %d unanswered\n\
     lag        %.2f ms at most between the intended time and the sending\n"
    r.offered r.sent r.opened r.throughput (ms 0.5) (ms 0.9) (ms 0.99) (ms 1.)
    r.wrong r.failed r.unanswered (1000. *. r.lag)

let main host port rate seconds connections wait expect path =
  match Unix.inet_addr_of_string host with
  | exception Failure _ ->
      Printf.eprintf "load: %S is not the number of an address\n" host;
      2
  | address ->
      Load.precise ();
      let r =
        Lwt_main.run
          (Load.run ~connections ~wait ?expect
             ~address:(ADDR_INET (address, port))
             ~path ~rate ~seconds ())
      in
      report r;
      if Load.errors r = 0 then 0 else 1

open Cmdliner

let rate = Example_options.positive ~most:1e6 "rate"
let time = Example_options.positive ~most:3600. "time"

let connections =
  Example_options.number ~least:1 ~most:900 "number of connections"

let term =
  let opt kind default name docv doc =
    Arg.(value & opt kind default & info [ name ] ~docv ~doc)
  in
  Term.(
    const main
    $ opt Arg.string "127.0.0.1" "host" "ADDRESS" "The server's address."
    $ opt Arg.int 8080 "port" "N" "Its port."
    $ opt rate 50. "rate" "R" "Requests per second."
    $ opt time 5. "seconds" "S" "How long to send."
    $ opt connections 500 "connections" "N" "Connections, at most (900)."
    $ opt time 2. "wait" "S" "How long to wait for the last answers."
    $ Arg.(
        value
        & opt (some string) None
        & info [ "expect" ] ~docv:"BODY" ~doc:"The body of a right answer.")
    $ Arg.(value & pos 0 string "/fib/30" & info [] ~docv:"PATH"))

let () =
  let doc =
    "sends requests at a constant rate and measures from their due times"
  in
  exit (Example_options.status (Cmd.v (Cmd.info "load" ~doc) term))
