let cores = Domain.recommended_domain_count ()

(* Seconds of all activity except idling and waiting for a disk, from the line
   "cpu user nice system idle iowait irq softirq steal ..". *)
let busy () =
  match In_channel.with_open_text "/proc/stat" In_channel.input_line with
  | exception Sys_error _ -> None
  | None -> None
  | Some line -> (
      try
        Scanf.sscanf line "cpu %d %d %d %d %d %d %d %d"
          (fun user nice system _ _ irq soft steal ->
            let ticks = user + nice + system + irq + soft + steal in
            Some (float_of_int ticks /. 100.))
      with Scanf.Scan_failure _ | End_of_file | Failure _ -> None)

let own () =
  let t = Unix.times () in
  t.tms_utime +. t.tms_stime +. t.tms_cutime +. t.tms_cstime

type mark = { busy : float option; own : float; wall : float }

let mark () = { busy = busy (); own = own (); wall = Bench_core.Usage.now () }

let others before =
  let now = mark () in
  match (before.busy, now.busy) with
  | Some b, Some a ->
      let used = a -. b -. (now.own -. before.own) in
      Float.max 0. (used /. Float.max 0.01 (now.wall -. before.wall))
  | _ -> 0.
