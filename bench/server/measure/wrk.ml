let program =
  let directories =
    String.split_on_char ':' (Option.value ~default:"" (Sys.getenv_opt "PATH"))
  in
  List.find_map
    (fun d ->
      let path = Filename.concat d "wrk" in
      match Unix.access path [ X_OK ] with
      | () -> Some path
      | exception Unix.Unix_error _ -> None)
    directories

(* 15.13ms, 290.00us, 1.02s, 1.10m *)
let milliseconds text =
  match Scanf.sscanf text "%f%s" (fun x unit_ -> (x, unit_)) with
  | x, "us" -> x /. 1000.
  | x, "ms" -> x
  | x, "s" -> x *. 1000.
  | x, "m" -> x *. 60_000.
  | _ -> failwith (text ^ " in wrk's report")
  | exception (Scanf.Scan_failure _ | Failure _ | End_of_file) ->
      failwith (text ^ " in wrk's report")

let words line =
  List.filter (fun w -> w <> "") (String.split_on_char ' ' (String.trim line))

let figure line =
  match words line with
  | [ "50%"; x ] -> Some ("p50_ms", milliseconds x)
  | [ "90%"; x ] -> Some ("p90_ms", milliseconds x)
  | [ "99%"; x ] -> Some ("p99_ms", milliseconds x)
  | [ "Requests/sec:"; x ] -> Some ("throughput", float_of_string x)
  | "Socket" :: "errors:" :: counts ->
      let number w = int_of_string_opt (List.hd (String.split_on_char ',' w)) in
      let sum = List.fold_left ( + ) 0 (List.filter_map number counts) in
      Some ("errors", float_of_int sum)
  | _ -> None

let figures report =
  let found = List.filter_map figure (String.split_on_char '\n' report) in
  let get name =
    match List.assoc_opt name found with
    | Some x -> (name, x)
    | None when name = "errors" -> (name, 0.)
    | None -> failwith (name ^ " is not in wrk's report")
  in
  List.map get [ "throughput"; "p50_ms"; "p90_ms"; "p99_ms"; "errors" ]

let url address path =
  match address with
  | Unix.ADDR_INET (ip, port) ->
      Printf.sprintf "http://%s:%d%s" (Unix.string_of_inet_addr ip) port path
  | ADDR_UNIX _ -> invalid_arg "Wrk: not an internet address"

let run program ~address ~path ~connections ~seconds =
  let seconds = Int.max 1 (int_of_float (Float.round seconds)) in
  let input =
    Unix.open_process_args_in program
      [|
        program;
        "-t1";
        Printf.sprintf "-c%d" connections;
        Printf.sprintf "-d%ds" seconds;
        "--latency";
        url address path;
      |]
  in
  let report = In_channel.input_all input in
  match Unix.close_process_in input with
  | WEXITED 0 -> figures report
  | WEXITED _ | WSIGNALED _ | WSTOPPED _ -> failwith ("wrk: " ^ report)
