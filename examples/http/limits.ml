type t = { connections : int; head : float; idle : float; stalled : float }

let default = { connections = 900; head = 10.; idle = 60.; stalled = 20. }

let term =
  let open Cmdliner in
  let opt kind default name docv doc =
    Arg.(value & opt kind default & info [ name ] ~docv ~doc)
  in
  let time = Example_options.positive ~most:3600. "time" in
  Term.(
    const (fun connections head idle stalled ->
        { connections; head; idle; stalled })
    $ opt
        (Example_options.number ~least:1 ~most:100_000 "number of connections")
        default.connections "connections" "N"
        "Open connections, at most. For one more, the connection that has \
         waited longest for its client is closed."
    $ opt time default.head "head-time" "S"
        "How long a client may take to send the head of a request."
    $ opt time default.idle "idle-time" "S"
        "How long a connection may be silent between two requests."
    $ opt time default.stalled "stalled-time" "S"
        "How long a client may send nothing of a body, or take nothing of an \
         answer.")

let descriptors () =
  match In_channel.with_open_bin "/proc/self/limits" In_channel.input_all with
  | exception Sys_error _ -> None
  | text ->
      let of_line line =
        try Some (Scanf.sscanf line "Max open files %d" Fun.id)
        with Scanf.Scan_failure _ | Failure _ | End_of_file -> None
      in
      List.find_map of_line (String.split_on_char '\n' text)

let reserve = 64

let within_descriptors t =
  match descriptors () with
  | None -> t
  | Some n ->
      { t with connections = Int.min t.connections (Int.max 1 (n - reserve)) }
