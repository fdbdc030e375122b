(* A real kernel in a guest: policies that stay, policies that are put out,
   policies that are refused, guests that panic, guests that print nothing. No
   result depends on durations. *)

open Dromos_policy_boot

let kernel = Kernel.here ()

let missing =
  Tools.missing [ "qemu"; "clang"; "libbpf"; "cc"; "ldd" ]
  @
  if kernel = None then
    [ "no kernel with sched_ext is here (dromos policy boot fetches one)" ]
  else []

let image () = (Option.get kernel).image

let in_folder f =
  let folder = Filename.temp_dir "boot" ".test" in
  Fun.protect ~finally:(fun () -> Cache.remove folder) (fun () -> f folder)

let read path = In_channel.with_open_bin path In_channel.input_all

let boot ?(trace_bytes = 0) ?(workloads = [ "burst" ]) folder file =
  Boot.run
    {
      kernel = Some (image ());
      nodes = 1;
      plan = { cpus = 2; seconds = 0.2; limit = 120; trace_bytes; workloads };
      folder;
      pages = true;
      say = ignore;
    }
    (let text = read file in
     Source { name = file; text; marked = text })

let says text part =
  if not (Said.contains text part) then
    Alcotest.failf "%S is not in:\n%s" part text

let text outcome = Fmt.str "%a" (Report.pp ~name:"p") outcome

let outcomes outcome =
  List.map
    (fun (row : Rows.row) -> (row.scheduler, row.outcome))
    (Rows.of_outcome outcome)

let test_stays () =
  in_folder @@ fun folder ->
  let o =
    boot ~trace_bytes:4_000_000 ~workloads:[ "burst"; "starve" ] folder
      "fifo.bpf.c"
  in
  if not (Boot.stayed o) then Alcotest.failf "it did not stay:\n%s" (text o);
  Alcotest.(check int) "rows" 4 (List.length (Rows.of_outcome o));
  List.iter
    (fun (row : Rows.row) ->
      let positive = function Some x -> x > 0. | None -> false in
      if not (positive row.rate && positive row.used && positive row.elapsed)
      then Alcotest.failf "no figures:\n%s" (text o))
    (Rows.of_outcome o);
  match o.transcript.guest with
  | Some { tracing = true; _ } ->
      Alcotest.(check int) "traces" 4 (List.length o.traces);
      List.iter
        (fun (r : Outcome.recorded) ->
          says (read r.file) "sched_switch:";
          says (read (Filename.remove_extension r.file ^ ".html")) "<html";
          match r.figures with
          | Error why -> Alcotest.fail why
          | Ok f ->
              Alcotest.(check int) "cores" 2 f.cores;
              Alcotest.(check bool) "switches" true (f.switches > 0))
        o.traces
  | Some _ | None -> print_endline "this kernel records no events: no traces"

(* Whatever a policy does, the guest goes on, and loads the policy again for the
   next workload. *)
let test_put_out () =
  in_folder @@ fun folder ->
  let o = boot ~workloads:[ "burst"; "starve" ] folder "stall.bpf.c" in
  Alcotest.(check bool) "it does not stay" false (Boot.stayed o);
  if o.trouble <> Nothing then Alcotest.fail (text o);
  Alcotest.(check int) "loaded" 2 (List.length o.transcript.loadings);
  says (text o) "runnable task stall";
  List.iter
    (fun (scheduler, outcome) ->
      match ((scheduler : Transcript.scheduler), outcome) with
      | Kernel, None | Policy, Some "put out" -> ()
      | _ -> Alcotest.fail (text o))
    (outcomes o)

let test_refused () =
  in_folder @@ fun folder ->
  let o = boot folder "refused.bpf.c" in
  Alcotest.(check bool) "it does not stay" false (Boot.stayed o);
  says (text o) "the kernel refused to load the policy";
  says (text o) "processed ";
  (* The guest runs no workload without the policy. *)
  Alcotest.(check bool) "no rows" true (Rows.of_outcome o = [])

let write path text =
  Out_channel.with_open_bin path (fun out -> output_string out text)

(* With an empty file system the kernel panics. *)
let start ?(first = 120.) folder =
  let initrd = Filename.concat folder "initrd" in
  write initrd (Cpio.archive []);
  Qemu.boot
    {
      accelerator = Emulated;
      cpus = 1;
      nodes = 1;
      kernel = image ();
      initrd;
      records = true;
      files = Qemu.files folder;
    }
    ~patience:120. ~first ignore

let test_panic () =
  in_folder @@ fun folder ->
  match start folder with
  | Ended -> says (read (Qemu.files folder).console) "Kernel panic"
  | Silent _ | Broken _ -> Alcotest.fail "it did not end by itself"

let test_silent () =
  in_folder @@ fun folder ->
  match start ~first:0. folder with
  | Silent _ -> ()
  | Ended | Broken _ -> Alcotest.fail "it was not stopped"

let test_no_kernel () =
  in_folder @@ fun folder ->
  let file = Filename.concat folder "vmlinuz-none" in
  write file (String.make 5000 'x');
  let settings = Qemu.files folder in
  match
    Qemu.boot
      {
        accelerator = Emulated;
        cpus = 1;
        nodes = 1;
        kernel = file;
        initrd = file;
        records = true;
        files = settings;
      }
      ~patience:60. ~first:60. ignore
  with
  | Broken said -> says said "qemu"
  | Ended | Silent _ -> Alcotest.fail "it booted"

let () =
  match missing with
  | _ :: _ -> print_endline ("nothing is booted: " ^ String.concat "; " missing)
  | [] ->
      Watch.suite "real kernel" @@ fun () ->
      let case name f = Watch.case ~limit:240. name f in
      Alcotest.run "real kernel"
        [
          ( "policies",
            [
              case "a policy that stays" test_stays;
              case "a policy that is put out" test_put_out;
              case "a policy that is refused" test_refused;
            ] );
          ( "guests",
            [
              case "panic" test_panic;
              case "silent" test_silent;
              case "no kernel at all" test_no_kernel;
            ] );
        ]
