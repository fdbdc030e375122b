(* Strands: one function at a time, in order, despite failures and
   cancellations. *)

open With_run
module Strand = Dromos.Strand
module Keyed = Strand.Keyed
module Ivar = Dromos.Ivar
module Scope = Dromos.Scope

let everywhere f =
  each_hub (fun hub ->
      List.iter (fun workers -> go ~workers ~hub f) [ 1; 2; 4 ])

exception Bang of int

(* A function that detects functions beside it, and waits in the middle. *)
let alone inside f () =
  equal "others inside" 0 (Atomic.fetch_and_add inside 1);
  Fun.protect
    ~finally:(fun () -> Atomic.decr inside)
    (fun () ->
      Dromos.yield ();
      f ())

let promises n give = List.init n give

let in_order () =
  everywhere (fun () ->
      let t = Strand.create () and inside = Atomic.make 0 in
      let order = ref [] in
      let give i =
        Strand.async t (alone inside (fun () -> order := i :: !order))
      in
      List.iter Dromos.await (promises 100 give);
      ensure "order" (List.rev !order = List.init 100 Fun.id))

(* The giver continues although the function's turn does not come. *)
let never_waits () =
  everywhere (fun () ->
      let t = Strand.create () and gate = Ivar.create () in
      let first = Strand.async t (fun () -> Ivar.read gate) in
      let second = Strand.async t (fun () -> 2) in
      ensure "too early" (not (Dromos.Promise.is_resolved second));
      Ivar.fill gate 1;
      equal "first" 1 (Dromos.await first);
      equal "second" 2 (Dromos.await second))

let failures () =
  everywhere (fun () ->
      let t = Strand.create () in
      let give i =
        Strand.async t (fun () -> if i land 1 = 0 then raise (Bang i) else i)
      in
      let check i p =
        match Dromos.Promise.result p with
        | Ok v -> equal "value" i v
        | Error (Bang j, _) -> equal "failure" i j
        | Error (e, _) -> raise e
      in
      List.iteri check (promises 20 give);
      raises "run" (Bang 7) (fun () -> Strand.run t (fun () -> raise (Bang 7)));
      equal "goes on" 3 (Strand.run t (fun () -> 3)));
  (* No fiber reads the result. *)
  let t = Strand.create () in
  raises "unread" (Bang 1) (fun () ->
      go (fun () -> ignore (Strand.async t (fun () -> raise (Bang 1)))))

(* Functions of a cancelled scope leave the queue, begun or not; the others
   stay. *)
let cancelled_in_line () =
  everywhere (fun () ->
      let t = Strand.create () and gate = Ivar.create () in
      let holder = Strand.async t (fun () -> Ivar.read gate) in
      let ran = Atomic.make 0 and others = ref [] in
      (match
         Scope.run (fun s ->
             let give i =
               let count () = Atomic.incr ran in
               let task = Strand.async t count in
               if i land 3 = 0 then Dromos.yield ();
               task
             in
             ignore (promises 20 give : unit Dromos.Promise.t list);
             Scope.cancel s)
       with
      | () -> ()
      | exception Dromos.Cancelled -> ());
      others := promises 5 (fun i -> Strand.async t (fun () -> i));
      Ivar.fill gate ();
      Dromos.await holder;
      List.iteri (fun i p -> equal "other" i (Dromos.await p)) !others;
      equal "cancelled ones" 0 (Atomic.get ran))

let storm () =
  everywhere (fun () ->
      let t = Strand.create () and inside = Atomic.make 0 in
      let stay () =
        equal "others inside" 0 (Atomic.fetch_and_add inside 1);
        Fun.protect Dromos.yield ~finally:(fun () -> Atomic.decr inside)
      in
      times 40 (fun i ->
          match
            Scope.run (fun s ->
                times 4 (fun _ ->
                    Scope.fork s (fun () ->
                        while true do
                          let p = Strand.async t stay in
                          Strand.run t stay;
                          Dromos.await p
                        done));
                times (i mod 7) (fun _ -> Dromos.yield ());
                Scope.cancel s)
          with
          | () | (exception Dromos.Cancelled) -> ());
      equal "the strand is free" 1 (Strand.run ~timeout:0. t (fun () -> 1)))

let waits_for_itself () =
  let refused what f =
    match f () with
    | () -> raise (Wrong (what ^ ": not refused"))
    | exception Invalid_argument text ->
        ensure text (contains text "on log" && contains text "wait for itself")
  in
  let t = Strand.create ~name:"log" () and other = Strand.create () in
  everywhere (fun () ->
      Strand.run t (fun () ->
          refused "run" (fun () -> Strand.run t ignore);
          refused "through another" (fun () ->
              Strand.run other (fun () -> Strand.run t ignore)));
      Dromos.await
        (Strand.async t (fun () ->
             refused "async" (fun () -> Strand.run t ignore);
             (* Not awaited: allowed. *)
             ignore (Strand.async t ignore : unit Dromos.Promise.t)));
      Strand.run t ignore);
  refused "in a thread" (fun () -> Strand.run t (fun () -> Strand.run t ignore));
  match Strand.async t ignore with
  | (_ : unit Dromos.Promise.t) -> raise (Wrong "async outside a run")
  | exception Dromos.Misplaced text ->
      ensure text (contains text "Strand.async")

let timeouts () =
  let t = Strand.create () and held = Atomic.make false in
  let gate = Ivar.create () in
  let hold () =
    Strand.run t (fun () ->
        Atomic.set held true;
        Ivar.read gate)
  in
  let holder = Thread.create hold () in
  spin_until "held" held;
  raises "a thread" Dromos.Timeout (fun () ->
      Strand.run ~timeout:0.001 t ignore);
  go (fun () ->
      raises "a fiber" Dromos.Timeout (fun () ->
          Strand.run ~timeout:0.001 t ignore);
      let p = Strand.async t (fun () -> 1) in
      Ivar.fill gate ();
      equal "behind a thread" 1 (Dromos.await p));
  Thread.join holder

(* A function in line is no fiber yet: the line takes little memory. *)
let long_line () =
  go ~workers:1 (fun () ->
      let t = Strand.create () and gate = Ivar.create () in
      let holder = Strand.async t (fun () -> Ivar.read gate) in
      let n = 30_000 and next = ref 0 in
      let live () =
        Dromos.yield ();
        Gc.full_major ();
        (Gc.stat ()).live_words
      in
      let before = live () in
      times n (fun i ->
          let f () =
            incr next;
            equal "order" i !next
          in
          ignore (Strand.async t f : unit Dromos.Promise.t));
      let words = (live () - before) / n in
      ensure (Printf.sprintf "%d words for each" words) (words < 80);
      Ivar.fill gate ();
      Dromos.await holder;
      Strand.run t (fun () -> equal "all" n !next))

(* One strand for functions of runs on several domains, and for threads. A run may end
   while functions of another are in line. *)
let shared_by_runs () =
  let t = Strand.create () and inside = Atomic.make 0 and ran = ref 0 in
  let f = alone inside (fun () -> incr ran) in
  let thread_f () =
    equal "others inside" 0 (Atomic.fetch_and_add inside 1);
    incr ran;
    Thread.yield ();
    Atomic.decr inside
  in
  let run () =
    times 20 (fun _ ->
        go ~workers:2 (fun () ->
            List.iter Dromos.await (promises 20 (fun _ -> Strand.async t f));
            Strand.run t f))
  in
  let threads =
    List.init 2 (fun _ ->
        Thread.create (fun () -> times 200 (fun _ -> Strand.run t thread_f)) ())
  in
  let domains = List.init 2 (fun _ -> Domain.spawn run) in
  List.iter Domain.join domains;
  List.iter Thread.join threads;
  equal "ran" ((2 * 20 * 21) + 400) !ran

(* {1 Keys} *)

let keys_in_parallel () =
  everywhere (fun () ->
      let t = Keyed.create () and meet = Dromos.Barrier.create 3 in
      let give key = Keyed.async t key (fun () -> Dromos.Barrier.wait meet) in
      let all = promises 3 give in
      ensure "in use" (Keyed.length t <= 3);
      let serial = List.filter Dromos.await all in
      equal "met" 1 (List.length serial);
      equal "left" 0 (Keyed.length t))

let keys_in_order () =
  everywhere (fun () ->
      let t = Keyed.create ~max:2 () in
      let inside = Array.init 5 (fun _ -> Atomic.make 0) in
      let order = Array.make 5 [] and beside = Atomic.make 0 in
      let give i =
        let key = i mod 5 in
        Keyed.async t (string_of_int key)
          (alone inside.(key) (fun () ->
               ensure "max" (Atomic.fetch_and_add beside 1 < 2);
               Dromos.yield ();
               Atomic.decr beside;
               order.(key) <- i :: order.(key);
               if i = 33 then raise (Bang i)))
      in
      let failed p = Result.is_error (Dromos.Promise.result p) in
      equal "failures" 1 (List.length (List.filter failed (promises 100 give)));
      let expected key = List.init 20 (fun i -> key + (5 * (19 - i))) in
      Array.iteri (fun key got -> ensure "order" (got = expected key)) order;
      equal "left" 0 (Keyed.length t))

let keys_cancelled () =
  everywhere (fun () ->
      let t = Keyed.create ~max:3 () in
      times 30 (fun i ->
          match
            Scope.run (fun s ->
                times 6 (fun key ->
                    Scope.fork s (fun () ->
                        while true do
                          let p = Keyed.async t (key mod 3) Dromos.yield in
                          Keyed.run t (key mod 2) Dromos.yield;
                          Dromos.await p
                        done));
                times (i mod 5) (fun _ -> Dromos.yield ());
                Scope.cancel s)
          with
          | () | (exception Dromos.Cancelled) -> ());
      equal "left" 0 (Keyed.length t);
      (* All places are there. *)
      let meet = Dromos.Barrier.create 3 in
      let give key = Keyed.async t key (fun () -> Dromos.Barrier.wait meet) in
      List.iter (fun p -> ignore (Dromos.await p : bool)) (promises 3 give))

let a_million_keys () =
  go (fun () ->
      let t = Keyed.create () and sum = Atomic.make 0 in
      times 1_000_000 (fun key -> Keyed.run t key (fun () -> Atomic.incr sum));
      equal "by run" 1_000_000 (Atomic.get sum);
      times 1000 (fun chunk ->
          Scope.run (fun _ ->
              times 100 (fun i ->
                  ignore
                    (Keyed.async t
                       ((1000 * chunk) + i)
                       (fun () -> Atomic.incr sum)
                      : unit Dromos.Promise.t))));
      equal "by async" 1_100_000 (Atomic.get sum);
      equal "left" 0 (Keyed.length t);
      ensure "memory" (Obj.reachable_words (Obj.repr t) < 2000));
  match Keyed.create ~max:0 () with
  | (_ : int Keyed.t) -> raise (Wrong "max 0")
  | exception Invalid_argument text -> ensure text (contains text "~max:0")

let cases =
  [
    case "in order" in_order;
    case "the giver does not wait" never_waits;
    case "failures" failures;
    case "cancelled in line" cancelled_in_line;
    case "storm" storm;
    case "waiting for itself" waits_for_itself;
    case "time-outs" timeouts;
    case "a long line" long_line;
    case "shared by runs and threads" shared_by_runs;
    case "keys in parallel" keys_in_parallel;
    case "keys in order" keys_in_order;
    case "keys, cancelled" keys_cancelled;
    case "a million keys" a_million_keys;
  ]
