(* Tests of the parts of a boot: kernel, programs, first file system, QEMU's
   command. *)

open Dromos_policy_boot

let strings = Alcotest.(list string)
let check = Alcotest.check

let says what text part =
  if not (Said.contains text part) then
    Alcotest.failf "%s: %S is not in:\n%s" what part text

(* {1 Kernels} *)

let config = "CONFIG_SCHED_CLASS_EXT=y\nCONFIG_DEBUG_INFO_BTF=y\n"

let test_config () =
  check strings "all" [] (Kernel.lacks config);
  check strings "none"
    [ "CONFIG_SCHED_CLASS_EXT"; "CONFIG_DEBUG_INFO_BTF" ]
    (Kernel.lacks "# CONFIG_SCHED_CLASS_EXT is not set\n");
  check strings "a module is not enough"
    [ "CONFIG_DEBUG_INFO_BTF" ]
    (Kernel.lacks "CONFIG_SCHED_CLASS_EXT=y\nCONFIG_DEBUG_INFO_BTF=m")

let test_versions () =
  let ints = Alcotest.(list int) in
  check ints "Debian's" [ 6; 18; 15 ] (Kernel.version "6.18.15+deb13-cloud");
  check ints "none" [] (Kernel.version "cloud-amd64");
  check ints "a dot at the end" [ 6 ] (Kernel.version "6.");
  check strings "newest first, those that have sched_ext"
    [
      "linux-binary-7.10.1+deb13-cloud-amd64";
      "linux-binary-7.3.4+deb13-cloud-amd64";
      "linux-image-6.18.5+deb13-cloud-amd64";
    ]
    (Kernel.offered
       (String.concat "\n"
          [
            "linux-image-6.18.5+deb13-cloud-amd64 - Linux 6.18 (signed)";
            "linux-image-6.12.117+deb13-cloud-amd64 - Linux 6.12";
            "linux-image-7.3.4+deb13-cloud-amd64 - Linux 7.3";
            "linux-image-7.3.4+deb13-cloud-amd64-dbg - Linux 7.3";
            "linux-binary-7.3.4+deb13-cloud-amd64 - Linux 7.3";
            "linux-binary-7.10.1+deb13-cloud-amd64 - Linux 7.10";
            "linux-binary-unsigned-7.3.4+deb13-cloud-amd64 - Linux 7.3";
            "linux-image-cloud-amd64 - Linux";
            "";
          ]))

let in_folder f =
  let folder = Filename.temp_dir "boot" ".test" in
  Fun.protect ~finally:(fun () -> Cache.remove folder) (fun () -> f folder)

let write path text =
  Out_channel.with_open_bin path (fun out -> output_string out text)

let refusal f =
  match f () with
  | _ -> Alcotest.fail "not refused"
  | exception Kernel.None_found text -> text

let test_named () =
  in_folder @@ fun folder ->
  let file = Filename.concat folder in
  let choose path = Kernel.choose ~say:ignore (Some path) in
  says "no file" (refusal (fun () -> choose (file "none"))) "no such file";
  write (file "vmlinuz-6.1") "";
  write (file "config-6.1") "CONFIG_DEBUG_INFO_BTF=y\n";
  says "lacks"
    (refusal (fun () -> choose (file "vmlinuz-6.1")))
    "lacks CONFIG_SCHED_CLASS_EXT";
  write (file "config-6.1") config;
  check Alcotest.string "release" "6.1" (choose (file "vmlinuz-6.1")).release;
  Cache.make (file "7.3.4");
  write (file "7.3.4/vmlinuz") "";
  write (file "7.3.4/config") "";
  says "in a folder of its own"
    (refusal (fun () -> choose (file "7.3.4/vmlinuz")))
    "lacks";
  Sys.remove (file "7.3.4/config");
  check Alcotest.string "unknown until it is up" "7.3.4"
    (choose (file "7.3.4/vmlinuz")).release

(* {1 The rest} *)

