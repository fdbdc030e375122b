let cpu () =
  let t = Unix.times () in
  t.tms_utime +. t.tms_stime

(* A line of the process's status, in KiB. *)
let status_kib format =
  match open_in "/proc/self/status" with
  | exception Sys_error _ -> None
  | ic ->
      let rec look () =
        match input_line ic with
        | exception End_of_file -> None
        | line -> (
            match Scanf.sscanf line format Fun.id with
            | kib -> Some kib
            | exception (Scanf.Scan_failure _ | End_of_file | Failure _) ->
                look ())
      in
      Fun.protect ~finally:(fun () -> close_in ic) look

let max_rss_kib () = status_kib "VmHWM: %d kB"
let rss_kib () = status_kib "VmRSS: %d kB"
let now () = 1e-9 *. Int64.to_float (Mtime.to_uint64_ns (Mtime_clock.now ()))
