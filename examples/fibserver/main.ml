(* The Fibonacci server: HTTP on Lwt, the computing on Dromos. See README.md.
   Exit status: 0 after Ctrl-C or SIGTERM; 1 if the port is not available; 2 for
   a bad command line; 130 if Ctrl-C came a third time. *)

open Fibserver
open Lwt.Syntax

let say fmt = Printf.eprintf ("fibserver: " ^^ fmt ^^ "\n%!")

let serve ~host ~most ~grace ~limits socket workers =
  Dromos_lwt.run @@ fun () ->
  (* Oldest request first. *)
  let pool = Dromos_lwt.Pool.start ~workers ~hub:Dromos.Hub.fifo () in
  let compute n = Dromos_lwt.offload ~pool (fun () -> Fib.dromos n) in
  let server = Server.start ~most ~limits ~log:(say "%s") ~compute socket in
  let stop = Server.stop_on_signal ~say:(say "%s") server in
  Printf.printf "fibserver: http://%s:%d/fib/30, %d worker%s, Ctrl-C stops\n%!"
    host (Server.port server) workers
    (if workers = 1 then "" else "s");
  let* () = stop in
  let* () = Server.stop ~grace server in
  let c = Server.counts server in
  say "%d requests: %d answered, %d given up, %d failed; %d more refused"
    c.requests c.answered c.given_up c.failed c.refused;
  Dromos_lwt.Pool.stop pool

let main host port workers most grace limits =
  match Server.listen ~host ~port with
  | socket ->
      serve ~host ~most ~grace ~limits socket workers;
      0
  | exception Failure reason ->
      say "%s" reason;
      1

open Cmdliner
open Example_options

let term =
  let opt kind default name docv doc =
    Arg.(value & opt kind default & info [ name ] ~docv ~doc)
  in
  Term.(
    const main
    $ opt Arg.string "127.0.0.1" "host" "ADDRESS" "The address to listen on."
    $ opt
        (number ~least:0 ~most:65535 "port")
        8080 "port" "N" "The port; 0 takes any free one."
    $ opt
        (number ~least:1 ~most:128 "number of workers")
        (Dromos.default_workers ())
        "workers" "N" "Domains that compute, beside the one that serves."
    $ opt
        (number ~least:0 ~most:Fib.most "number")
        45 "max-n" "N" "The largest number to be asked for."
    $ opt seconds 5. "grace" "S"
        "How long Ctrl-C waits for requests under way, before it gives up on \
         them."
    $ Example_http.Limits.term)

let command =
  let doc = "Fibonacci numbers by HTTP, Lwt in front and Dromos behind" in
  let exits =
    Cmd.Exit.
      [
        info 0 ~doc:"after Ctrl-C or SIGTERM.";
        info 1 ~doc:"if it cannot listen on the port.";
        info 2 ~doc:"on a bad command line.";
        info 130 ~doc:"if Ctrl-C came three times.";
      ]
  in
  Cmd.v (Cmd.info "fibserver" ~doc ~exits) term

let () = exit (status command)