(* Reads a cpio archive as the kernel does. *)
let read_archive text =
  let number at = int_of_string ("0x" ^ String.sub text at 8) in
  let up n = (n + 3) land lnot 3 in
  let rec go at =
    check Alcotest.string "magic" "070701" (String.sub text at 6);
    let field i = number (at + 6 + (8 * i)) in
    let length = field 6 and name_length = field 11 in
    let name = String.sub text (at + 110) (name_length - 1) in
    let data = up (at + 110 + name_length) in
    let entry = (name, field 1, String.sub text data length) in
    if name = "TRAILER!!!" then [] else entry :: go (up (data + length))
  in
  go 0

let test_cpio () =
  let file path content = Cpio.File { path; mode = 0o755; content } in
  let entries =
    Cpio.with_parents
      [
        Cpio.Directory "dev";
        Cpio.Console "dev/console";
        file "lib/a/b.so" "12345";
        file "lib/a/c.so" "";
        file "init" "#!";
      ]
  in
  check
    Alcotest.(list (triple string int string))
    "archive"
    [
      ("dev", 0o040755, "");
      ("dev/console", 0o020600, "");
      ("lib", 0o040755, "");
      ("lib/a", 0o040755, "");
      ("lib/a/b.so", 0o100755, "12345");
      ("lib/a/c.so", 0o100755, "");
      ("init", 0o100755, "#!");
    ]
    (read_archive (Cpio.archive entries))

let test_command () =
  let command accelerator nodes =
    String.concat " "
      (Qemu.command "qemu"
         {
           accelerator;
           cpus = 8;
           nodes;
           kernel = "/k";
           initrd = "/i";
           records = true;
           files = Qemu.files "/a,b";
         })
  in
  let t = command Emulated 2 in
  List.iter (says "emulated" t)
    [
      "-accel tcg,thread=multi";
      "sockets=2,cores=4";
      "node,nodeid=1,cpus=4-7";
      "path=/a,,b/report.log";
      "tsc=reliable";
    ];
  let t = command Kvm 1 in
  says "KVM" t "-accel kvm -cpu host";
  check Alcotest.bool "no nodes" false (Said.contains t "-numa")

let test_missing () =
  let path = Option.value (Sys.getenv_opt "PATH") ~default:"" in
  Fun.protect ~finally:(fun () -> Unix.putenv "PATH" path) @@ fun () ->
  in_folder @@ fun folder ->
  Unix.putenv "PATH" folder;
  let lines = Tools.missing [ "qemu"; "clang" ] in
  check strings "packages"
    [
      "qemu-system-x86_64 is not installed (Debian package qemu-system-x86)";
      "clang is not installed (Debian package clang, or clang-19)";
    ]
    lines;
  (* A program with a version in its name is accepted, one that cannot be run is
     not. *)
  let clang = Filename.concat folder "clang-19" in
  write clang "";
  check Alcotest.int "not to be run" 1 (List.length (Tools.missing [ "clang" ]));
  Unix.chmod clang 0o755;
  check Alcotest.string "clang-19" clang (Tools.need "clang");
  let of_version name version =
    let path = Filename.concat folder name in
    write path
      (Printf.sprintf "#!/bin/sh\necho 'Some clang version %s (1~some5)'\n"
         version);
    Unix.chmod path 0o755;
    path
  in
  (* A clang that is too old is passed over, also under the usual name. *)
  let old = of_version "clang" "14.0.6" in
  check Alcotest.string "the newer one" clang (Tools.need "clang");
  Sys.remove clang;
  check strings "too old"
    [
      Printf.sprintf
        "clang 18 or later is not installed; %s is version 14 (Debian package \
         clang, or clang-19)"
        old;
    ]
    (Tools.missing [ "clang" ]);
  let new_ = of_version "clang" "18.0.1" in
  check Alcotest.string "new enough" new_ (Tools.need "clang")

