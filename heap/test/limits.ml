(* Programs that ask for too much, or end badly. An error that raises an exception on
   OCaml's own runtime raises here too; every other program ends with a message, or as
   asked. A case in which the process ends runs this program again, with an argument. *)

open Check

(* {1 Memory} *)

(* 300 GB in sequence, more than the heap has addresses. *)
let addresses () =
  for i = 1 to 3_000 do
    ignore (Sys.opaque_identity (Bytes.create (100_000_000 + (i * 1000))))
  done

(* Blocks of all sizes, some of them kept: the runtime joins free neighbours again. *)
let patchwork () =
  let kept = Array.make 64 Bytes.empty and seed = Random.State.make [| 7 |] in
  for i = 1 to 20_000 do
    let size = 50_000 + Random.State.int seed 3_000_000 in
    let b = Bytes.create size in
    Bytes.set_int64_ne b (size - 8) (Int64.of_int i);
    let k = Random.State.int seed 64 in
    let old = kept.(k) in
    let n = Bytes.length old in
    must "its own" (n = 0 || Int64.to_int (Bytes.get_int64_ne old (n - 8)) < i);
    kept.(k) <- b
  done;
  must "few addresses" ((Gc.quick_stat ()).top_heap_words < 60_000_000)

let page_faults () =
  let stat = In_channel.with_open_text "/proc/self/stat" In_channel.input_all in
  Scanf.sscanf stat "%_d (%_s@) %_c %_d %_d %_d %_d %_d %_u %d" Fun.id

(* Large blocks, of 200 pages and more, that die at once: the runtime keeps their memory
   for the next block. Under the verifier all memory goes back to the system, so page
   faults are not counted there. *)
let at_hand () =
  let verified = Option.is_some (Sys.getenv_opt "DROMOS_HEAP") in
  let before = page_faults () in
  for i = 1 to 1_000 do
    let n = 100_000 + (i land 3 * 30_000) in
    ignore (Sys.opaque_identity (Array.make n i))
  done;
  let faults = page_faults () - before in
  must (Printf.sprintf "%d page faults" faults) (verified || faults < 50_000)

let refused what f =
  match f () with (_ : int) -> must what false | exception Out_of_memory -> ()

(* The fold is never reached: [List.init] raises first. *)
let too_much () =
  refused "a large array" (fun () -> Array.length (Array.make (1 lsl 40) 0));
  refused "large bytes" (fun () -> Bytes.length (Bytes.create (1 lsl 45)));
  refused "several" (fun () ->
      List.init 200 (fun _ -> Bytes.create (1 lsl 45))
      |> List.fold_left (fun n b -> n + Bytes.length b) 0);
  garbage 10_000

(* {1 Stacks} *)

let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)
let bottomless () = deep (-1)

let overflows () =
  (match bottomless () with
  | (_ : int) -> must "there is no bottom" false
  | exception Stack_overflow -> ());
  garbage 10_000;
  must "after that" (deep 1000 = 1000)

type _ Effect.t += Ask : int Effect.t

let in_a_fiber f =
  let effc : type a.
      a Effect.t -> ((a, unit) Effect.Deep.continuation -> unit) option =
    function
    | Ask ->
        Some
          (fun (k : (int, unit) Effect.Deep.continuation) ->
            Effect.Deep.continue k 1)
    | _ -> None
  in
  Effect.Deep.try_with
    (fun () ->
      f ();
      must "asked" (Effect.perform Ask = 1))
    () { effc }

let stack_overflow () =
  overflows ();
  in_a_fiber overflows;
  Domain.join (Domain.spawn overflows);
  Domain.join (Domain.spawn (fun () -> in_a_fiber overflows));
  overflows ()

(* {1 Signals} *)

let right t = Array.iteri (fun i s -> must "its own" (s = string_of_int i)) t

let work () =
  let t = Array.init 2000 string_of_int in
  Gc.minor ();
  garbage 2000;
  Gc.full_major ();
  right t

let collections () = Alarm.during (fun () -> repeat 30 work)

let in_domains () =
  Alarm.during (fun () ->
      repeat 5 (fun () ->
          let ds = List.init 3 (fun _ -> Domain.spawn work) in
          work ();
          List.iter Domain.join ds))

let children () =
  Alarm.during (fun () ->
      repeat 10 (fun () ->
          match Unix.fork () with
          | 0 ->
              work ();
              Unix._exit 3
          | pid ->
              garbage 1000;
              let rec wait () =
                match Unix.waitpid [] pid with
                | _, status -> status
                | exception Unix.Unix_error (EINTR, _, _) -> wait ()
              in
              must "the child's end" (wait () = WEXITED 3)))

(* The system threads of ended domains may still run at the time of the fork. *)
let fork_at_once () =
  repeat 400 (fun () ->
      Domain.join (Domain.spawn ignore);
      match Unix.fork () with
      | 0 ->
          ignore (Unix.alarm 60 : int);
          Gc.minor ();
          Unix._exit 3
      | pid -> must "the child's end" (snd (Unix.waitpid [] pid) = WEXITED 3))

(* Whatever a signal interrupts, the array stays whole. *)
let raising () =
  let t = Array.init 2000 string_of_int and raised = ref 0 in
  let once () =
    garbage 3000;
    Gc.minor ()
  in
  Alarm.during (fun () ->
      for _ = 1 to 300 do
        if Alarm.interrupted once = None then incr raised;
        right t
      done);
  must "some were raised" (!raised > 0)

