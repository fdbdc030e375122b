let plain = "sequential"

let capacity scheduler =
  match String.rindex_opt scheduler '-' with
  | None -> "1"
  | Some i -> (
      let from = i + 1 in
      match String.sub scheduler from (String.length scheduler - from) with
      | "0" -> "1"
      | capacity -> capacity)

let programs =
  [
    "domainslib"; "moonpool-ws"; "moonpool-fifo"; "picos-multififo"; "picos-random";
  ]
[@@ocamlformat "disable"]

let fibers = [ "eio"; "picos-fifo"; "moonpool-tasks"; "systhreads" ]

(* The structures of dromos.sync. *)
let structures =
  [
    "channel-0"; "channel-1"; "channel-16"; "mvar-1"; "stream-1"; "stream-16";
    "stream-1000"; "promises";
  ]
[@@ocamlformat "disable"]

let queues structure =
  let capacity = capacity structure in
  [ "conditions-" ^ capacity; "eio-stream-" ^ capacity ]

let ours =
  [
    ("dromos", programs);
    ("dromos-tasks", fibers);
    ("sched-rr", fibers);
    ("mutex-threads", [ "stdlib-threads" ]);
    ("mutex-domains", [ "stdlib-domains" ]);
    ("pval-ctx", []);
    ("sched-gang", []);
    ("sched-stealing", []);
    ("por", []);
  ]
  @ List.map (fun structure -> (structure, queues structure)) structures

let of_ours scheduler = List.assoc_opt scheduler ours

let take_part scheduler =
  scheduler = plain
  || List.exists
       (fun (own, peers) -> own = scheduler || List.mem scheduler peers)
       ours
