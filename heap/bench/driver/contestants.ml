open Bench_driver

type t = { scheduler : Scheduler.t; observed : Scheduler.t option }

let elision = "elision"
let stock = "stock"
let variant = "variant"

type asked = {
  programs : string;
  prefix : string list;
  repeats : int;
  limit : float;
  peers : string option;
}

let scheduler ~name ~about ~parallel ~has command =
  {
    Scheduler.name;
    about;
    base = elision;
    parallel;
    has;
    placed = false;
    command =
      (fun ~bench ~placement:_ ~workers ~cutoff:_ ~n ->
        command ~bench ~workers ~n);
  }

(* {1 In OCaml} *)

type ours = {
  name : string;
  about : string;
  runtime : string;  (** the runtime's folder *)
  minor_heap : string option;  (** in words *)
  sequential : bool;
}

let ours =
  let of_runtime runtime ?minor_heap ?(sequential = false) name about =
    { name; about; runtime; minor_heap; sequential }
  in
  let tuned words =
    of_runtime "stock" ~minor_heap:words ("stock-" ^ words)
      (Printf.sprintf "OCaml's own runtime, OCAMLRUNPARAM s=%s words" words)
  in
  [
    of_runtime "stock" ~sequential:true elision
      "OCaml's own runtime, without forks";
    of_runtime "stock" stock "OCaml's own runtime";
    tuned "1M";
    tuned "4M";
    tuned "32M";
    of_runtime "variant" ~sequential:true "variant-elision"
      "leaf heaps, without forks";
    of_runtime "variant" variant "leaf heaps";
  ]

(* Drops the collector settings of the caller's environment. *)
let environment o =
  [ "env"; "-u"; "DROMOS_HEAP"; "-u"; "CAMLRUNPARAM" ]
  @
  match o.minor_heap with
  | None -> [ "-u"; "OCAMLRUNPARAM" ]
  | Some words -> [ "OCAMLRUNPARAM=s=" ^ words ]

let program asked runtime =
  List.fold_left Filename.concat asked.programs [ runtime; "measure.exe" ]

let measure asked o ~repeats ~bench ~workers ~n =
  [
    program asked o.runtime;
    bench;
    "--size";
    string_of_int n;
    "--runs";
    string_of_int repeats;
  ]
  @
  if o.sequential then [ "--sequential" ]
  else [ "--workers"; string_of_int workers ]

let of_ours asked o =
  let has name = Heap_suite.Programs.find name <> None in
  let make =
    scheduler ~name:o.name ~about:o.about ~parallel:(not o.sequential) ~has
  in
  let command ~bench ~workers ~n =
    environment o @ asked.prefix
    @ measure asked o ~repeats:asked.repeats ~bench ~workers ~n
  in
  let observed ~bench ~workers ~n =
    environment o
    @ [
        Filename.concat asked.programs "observe.exe";
        string_of_float asked.limit;
      ]
    @ asked.prefix
    @ measure asked o ~repeats:1 ~bench ~workers ~n
  in
  { scheduler = make command; observed = Some (make observed) }

(* {1 Peers} *)

let peer asked ~name ~about path =
  let has bench =
    List.exists
      (fun (p : Heap_suite.Program.t) -> p.name = bench)
      Heap_suite.Programs.cross_language
  in
  scheduler ~name ~about ~parallel:true ~has (fun ~bench ~workers ~n ->
      asked.prefix
      @ (path :: bench :: List.map string_of_int [ n; workers; asked.repeats ]))

let peers asked sources =
  let of_language (language, name) =
    let script = String.concat "/" [ sources; language; "build.sh" ] in
    let make dir =
      Foreign.call [ "sh"; script; dir ]
      |> Result.map (fun () ->
             [
               peer asked ~name:language ~about:name
                 (Filename.concat dir language);
             ])
    in
    { Foreign.name; make }
  in
  Foreign.build
    (List.map of_language [ ("cpp", "C++"); ("go", "Go"); ("java", "Java") ])

let absent asked =
  let line runtime why =
    if Sys.file_exists (program asked runtime) then None
    else Some (Printf.sprintf "%s/measure.exe is not built: %s" runtime why)
  in
  List.filter_map Fun.id
    [
      line "stock" "OCaml's own runtime is not measured";
      line "variant"
        "the runtime variant, which is for OCaml 5.3 on amd64 Linux, is not \
         measured";
    ]

let all asked =
  let there o = Sys.file_exists (program asked o.runtime) in
  let peers, unbuilt =
    match asked.peers with
    | None -> ([], [])
    | Some sources -> peers asked sources
  in
  let unobserved scheduler = { scheduler; observed = None } in
  ( List.map (of_ours asked) (List.filter there ours) @ List.map unobserved peers,
    absent asked @ unbuilt )
