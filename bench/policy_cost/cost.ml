(* Processor time for each task on one worker, by hub: [cost.exe 5] takes five
   turns over all hubs and prints medians, beside the ratio to the default hub
   in the same turns. *)

let together = 100

let batch n =
  for _ = 1 to n / together do
    List.init together (fun i -> Dromos.async (fun () -> i))
    |> List.iter (fun task -> ignore (Dromos.await task : int))
  done

let chain n =
  for i = 1 to n do
    ignore (Dromos.await (Dromos.async (fun () -> i)) : int)
  done

let yields n =
  let yielding () =
    for _ = 1 to n / 10 do
      Dromos.yield ()
    done
  in
  ignore (Dromos.all (List.init 10 (fun _ -> yielding)) : unit list)

let forks n =
  for _ = 1 to n / together do
    Dromos.Scope.run (fun scope ->
        for i = 1 to together do
          Dromos.Scope.fork scope (fun () -> ignore (Sys.opaque_identity i))
        done)
  done

let jobs =
  [ ("batch", batch); ("chain", chain); ("yield", yields); ("fork", forks) ]

let hubs = Dromos.Hub.[ std; fifo ] @ Bench_policies.Hubs.all
let tasks = 300_000

let nanoseconds hub job =
  Dromos.run ~workers:1 ~hub (fun () ->
      job (tasks / 10);
      let start = Sys.time () in
      job tasks;
      (Sys.time () -. start) /. float tasks *. 1e9)

let median l = List.nth (List.sort Float.compare l) (List.length l / 2)

let () =
  let turns =
    if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 5
  in
  let turn () =
    List.map
      (fun hub -> List.map (fun (_, job) -> nanoseconds hub job) jobs)
      hubs
  in
  let all = List.init turns (fun _ -> turn ()) in
  let medians h =
    List.mapi
      (fun j _ -> median (List.map (fun t -> List.nth (List.nth t h) j) all))
      jobs
  in
  let default = medians 0 in
  Printf.printf "%-14s" "";
  List.iter (fun (name, _) -> Printf.printf "%13s" name) jobs;
  List.iteri
    (fun h hub ->
      Printf.printf "\n%-14s" (Dromos.Hub.name hub);
      List.iter2
        (fun ns base -> Printf.printf "%8.0f %4.2f" ns (ns /. base))
        (medians h) default)
    hubs;
  print_newline ()
