(* Quotas of processor time, on invented trees of files. *)

module Cgroup = Dromos_fiber.Cgroup

let number = Alcotest.(option int)
let check = Alcotest.check

(* {1 Formats} *)

let maxima () =
  List.iter
    (fun (text, expected) -> check number text expected (Cgroup.of_max text))
    [
      ("max 100000\n", None);
      ("100000 100000\n", Some 1);
      ("150000 100000\n", Some 2);
      ("200001 100000\n", Some 3);
      ("1000 100000\n", Some 1);
      ("250000\n", Some 3);
      ("max\n", None);
      ("", None);
      ("0 100000", None);
      ("100000 0", None);
      ("-5 100000", None);
      ("a b", None);
      ("1 2 3", None);
    ]

let cfs () =
  List.iter
    (fun (quota, period, expected) ->
      check number quota expected (Cgroup.of_cfs ~quota ~period))
    [
      ("-1\n", "100000\n", None);
      ("50000\n", "100000\n", Some 1);
      ("400000\n", "100000\n", Some 4);
      ("400001\n", "100000\n", Some 5);
      ("", "100000", None);
      ("100000", "", None);
      ("100000", "0", None);
    ]

let groups () =
  let text = "12:pids:/p\n4:cpu,cpuacct:/a:b/c\n0::/user.slice/x\n" in
  check
    Alcotest.(option string)
    "v2" (Some "/user.slice/x") (Cgroup.group V2 text);
  check Alcotest.(option string) "v1" (Some "/a:b/c") (Cgroup.group V1 text);
  check
    Alcotest.(option string)
    "cpuset is another" None
    (Cgroup.group V1 "3:cpuset:/a\n");
  check Alcotest.(option string) "none" None (Cgroup.group V2 "junk\n::\n")

let mounts () =
  let text =
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
     32 31 0:29 /docker/1 /sys/fs/cgroup/cpu\\040x rw,relatime shared:4 \
     master:1 - cgroup cgroup rw,cpu,cpuacct\n\
     33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n\
     34 31 0:31 / /sys/fs/cgroup/unified rw - cgroup2 none rw\n\
     too short\n"
  in
  let pairs = Alcotest.(list (pair string string)) in
  check pairs "v1"
    [ ("/docker/1", "/sys/fs/cgroup/cpu x") ]
    (Cgroup.mounts V1 text);
  check pairs "v2" [ ("/", "/sys/fs/cgroup/unified") ] (Cgroup.mounts V2 text)

(* {1 Trees} *)

let rec make_directory path =
  if not (Sys.file_exists path) then begin
    make_directory (Filename.dirname path);
    Sys.mkdir path 0o755
  end

let rec remove path =
  if Sys.is_directory path then begin
    Array.iter
      (fun name -> remove (Filename.concat path name))
      (Sys.readdir path);
    Sys.rmdir path
  end
  else Sys.remove path

let cpus files =
  let root = Filename.temp_dir "cgroup" "" in
  let write (name, text) =
    make_directory (Filename.dirname (root ^ name));
    Out_channel.with_open_bin (root ^ name) (fun out -> output_string out text)
  in
  List.iter write files;
  Fun.protect ~finally:(fun () -> remove root) (Cgroup.cpus ~root)

let v2_mount at =
  ( "/proc/self/mountinfo",
    Printf.sprintf "30 23 0:26 %s /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n" at
  )

let v1_mount at =
  ( "/proc/self/mountinfo",
    Printf.sprintf
      "31 23 0:27 %s /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" at )

let member text = ("/proc/self/cgroup", text)
let v2 path text = ("/sys/fs/cgroup" ^ path ^ "/cpu.max", text)

let v1 path quota =
  [
    ("/sys/fs/cgroup/cpu" ^ path ^ "/cpu.cfs_quota_us", quota);
    ("/sys/fs/cgroup/cpu" ^ path ^ "/cpu.cfs_period_us", "100000\n");
  ]

let trees () =
  let is what expected files = check number what expected (cpus files) in
  is "no files" None [];
  is "a container of version 2" (Some 2)
    [ member "0::/\n"; v2_mount "/"; v2 "" "150000 100000\n" ];
  is "no quota" None [ member "0::/\n"; v2_mount "/"; v2 "" "max 100000\n" ];
  is "the smallest on the way up" (Some 3)
    [
      member "0::/a/b/c\n";
      v2_mount "/";
      v2 "/a/b/c" "max 100000\n";
      v2 "/a/b" "300000 100000\n";
      v2 "/a" "800000 100000\n";
      v2 "/a/other" "100000 100000\n";
    ];
  is "the group is seen from outside" (Some 4)
    [
      member "0::/docker/1/in\n";
      v2_mount "/docker/1";
      v2 "" "800000 100000\n";
      v2 "/in" "400000 100000\n";
    ];
  is "the group is not under what is mounted" (Some 5)
    [
      member "0::/../other\n";
      v2_mount "/";
      v2 "" "500000 100000\n";
      v2 "/other" "100000 100000\n";
    ];
  is "a container of version 1" (Some 2)
    ([ member "4:cpu,cpuacct:/docker/1\n"; v1_mount "/docker/1" ]
    @ v1 "" "120000\n");
  is "version 1, above it" (Some 1)
    ([ member "4:cpu:/a/b\n0::/a/b\n"; v1_mount "/" ]
    @ v1 "/a/b" "-1\n" @ v1 "/a" "20000\n" @ v1 "" "-1\n");
  is "junk" None [ member "0::/\n"; v2_mount "/"; v2 "" "all of them\n" ]

let here () =
  match Cgroup.cpus () with
  | None -> ()
  | Some n -> if n < 1 then Alcotest.failf "%d processors here" n

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "cgroup"
    [
      ( "formats",
        [
          case "cpu.max" maxima;
          case "cfs" cfs;
          case "groups" groups;
          case "mounts" mounts;
        ] );
      ("trees", [ case "trees" trees; case "here" here ]);
    ]
