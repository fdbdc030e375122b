type peer = {
  name : string;
  make : string -> (Scheduler.t list, string) result;
}

let build ?(sources = []) peers =
  let dir = Folders.temporary "dromos-peers" in
  Folders.fill dir sources;
  let made = List.map (fun p -> (p.name, p.make dir)) peers in
  let absent (name, result) =
    match result with
    | Ok _ -> None
    | Error why ->
        Some
          (Printf.sprintf
             "%s could not be built (%s): nothing is claimed against it" name
             why)
  in
  ( List.concat_map (fun (_, result) -> Result.value ~default:[] result) made,
    List.filter_map absent made )

(* A build may have to fetch a package. *)
let call argv =
  match Process.run ~limit:300. ~max_rss_mib:4096 argv with
  | Output _ -> Ok ()
  | Failed why -> Error why

let tool name =
  match Process.find name with
  | Some path -> Ok path
  | None -> Error (name ^ " is not there")

let ( let* ) = Result.bind
let ( / ) = Filename.concat

(* {1 The peers of the lab} *)

let benches = [ "fib"; "fib_nocutoff"; "for_irregular"; "matmul" ]

let scheduler ~name ~base ~about command =
  {
    Scheduler.name;
    about;
    base;
    parallel = name <> base;
    has = (fun bench -> List.mem bench benches);
    placed = false;
    command =
      (fun ~bench ~placement:_ ~workers ~cutoff ~n ->
        command
        @ [
            bench; string_of_int n; string_of_int cutoff; string_of_int workers;
          ]);
  }

let cpp ~name ~program ?(source = program) ?(libraries = []) about =
  let make dir =
    let file = dir / "cpp" / (source ^ ".cpp") and path = dir / program in
    let* compiler = tool "g++" in
    let* () =
      call
        ([ compiler; "-O3"; "-std=c++20"; "-pthread"; file; "-o"; path ]
        @ libraries)
    in
    Ok [ scheduler ~name:program ~base:"sequential-cpp" ~about [ path ] ]
  in
  { name; make }

let two ~name ~base ~about ~plain command =
  Ok
    [
      scheduler ~name:base ~base ~about:plain (command @ [ "sequential" ]);
      scheduler ~name ~base ~about (command @ [ name ]);
    ]

let rust dir =
  let* cargo = tool "cargo" in
  let target = dir / "target" and manifest = dir / "rust" / "Cargo.toml" in
  let* () =
    call
      [
        cargo;
        "build";
        "--quiet";
        "--release";
        "--manifest-path";
        manifest;
        "--target-dir";
        target;
      ]
  in
  two ~name:"rayon" ~base:"sequential-rust" ~about:"join, par_iter_mut"
    ~plain:"plain Rust"
    [ target / "release" / "peer" ]

let go dir =
  let* go = tool "go" in
  let path = dir / "go" / "peer" in
  let* () = call [ go; "build"; "-C"; dir / "go"; "-o"; path; "." ] in
  two ~name:"go" ~base:"sequential-go"
    ~about:"a goroutine and a channel for a fork, a shared counter for a loop"
    ~plain:"plain Go" [ path ]

let java dir =
  let* compiler = tool "javac" in
  let* java = tool "java" in
  let dir = dir / "java" in
  let* () =
    call [ compiler; "-d"; dir; dir / "Peer.java"; dir / "Shared.java" ]
  in
  two ~name:"java" ~base:"sequential-java" ~about:"ForkJoinPool"
    ~plain:"plain Java"
    [ java; "-cp"; dir; "Peer" ]

let lab () =
  build ~sources:Peer_sources.files
    [
      cpp ~name:"C++" ~program:"sequential-cpp" ~source:"sequential" "plain C++";
      cpp ~name:"Taskflow" ~program:"taskflow"
        "Runtime::silent_async and corun, for_each_index";
      cpp ~name:"oneTBB" ~program:"onetbb" ~libraries:[ "-ltbb" ]
        "parallel_invoke, parallel_for";
      { name = "rayon"; make = rust };
      { name = "Go"; make = go };
      { name = "Java"; make = java };
    ]
