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

let rec remove path =
  match (Unix.lstat path).st_kind with
  | S_DIR ->
      Array.iter (fun f -> remove (Filename.concat path f)) (Sys.readdir path);
      Unix.rmdir path
  | _ -> Unix.unlink path
  | exception Unix.Unix_error _ -> ()

let write dir name text =
  Out_channel.with_open_bin (Filename.concat dir name) (fun oc ->
      output_string oc text)

let tool name =
  match Process.find name with
  | Some path -> Ok path
  | None -> Error (name ^ " is not there")

let ( let* ) = Result.bind

(* A build may have to fetch a package. *)
let call argv =
  match Process.run ~limit:300. ~max_rss_mib:4096 argv with
  | Output _ -> Ok ()
  | Failed why -> Error why

let cpp dir =
  write dir "common.hpp" Peer_sources.cpp_common;
  let compile name source ~libraries ~base ~about =
    let path = Filename.concat dir name in
    let file = path ^ ".cpp" in
    write dir (name ^ ".cpp") source;
    let* compiler = tool "g++" in
    let* () =
      call
        ([ compiler; "-O3"; "-std=c++20"; "-pthread"; file; "-o"; path ]
        @ libraries)
    in
    Ok [ scheduler ~name ~base ~about [ path ] ]
  in
  let base = "sequential-cpp" in
  [
    ( "C++",
      compile base Peer_sources.cpp_sequential ~libraries:[] ~base
        ~about:"plain C++" );
    ( "Taskflow",
      compile "taskflow" Peer_sources.cpp_taskflow ~libraries:[] ~base
        ~about:"Runtime::silent_async and corun, for_each_index" );
    ( "oneTBB",
      compile "onetbb" Peer_sources.cpp_onetbb ~libraries:[ "-ltbb" ] ~base
        ~about:"parallel_invoke, parallel_for" );
  ]

let two ~name ~base ~about ~plain command =
  Ok
    [
      scheduler ~name:base ~base ~about:plain (command @ [ "sequential" ]);
      scheduler ~name ~base ~about (command @ [ name ]);
    ]

let subdirectory dir name =
  let path = Filename.concat dir name in
  Unix.mkdir path 0o700;
  path

let rust dir =
  let dir = subdirectory dir "rust" in
  write dir "Cargo.toml" Peer_sources.rust_cargo;
  write (subdirectory dir "src") "main.rs" Peer_sources.rust_main;
  let* cargo = tool "cargo" in
  let target = Filename.concat dir "target" in
  let manifest = Filename.concat dir "Cargo.toml" in
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
    [ Filename.concat target "release/peer" ]

let go dir =
  let dir = subdirectory dir "go" in
  write dir "go.mod" Peer_sources.go_mod;
  write dir "main.go" Peer_sources.go_main;
  let* go = tool "go" in
  let path = Filename.concat dir "peer" in
  let* () = call [ go; "build"; "-C"; dir; "-o"; path; "." ] in
  two ~name:"go" ~base:"sequential-go"
    ~about:"a goroutine and a channel for a fork, a shared counter for a loop"
    ~plain:"plain Go" [ path ]

let java dir =
  let dir = subdirectory dir "java" in
  write dir "Peer.java" Peer_sources.java_peer;
  let* compiler = tool "javac" in
  let* java = tool "java" in
  let* () = call [ compiler; "-d"; dir; Filename.concat dir "Peer.java" ] in
  two ~name:"java" ~base:"sequential-java" ~about:"ForkJoinPool"
    ~plain:"plain Java"
    [ java; "-cp"; dir; "Peer" ]

let build () =
  let dir = Filename.temp_dir "dromos-peers" "" in
  at_exit (fun () -> remove dir);
  let built =
    cpp dir @ [ ("rayon", rust dir); ("Go", go dir); ("Java", java dir) ]
  in
  let absent (name, result) =
    match result with
    | Ok _ -> None
    | Error why ->
        Some
          (Printf.sprintf
             "%s could not be built (%s): nothing is claimed against it" name
             why)
  in
  ( List.concat_map (fun (_, result) -> Result.value ~default:[] result) built,
    List.filter_map absent built )
