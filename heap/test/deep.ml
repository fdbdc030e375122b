(* Deep stacks. A young collection scans a whole stack, so young collections have to
   become rarer as a stack grows deeper. Values on a deep stack must survive, in the main
   fiber, in other fibers, in domains and in threads. *)

open Check

(* Each frame holds a string, and checks the string on the way back. *)
let rec down n last =
  if n = 0 then last ()
  else
    let s = string_of_int n in
    let sum = down (n - 1) last in
    must "its own" (int_of_string s = n);
    sum + 1

let right n last = must "as deep as asked" (down n last = n)
let nothing () = 0

type _ Effect.t += Pass : (unit -> int) -> int Effect.t

(* The handler calls the function that the effect carries, below the fiber. *)
let in_a_fiber f =
  let effc : type a.
      a Effect.t -> ((a, unit) Effect.Deep.continuation -> unit) option =
    function
    | Pass g ->
        Some
          (fun (k : (int, unit) Effect.Deep.continuation) ->
            Effect.Deep.continue k (g ()))
    | _ -> None
  in
  Effect.Deep.try_with f () { effc }

let in_a_domain f = Domain.join (Domain.spawn f)
let in_a_thread f = Thread.join (Thread.create f ())

let everywhere f =
  f ();
  in_a_fiber f;
  in_a_domain f;
  in_a_domain (fun () -> in_a_fiber f);
  in_a_thread f

let young () = (Gc.quick_stat ()).minor_collections

(* The area to fill before a young collection grows with the stack: a stack sixteen times
   as deep does not cause sixteen times as many collections. *)
let rarely () =
  let collections n =
    let before = young () in
    right n nothing;
    young () - before
  in
  let few = collections 50_000 in
  let more = collections 800_000 in
  must (Printf.sprintf "%d, then %d" few more) (more < 8 * few)

(* Collections are rarer also while a second thread has a deep stack. *)
let beside () =
  let collections () =
    let before = young () in
    repeat 200 (fun () -> garbage 2_000);
    young () - before
  in
  let many = collections () in
  let there = ref false and over = ref false in
  let wait () =
    there := true;
    while not !over do
      Thread.delay 0.001
    done;
    0
  in
  let t = Thread.create (fun () -> right 400_000 wait) () in
  while not !there do
    Thread.delay 0.001
  done;
  Gc.minor ();
  let fewer = collections () in
  over := true;
  Thread.join t;
  must (Printf.sprintf "%d, then %d" many fewer) (2 * fewer < many)

let collected () =
  everywhere (fun () ->
      right 50_000 (fun () ->
          Gc.minor ();
          Gc.full_major ();
          garbage 10_000;
          0))

(* Each domain collects while the stacks of the other domains are deep. *)
let together () =
  in_all 3 (fun _ () ->
      right 50_000 (fun () ->
          Gc.full_major ();
          garbage 1_000;
          0))

exception Out of string

let raised () =
  everywhere (fun () ->
      match
        down 100_000 (fun () ->
            garbage 10_000;
            raise (Out (string_of_int (down 10_000 nothing))))
      with
      | (_ : int) -> must "it is raised" false
      | exception Out s -> must "its argument" (s = "10000"))

(* The fiber has a deep stack, and its handler makes a second deep stack meanwhile. *)
let performed () =
  let f () =
    in_a_fiber (fun () ->
        let below () =
          down 20_000 (fun () ->
              Gc.minor ();
              0)
        in
        right 40_000 (fun () -> Effect.perform (Pass below) - 20_000))
  in
  everywhere f

(* One domain suspends the fiber; a second domain resumes the fiber. *)
let moved () =
  let kept = ref None in
  let effc : type a.
      a Effect.t -> ((a, unit) Effect.Deep.continuation -> unit) option =
    function
    | Pass _ ->
        Some (fun (k : (int, unit) Effect.Deep.continuation) -> kept := Some k)
    | _ -> None
  in
  Effect.Deep.try_with
    (fun () -> right 50_000 (fun () -> Effect.perform (Pass nothing)))
    () { effc };
  garbage 10_000;
  Gc.full_major ();
  let k = Option.get !kept in
  in_a_domain (fun () ->
      garbage 10_000;
      Effect.Deep.continue k 0)

let rec bottomless n = string_of_int n :: bottomless (n + 1)

(* The limit is [stack_limit], 8 MB here. *)
let overflows () =
  match List.length (bottomless 0) with
  | (_ : int) -> must "there is no bottom" false
  | exception Stack_overflow -> right 1_000 nothing

let limited () =
  let was = Gc.get () in
  Gc.set { was with stack_limit = 1 lsl 20 };
  repeat 2 (fun () -> everywhere overflows);
  Gc.set was;
  right 150_000 nothing

let () =
  Gc.set { (Gc.get ()) with minor_heap_size = 32_768 };
  case "collections of a deep stack" rarely;
  case "collections beside a deep stack" beside;
  case "collections at the bottom" collected;
  case "several deep ones" together;
  case "raised from the bottom" raised;
  case "performed at the bottom" performed;
  case "a deep fiber elsewhere" moved;
  case "stack overflow" limited
