type program =
  | Source of { name : string; text : string; marked : string }
  | Object of string

type plan = {
  cpus : int;
  seconds : float;
  limit : int;
  trace_bytes : int;
  workloads : string list;
}

let workloads =
  [
    ( "barrier",
      "threads, one for each CPU, compute unequal shares and wait for each \
       other" );
    ("barrier2x", "the same with two for each CPU");
    ("forks", "processes that are made, run a program, compute and end");
    ("locks", "threads that take two of many locks, and sleep now and then");
    ("messages", "groups of threads that write to each other over pipes");
    ("starve", "a thread that sleeps most of the time, beside computing ones");
    ("burst", "threads that compute, all ready on one CPU when they begin");
  ]

let read path = In_channel.with_open_bin path In_channel.input_all

let in_temporary f =
  let place = Filename.temp_dir "dromos" ".guest" in
  Interrupt.protect ~finally:(fun () -> Cache.remove place) (fun () -> f place)

(* {1 The policy} *)

let compiled ~name source =
  let clang = Tools.need "clang" in
  in_temporary @@ fun place ->
  let c = Filename.concat place "policy.bpf.c"
  and o = Filename.concat place "policy.bpf.o" in
  Cache.write c (Printf.sprintf "#line 1 %S\n%s" name source);
  let command =
    [ clang; "-g"; "-O2"; "-target"; "bpf"; "-mcpu=v4" ]
    @ [ "-D__TARGET_ARCH_x86"; "-I" ^ Tools.multiarch; "-c"; c; "-o"; o ]
  in
  match Tools.read command with
  | _ -> Ok (read o)
  | exception Tools.Failed said -> Error said

(* True for an ELF file for machine 247, which is BPF. *)
let is_object content =
  String.length content > 64
  && String.starts_with ~prefix:"\x7fELF" content
  && String.get_uint16_le content 18 = 247

(* {1 Programs} *)

let init = [ "init.c"; "places.c"; "children.c"; "record.c" ]
let loader = [ "loader.c"; "topology.c" ]

let work =
  [ "work.c"; "barrier.c"; "forks.c"; "locks.c"; "messages.c"; "starve.c" ]
  @ [ "burst.c" ]

let compile cc place name options sources libraries =
  Tools.run
    ([ cc; "-O2"; "-Wall"; "-o"; Filename.concat place name ]
    @ options
    @ List.map (Filename.concat place) sources
    @ libraries)

(* Only the loader needs libraries in the guest. *)
let make_programs place =
  let cc = Tools.need "cc" in
  ignore (Tools.need "libbpf" : string);
  List.iter
    (fun (name, text) -> Cache.write (Filename.concat place name) text)
    Guest_files.all;
  compile cc place "init" [ "-static" ] init [];
  compile cc place "work" [ "-static"; "-pthread" ] work [];
  compile cc place "loader" [] loader [ "-lbpf" ];
  List.iter
    (fun (name, _) -> Sys.remove (Filename.concat place name))
    Guest_files.all

let programs () =
  let texts = List.concat_map (fun (n, t) -> [ n; t ]) Guest_files.all in
  let digest = Digest.to_hex (Digest.string (String.concat "\000" texts)) in
  let place = Filename.concat (Cache.directory "guest") digest in
  Cache.filled place make_programs

(* The libraries linked to a program: the words of ldd's output that are
   paths. *)
let libraries program =
  Tools.read [ Tools.need "ldd"; program ]
  |> String.split_on_char '\n'
  |> List.concat_map (String.split_on_char ' ')
  |> List.map String.trim
  |> List.filter (String.starts_with ~prefix:"/")
  |> List.sort_uniq compare

(* {1 The file system} *)

let conf plan =
  String.concat ""
    ([
       Printf.sprintf "cpus %d\n" plan.cpus;
       Printf.sprintf "seconds %g\n" plan.seconds;
       Printf.sprintf "limit %d\n" plan.limit;
       Printf.sprintf "trace_bytes %d\n" plan.trace_bytes;
       "policy 1\n";
     ]
    @ List.map (Printf.sprintf "workload %s\n") plan.workloads)

let image plan policy =
  let place = programs () in
  let program name =
    let content = read (Filename.concat place name) in
    Cpio.File { path = name; mode = 0o755; content }
  in
  let library path =
    let path_there = String.sub path 1 (String.length path - 1) in
    Cpio.File { path = path_there; mode = 0o755; content = read path }
  in
  let text path content = Cpio.File { path; mode = 0o644; content } in
  let folders =
    List.map
      (fun path -> Cpio.Directory path)
      [ "dev"; "proc"; "sys"; "tmp"; "root" ]
  in
  Cpio.archive
    (Cpio.with_parents
       (folders
       @ [ Cpio.Console "dev/console" ]
       @ List.map program [ "init"; "work"; "loader" ]
       @ List.map library (libraries (Filename.concat place "loader"))
       @ [ text "boot.conf" (conf plan); text "policy.bpf.o" policy ]))
