(* Measures the speed of the search of one instance: speed.exe FILE.policy CORES
   THREADS EVENTS [varied]. *)

open Dromos_policy_explore

let report policy bounds promise =
  let i = Instance.make policy promise bounds in
  let cpu = Sys.time () in
  let r = Search.run ~most:20_000_000 i in
  let cpu = Sys.time () -. cpu in
  Printf.printf
    "%s, %s: %s; %d states, %.2f s, %.2f s of a processor, %.0f a second of it\n\
     %!"
    (Promise.name promise) (Bounds.show bounds)
    (match r.outcome with
    | Holds -> "holds"
    | Violated _ -> "violated"
    | Out_of_time | Out_of_room -> "too many states")
    r.states r.seconds cpu
    (float r.states /. cpu)

let () =
  let int i = int_of_string Sys.argv.(i) in
  match Dromos_policy_elaborate.Elaborate.file Sys.argv.(1) with
  | Error _ -> prerr_endline "that policy has faults"
  | Ok { policy; _ } ->
      let bounds =
        {
          Bounds.cores = int 2;
          threads = int 3;
          events = int 4;
          varied = Array.length Sys.argv > 5;
        }
      in
      List.iter (report policy bounds) (Promise.all policy)
