(* Behaviour that programs expect of every OCaml runtime, or may hope for: settings, and
   the time and order of finalisers. OCaml's own test suite found the faults behind these
   cases. *)

open Check

(* The output of a child process: this program with other settings. *)
let says settings argument =
  let environment =
    Array.append [| "OCAMLRUNPARAM=" ^ settings |] (Unix.environment ())
  in
  let self = Sys.executable_name in
  let ((from, _, _) as channels) =
    Unix.open_process_args_full self [| self; argument |] environment
  in
  let text = In_channel.input_all from in
  ignore (Unix.close_process_full channels : Unix.process_status);
  text

(* A domain takes its backtrace status from the settings, even if its spawner has changed
   its own status. *)
let backtrace () =
  let of_domain () = Domain.join (Domain.spawn Printexc.backtrace_status) in
  let here = Printexc.backtrace_status () in
  let same = of_domain () = here in
  Printexc.record_backtrace (not here);
  if not (same && of_domain () = here) then print_string "not as it began";
  Printexc.record_backtrace here;
  match failwith "here" with
  | () -> ()
  | exception Failure _ -> print_string (Printexc.get_backtrace ())

let backtraces () =
  let text = says "b" "backtrace" in
  must "a backtrace" (String.starts_with ~prefix:"Raised at" text);
  must "none" (says "b=0" "backtrace" = "")

(* More domains than the default limit. *)
let domains () =
  let go = Atomic.make false in
  let wait () =
    while not (Atomic.get go) do
      Unix.sleepf 0.01
    done
  in
  let all = List.init 139 (fun _ -> Domain.spawn wait) in
  Atomic.set go true;
  List.iter Domain.join all;
  print_string "all"

let many_domains () =
  must "140 domains" (says "d=140" "domains" = "all");
  must "not by default" (says "b=0" "domains" = "")

(* Values that die in the same collection are finalised in the reverse order of
   attachment. *)
let order () =
  let called = ref [] in
  let attach i v = Gc.finalise (fun _ -> called := i :: !called) v in
  for i = 1 to 100 do
    attach i (ref i)
  done;
  Gc.full_major ();
  must "from the last to the first" (!called = List.init 100 succ)

let many () =
  let called = ref 0 in
  for i = 1 to 300_000 do
    Gc.finalise (fun _ -> incr called) (ref i)
  done;
  Gc.full_major ();
  must "all of them" (!called = 300_000)

(* No object lives long here, so no heap grows. *)
let in_time () =
  let called = ref false and n = ref 0 in
  Gc.finalise (fun _ -> called := true) (ref 0);
  while (not !called) && !n < 100_000_000 do
    ignore (Sys.opaque_identity (ref !n));
    incr n
  done;
  must "finalised, sooner or later" !called

(* The address of a block, divided by two: the integer with the bits of the pointer,
   except for the last bit, which the caller has to set. *)
external half_address : 'a -> int = "%identity"

let contended () =
  let all =
    List.init 1000 (fun i ->
        ignore (Sys.opaque_identity (ref i));
        Atomic.make_contended i)
  in
  let right () =
    List.iteri
      (fun i a ->
        must "on a cache line" (half_address a lor 1 land 31 = 5);
        must "its value" (Atomic.get a = i))
      all
  in
  right ();
  Gc.minor ();
  right ();
  Gc.full_major ();
  right ()

(* Each step spawns a domain that ends soon. Neither the domain nor its spawner
   ever fills a nursery; the runtime must collect their garbage all the same. *)
let steps n =
  let before = kib "VmRSS" in
  for _ = 1 to n do
    garbage 5_000;
    Domain.join (Domain.spawn (fun () -> garbage 5_000))
  done;
  must "memory is used again" (kib "VmRSS" - before < 100_000)

let steps_beside_another n =
  let stop = Atomic.make false in
  let idle () =
    while not (Atomic.get stop) do
      Unix.sleepf 0.001
    done
  in
  let other = Domain.spawn idle in
  steps n;
  Atomic.set stop true;
  Domain.join other

(* [Domain.recommended_domain_count] counts the processors that the process may use, not
   the processors of the machine. *)
let processors () =
  let before =
    "taskset -cp $(taskset -cp $$ | grep -o '[0-9]*' | sed -n 2p) $$"
  in
  let status, text = Child.again ~before "one processor" in
  must ("one processor: " ^ text) (status = Unix.WEXITED 0)

let () =
  match Sys.argv with
  | [| _; "backtrace" |] -> backtrace ()
  | [| _; "domains" |] -> domains ()
  | [| _; "one processor" |] -> exit (Domain.recommended_domain_count () - 1)
  | _ ->
      case "backtraces" backtraces;
      case "many domains" many_domains;
      case "recommended domains" processors;
      case "order of finalisers" order;
      case "many finalisers" many;
      case "finalisers in time" in_time;
      case "contended atomics" contended;
      case "a domain at each step" (fun () -> steps 600);
      case "a domain at each step, beside another" (fun () ->
          steps_beside_another 600)
