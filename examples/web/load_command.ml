(* The load test: a table with a row for each variant of the server. Exit
   status: 0; 1 if a server does not start; 2 for a bad command line. *)

type row = { name : string; arguments : string list; busy : bool }

let row ?(busy = true) name arguments = { name; arguments; busy }

(* [policy name] is the file of a shipped policy. *)
let rows ~policy ~variant =
  let hh l = if variant then l else [] in
  [
    row ~busy:false "no jobs beside the small requests" [];
    row "Dromos, preemption" [];
    row "Dromos, no preemption" [ "--no-preempt" ];
    row "Dromos, preemption, hub of ule_cwc" [ "--policy"; policy "ule_cwc" ];
    row "Dromos, preemption, hub of cfs_cwc" [ "--policy"; policy "cfs_cwc" ];
  ]
  @ hh
      [
        row "Dromos, preemption, `--hh`" [ "--hh" ];
        row "all: preemption, hub of cfs_cwc, `--hh`"
          [ "--hh"; "--policy"; policy "cfs_cwc" ];
      ]
  @ [
      row "Lwt_preemptive" [ "--compute"; "threads" ];
      row "Lwt's own thread" [ "--compute"; "loop" ];
    ]

let median_of value runs =
  let sorted = List.sort Float.compare (List.map value runs) in
  List.nth sorted (List.length sorted / 2)

let print_row name (runs : Rows.figures list) =
  let ms x = 1000. *. x in
  Printf.printf "| %s | %.1f | %.1f | %d | %.2f | %.0f |\n%!" name
    (ms (median_of (fun r -> r.Rows.p50) runs))
    (ms (median_of (fun r -> r.Rows.p99) runs))
    (List.fold_left (fun n r -> n + r.Rows.errors) 0 runs)
    (median_of (fun r -> r.Rows.jobs) runs)
    (median_of (fun r -> r.Rows.memory) runs)

let table ~server ~documents ~policies ~rate ~seconds ~runs ~workers =
  let folder = Filename.dirname server in
  let variant =
    Sys.file_exists (Filename.concat (Filename.concat folder "hh") "main.exe")
  in
  let policy name = Filename.concat policies (name ^ ".policy") in
  let rows = rows ~policy ~variant in
  let common =
    List.concat_map (fun d -> [ "--documents"; d ]) documents
    @ [ "--deadline"; "3600"; "--workers"; string_of_int workers ]
  in
  Printf.printf
    "| %g small requests a second, %g s | p50, ms | p99, ms | errors | jobs/s \
     | MB |\n\
     |---|---|---|---|---|---|\n\
     %!"
    rate seconds;
  (* Round by round, so that a disturbance of the machine affects all rows
     alike. *)
  let measured =
    List.init runs (fun _ ->
        List.map
          (fun { name; arguments; busy } ->
            try
              Rows.measure ~server ~arguments:(common @ arguments) ~busy ~rate
                ~seconds
            with Failure reason -> failwith (name ^ ": " ^ reason))
          rows)
  in
  List.iteri
    (fun i { name; _ } ->
      print_row name (List.map (fun round -> List.nth round i) measured))
    rows

let measure server documents policies rate seconds runs workers =
  Example_http.Load.precise ();
  match table ~server ~documents ~policies ~rate ~seconds ~runs ~workers with
  | () -> 0
  | exception Failure reason ->
      Printf.eprintf "load: %s\n%!" reason;
      1

open Cmdliner

let beside name = Filename.concat (Filename.dirname Sys.executable_name) name

(* The sources of the standard library, and the compiler's interfaces if
   installed. *)
let documents =
  let standard = Documents.Folder.standard in
  List.filter Sys.file_exists
    [ standard; Filename.concat standard "compiler-libs" ]

let number = Example_options.number ~least:1 ~most:128 "number"
let rate = Example_options.positive ~most:1e5 "rate"
let time = Example_options.positive ~most:3600. "time"

let term =
  let opt kind default name docv doc =
    Arg.(value & opt kind default & info [ name ] ~docv ~doc)
  in
  Term.(
    const measure
    $ opt Arg.file (beside "main.exe") "server" "PROGRAM" "The server."
    $ Arg.(
        value & opt_all dir documents
        & info [ "documents" ] ~docv:"DIR" ~doc:"The documents to compare.")
    $ opt Arg.dir "policy/policies" "policies" "DIR" "Where the policies are."
    $ opt rate 50. "rate" "R" "Small requests per second."
    $ opt time 10. "seconds" "S" "How long each row is measured."
    $ opt number 3 "runs" "N" "Rounds; medians are shown."
    $ opt number
        (Dromos.default_workers ())
        "workers" "N" "Domains that compute.")

let main () =
  let doc = "measure each part of the web service under load" in
  Example_options.status (Cmd.v (Cmd.info "web --load" ~doc) term)
