let cpu () =
  let t = Unix.times () in
  t.tms_utime +. t.tms_stime

let max_rss_kib () =
  match open_in "/proc/self/status" with
  | exception Sys_error _ -> None
  | ic ->
      let rec look () =
        match input_line ic with
        | exception End_of_file -> None
        | line -> (
            match Scanf.sscanf line "VmHWM: %d kB" Fun.id with
            | kib -> Some kib
            | exception (Scanf.Scan_failure _ | End_of_file | Failure _) ->
                look ())
      in
      Fun.protect ~finally:(fun () -> close_in ic) look

let now () = 1e-9 *. Int64.to_float (Mtime.to_uint64_ns (Mtime_clock.now ()))
