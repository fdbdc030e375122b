type t = { pid : int; input : Unix.file_descr; port : int }

let port_of line =
  match Scanf.sscanf line "port %d" Fun.id with
  | port -> port
  | exception (Scanf.Scan_failure _ | Failure _ | End_of_file) ->
      failwith ("the server's first line is " ^ line)

let rec await pid =
  try ignore (Unix.waitpid [] pid : int * Unix.process_status)
  with Unix.Unix_error (EINTR, _, _) -> await pid

let start argv =
  let argv = Array.of_list argv in
  let theirs_in, input = Unix.pipe ~cloexec:true () in
  let output, theirs_out = Unix.pipe ~cloexec:true () in
  let pid =
    Unix.create_process argv.(0) argv theirs_in theirs_out Unix.stderr
  in
  Unix.close theirs_in;
  Unix.close theirs_out;
  let first = In_channel.input_line (Unix.in_channel_of_descr output) in
  match first with
  | Some line -> { pid; input; port = port_of line }
  | None ->
      await pid;
      failwith "the server did not start"

let address t = Unix.ADDR_INET (Unix.inet_addr_loopback, t.port)

let proc t file =
  In_channel.with_open_text
    (Printf.sprintf "/proc/%d/%s" t.pid file)
    In_channel.input_all

(* Fields 14 and 15, in ticks of 10 ms, counted from after the name, since the
   name may contain any characters. *)
let cpu t =
  match proc t "stat" with
  | exception Sys_error _ -> nan
  | text -> (
      let after = String.rindex text ')' + 2 in
      let rest = String.sub text after (String.length text - after) in
      match
        String.split_on_char ' ' rest
        |> List.filteri (fun i _ -> i = 11 || i = 12)
      with
      | [ user; system ] ->
          float_of_int (int_of_string user + int_of_string system) /. 100.
      | _ -> nan)

let max_rss_kib t =
  match proc t "status" with
  | exception Sys_error _ -> None
  | text ->
      List.find_map
        (fun line ->
          match Scanf.sscanf line "VmHWM: %d kB" Fun.id with
          | kib -> Some kib
          | exception (Scanf.Scan_failure _ | Failure _ | End_of_file) -> None)
        (String.split_on_char '\n' text)

let stop t =
  Unix.close t.input;
  await t.pid
