open Lwt.Syntax
open Example_http

type figures = {
  p50 : float;
  p99 : float;
  errors : int;
  jobs : float;
  memory : float;
}

(* {1 The server} *)

type server = { pid : int; out : in_channel; port : int }

let start program arguments =
  let out, out_child = Unix.pipe ~cloexec:true () in
  let err = Unix.openfile "/dev/null" [ O_WRONLY; O_CLOEXEC ] 0 in
  let pid =
    Unix.create_process program
      (Array.of_list (program :: "--port" :: "0" :: arguments))
      Unix.stdin out_child err
  in
  Unix.close out_child;
  Unix.close err;
  let out = Unix.in_channel_of_descr out in
  match In_channel.input_line out with
  | Some line ->
      let port = Scanf.sscanf line "web: http://127.0.0.1:%d/" Fun.id in
      { pid; out; port }
  | None ->
      ignore (Unix.waitpid [] pid);
      failwith (String.concat " " (program :: arguments) ^ " does not start")

let address server = Unix.ADDR_INET (Unix.inet_addr_loopback, server.port)

let stop server =
  List.iter
    (fun () ->
      try Unix.kill server.pid Sys.sigterm with Unix.Unix_error _ -> ())
    [ (); () ];
  let _, status = Unix.waitpid [] server.pid in
  close_in server.out;
  match status with
  | WEXITED 0 -> ()
  | WEXITED n -> failwith (Printf.sprintf "the server ended with status %d" n)
  | WSIGNALED n | WSTOPPED n ->
      failwith (Printf.sprintf "the server ended by signal %d" n)

(* The memory counted by Linux; other systems have no such file. *)
let memory server =
  match
    In_channel.with_open_bin
      (Printf.sprintf "/proc/%d/status" server.pid)
      In_channel.input_all
  with
  | exception Sys_error _ -> nan
  | text ->
      let of_line line =
        try Some (Scanf.sscanf line "VmHWM: %d kB" Fun.id)
        with Scanf.Scan_failure _ | Failure _ | End_of_file -> None
      in
      String.split_on_char '\n' text
      |> List.find_map of_line
      |> Option.fold ~none:nan ~some:(fun kb -> float_of_int kb /. 1024.)

(* {1 The load} *)

let job = "/jobs?wait&deadline=3600"

let rec jobs client ~until ended =
  let* answer = Client.request client ~meth:"POST" job in
  let now = Unix.gettimeofday () in
  if answer.status = 200 then ended := now :: !ended;
  if now >= until then Lwt.return_unit else jobs client ~until ended

let busy_client server ~until ended =
  let* client = Client.connect (address server) in
  Lwt.finalize
    (fun () -> jobs client ~until ended)
    (fun () -> Client.close client)

let small = "/documents?q=fold+left&limit=3"

let load server ~rate ~seconds =
  Load.run ~address:(address server) ~path:small ~rate ~seconds ()

(* The number of jobs, divided by the time in which they ended, so that an
   unfinished job does not count. *)
let per_second ~start ended =
  match ended with
  | [] -> 0.
  | last :: _ -> float_of_int (List.length ended) /. (last -. start)

let both server ~busy ~rate ~seconds =
  let* (_ : Load.result) = load server ~rate ~seconds:0.5 in
  let start = Unix.gettimeofday () in
  let ended = ref [] in
  let clients =
    if not busy then []
    else
      List.init 2 (fun _ -> busy_client server ~until:(start +. seconds) ended)
  in
  let* result = load server ~rate ~seconds in
  let* () = Lwt.join clients in
  Lwt.return (result, per_second ~start !ended)

let measure ~server ~arguments ~busy ~rate ~seconds =
  let server = start server arguments in
  match Lwt_main.run (both server ~busy ~rate ~seconds) with
  | exception e ->
      stop server;
      failwith (Printexc.to_string e)
  | result, jobs ->
      let memory = memory server in
      stop server;
      {
        p50 = Load.percentile result.latencies 0.5;
        p99 = Load.percentile result.latencies 0.99;
        errors = Load.errors result;
        jobs;
        memory;
      }