exception Now

let finalisers () =
  let raised = ref 0 and called = ref 0 in
  for i = 1 to 50 do
    let attach () =
      Gc.finalise
        (fun _ ->
          incr called;
          garbage 100;
          raise Now)
        (ref i)
    in
    attach ();
    match Gc.full_major () with () -> () | exception Now -> incr raised
  done;
  let rec rest n =
    if n > 0 then
      match Gc.full_major () with
      | () -> rest (n - 1)
      | exception Now ->
          incr raised;
          rest n
  in
  rest 3;
  must "each once, each raised" (!called = 50 && !raised = 50)

(* {1 The end} *)

let endings =
  let busy () =
    while true do
      garbage 100
    done
  in
  let started f =
    let there = Atomic.make false in
    let d : unit Domain.t =
      Domain.spawn (fun () ->
          Atomic.set there true;
          f ())
    in
    while not (Atomic.get there) do
      Domain.cpu_relax ()
    done;
    d
  in
  [
    ( "exit-others-run",
      Unix.WEXITED 4,
      fun () ->
        ignore (List.init 3 (fun _ -> started busy) : unit Domain.t list);
        garbage 10_000;
        exit 4 );
    ( "exit-in-a-domain",
      WEXITED 5,
      fun () -> Domain.join (started (fun () -> exit 5)) );
    ( "at-exit-collects",
      WEXITED 6,
      fun () ->
        at_exit work;
        ignore (started busy : unit Domain.t);
        exit 6 );
    ( "uncaught",
      WEXITED 2,
      fun () ->
        ignore (started busy : unit Domain.t);
        raise Not_found );
    ( "exits-at-the-same-time",
      WEXITED 7,
      fun () ->
        ignore
          (List.init 3 (fun _ -> started (fun () -> exit 7))
            : unit Domain.t list);
        busy () );
    ( "spawn-at-exit",
      WEXITED 0,
      fun () -> at_exit (fun () -> Domain.join (Domain.spawn work)) );
    ( "fork-after-domains",
      WEXITED 0,
      fun () ->
        Domain.join (started work);
        children ();
        Domain.join (started work) );
    ("fork-at-once", WEXITED 0, fork_at_once);
    ( "fork-beside-domains",
      WEXITED 0,
      fun () ->
        ignore (started busy : unit Domain.t);
        match Unix.fork () with
        | 0 -> Unix._exit 0
        | _ -> exit 1
        | exception Failure _ -> exit 0 );
  ]

(* {1 Limits set from outside} *)

let outside =
  [
    ("little-addresses", "ulimit -v 1000000", Some (Unix.WEXITED 0), work);
    ("little-data", "ulimit -d 1000000", Some (WEXITED 0), work);
    ( "an-array-too-large",
      "ulimit -v 1000000",
      Some (WEXITED 0),
      fun () ->
        refused "an array" (fun () -> Array.length (Array.make 200_000_000 0));
        work () );
    ( "many-domains",
      "ulimit -v 2000000",
      None,
      fun () ->
        match List.init 100 (fun _ -> Domain.spawn work) with
        | ds -> List.iter Domain.join ds
        | exception Failure _ -> exit 0 );
    ( "ever-more",
      "unset DROMOS_HEAP; ulimit -v 1000000",
      None,
      fun () ->
        let rec more l n = more (string_of_int n :: l) (n + 1) in
        more [] 0 );
    ("no-addresses", "ulimit -v 40000", None, work);
    ("bottomless", "ulimit -s 8192", Some (WEXITED 0), overflows);
    ( "bottomless, by OCaml's limit",
      "export OCAMLRUNPARAM=l=1M",
      Some (WEXITED 0),
      stack_overflow );
  ]

let ends (name, expected, _) =
  let status, text = Child.again name in
  must
    (Printf.sprintf "%s: %s, %s" name (Child.said status) text)
    (status = expected)

(* The program ends with a message, at worst with an abort; a crash is a failure. *)
let holds (name, before, expected, _) =
  let status, text = Child.again ~before name in
  let told =
    Said.contains text "memory" || Said.contains text "cannot reserve"
  in
  must
    (Printf.sprintf "%s: %s, %s" name (Child.said status) text)
    (match (expected, status) with
    | Some e, s -> s = e
    | None, WEXITED 0 -> true
    | None, (WEXITED 2 | WSIGNALED _) -> told && status <> WSIGNALED Sys.sigsegv
    | None, _ -> false)

let all () =
  case "addresses are used again" addresses;
  case "all sizes" patchwork;
  case "memory is at hand" at_hand;
  case "too much is refused" too_much;
  case "signals in collections" collections;
  case "signals and domains" in_domains;
  case "signals that raise" raising;
  case "finalisers that raise" finalisers;
  case "endings" (fun () -> List.iter ends endings);
  case "limits from outside" (fun () -> List.iter holds outside)

let () =
  match Sys.argv with
  | [| _; name |] -> (
      match List.find_opt (fun (n, _, _) -> n = name) endings with
      | Some (_, _, f) -> f ()
      | None ->
          let _, _, _, f = List.find (fun (n, _, _, _) -> n = name) outside in
          f ())
  | _ -> all ()