let test_headers () =
  in_folder @@ fun folder ->
  let place name version =
    let place = Filename.concat folder name in
    List.iter (fun path -> Unix.mkdir path 0o755) [ place; place ^ "/bpf" ];
    write (place ^ "/bpf/libbpf.h") "";
    Option.iter
      (fun (major, minor) ->
        write
          (place ^ "/bpf/libbpf_version.h")
          (Printf.sprintf
             "#ifndef X\n\
              #define X\n\
              #define LIBBPF_MAJOR_VERSION %d\n\
              #define LIBBPF_MINOR_VERSION %d\n\
              #endif\n"
             major minor))
      version;
    place
  in
  let said = Alcotest.(result string string) in
  let too_old place version =
    Error
      (Printf.sprintf
         "libbpf 1.4 or later is not installed; %s/bpf has version %s (Debian \
          package libbpf-dev, of Debian 13)"
         place version)
  in
  let none = place "none" None and old = place "old" (Some (1, 1)) in
  let good = place "good" (Some (1, 4)) and next = place "next" (Some (2, 0)) in
  check said "none"
    (Error "bpf/libbpf.h is not installed (Debian package libbpf-dev)")
    (Tools.libbpf_in [ folder ]);
  check said "untold" (too_old none "0.0") (Tools.libbpf_in [ folder; none ]);
  check said "the compiler's place" (too_old old "1.1")
    (Tools.libbpf_in [ old; good ]);
  check said "good" (Ok good) (Tools.libbpf_in [ folder; good; old ]);
  check said "next" (Ok next) (Tools.libbpf_in [ next ])

(* A cache entry that is half filled does not count as filled. *)
let test_cache () =
  in_folder @@ fun folder ->
  let place = Filename.concat folder "a/b" in
  let file = Filename.concat place "f" in
  (match Cache.filled place (fun _ -> failwith "half") with
  | _ -> Alcotest.fail "filled"
  | exception Failure _ -> ());
  check Alcotest.bool "nothing is left" true
    (Sys.readdir (Filename.dirname place) = [||]);
  let fill text new_place = write (Filename.concat new_place "f") text in
  ignore (Cache.filled place (fill "1"));
  ignore (Cache.filled place (fill "2"));
  check Alcotest.string "the first" "1"
    (In_channel.with_open_bin file In_channel.input_all)

(* A signal comes while temporary files are removed, and more signals follow. *)
let test_interrupt () =
  let kill () =
    Unix.kill (Unix.getpid ()) Sys.sigterm;
    Unix.sleepf 0.01
  in
  let removed = ref 0 in
  let finally () =
    kill ();
    incr removed
  in
  let rec nested n () =
    if n = 0 then () else Interrupt.protect ~finally (nested (n - 1))
  in
  let interrupted f =
    match Interrupt.heard f with
    | () -> Alcotest.fail "the signal was not heard"
    | exception Interrupt.By signal ->
        check Alcotest.int "signal" Sys.sigterm signal
  in
  interrupted (nested 1);
  check Alcotest.int "removed" 1 !removed;
  interrupted (nested 3);
  check Alcotest.int "all removed" 4 !removed;
  interrupted (fun () -> Interrupt.protect ~finally kill);
  check Alcotest.int "after the first signal too" 5 !removed

(* A process started by the boot ends with it. *)
let test_stopped () =
  let began = Unix.gettimeofday () in
  let asleep () =
    let self = string_of_int (Unix.getpid ()) in
    ignore
      (Tools.read [ "/bin/sh"; "-c"; "kill -TERM " ^ self ^ "; exec sleep 20" ])
  in
  (match Interrupt.heard asleep with
  | () -> Alcotest.fail "the signal was not heard"
  | exception Interrupt.By _ -> ());
  check Alcotest.bool "at once" true (Unix.gettimeofday () -. began < 10.)

(* The error names the file that was refused. *)
let test_write () =
  if Sys.file_exists "/dev/full" then
    Alcotest.check_raises "full"
      (Sys_error "/dev/full: No space left on device") (fun () ->
        Cache.write "/dev/full" "text")

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "needs of a boot"
    [
      ( "kernels",
        [
          case "configuration" test_config;
          case "versions" test_versions;
          case "named" test_named;
        ] );
      ( "machine",
        [
          case "first file system" test_cpio;
          case "QEMU's command" test_command;
          case "the missing parts" test_missing;
          case "headers that are too old" test_headers;
          case "cache" test_cache;
          case "interrupted" test_interrupt;
          case "the started command" test_stopped;
          case "a full disk" test_write;
        ] );
    ]
