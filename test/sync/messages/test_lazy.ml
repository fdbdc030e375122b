open Dromos_sync
open Party

exception Failed

(* All tasks force at once; the first computes. The computation waits. *)
let once together =
  times 20 (fun _ ->
      let computed = Atomic.make 0 in
      let gate = Promise.create () in
      let l =
        Lazy.from_fun (fun () ->
            Atomic.incr computed;
            Promise.await gate + 1)
      in
      let force () = equal "value" 42 (Lazy.force l) in
      let as_event () =
        equal "value" 42
          (Event.select [ Lazy.force_event l; Event.wrap Event.never Fun.id ])
      in
      together
        [
          force; as_event; force; as_event; (fun () -> Promise.resolve gate 41);
        ];
      equal "computed" 1 (Atomic.get computed);
      ensure "is a value" (Lazy.is_val l))

let failing together =
  let computed = Atomic.make 0 and failed = Atomic.make 0 in
  let gate = Promise.create () in
  let l =
    Lazy.from_fun (fun () ->
        Atomic.incr computed;
        Promise.await gate;
        raise Failed)
  in
  let force () =
    match Lazy.force l with
    | () -> Alcotest.fail "a value"
    | exception Failed -> Atomic.incr failed
  in
  together [ force; force; force; force; (fun () -> Promise.resolve gate ()) ];
  force ();
  equal "computed" 1 (Atomic.get computed);
  equal "failed" 5 (Atomic.get failed);
  ensure "not a value" (not (Lazy.is_val l))

(* A force by a systhread of the same domain is no recursion. *)
let recursive together =
  let undefined = Atomic.make 0 in
  let rec l =
    lazy
      (Lazy.from_fun (fun () ->
           match Lazy.force (Stdlib.Lazy.force l) with
           | (_ : int) -> 0
           | exception Stdlib.Lazy.Undefined ->
               Atomic.incr undefined;
               1))
  in
  let l = Stdlib.Lazy.force l in
  let force () = equal "value" 1 (Lazy.force l) in
  together [ force; force; force; force ];
  equal "undefined" 1 (Atomic.get undefined)

let backtrace () =
  Printexc.record_backtrace true;
  let l = Lazy.from_fun (fun () -> raise Failed) in
  let trace () =
    match Lazy.force l with
    | () -> Alcotest.fail "a value"
    | exception Failed -> Printexc.get_backtrace ()
  in
  let first = trace () in
  let top text = List.hd (String.split_on_char '\n' text) in
  Watch.check Alcotest.string "where it was raised" (top first) (top (trace ()));
  ensure "here" (top first <> "")

(* The computing task is cancelled: the task that has waited longest begins
   again, the others still wait. *)
let cancelled workers () =
  Dromos.run ~workers (fun () ->
      let computed = Atomic.make 0 in
      let gate = Promise.create () in
      let l =
        Lazy.from_fun (fun () ->
            Atomic.incr computed;
            Promise.await gate;
            7)
      in
      let until test =
        while not (test ()) do
          Dromos.yield ()
        done
      in
      (try
         Dromos.Scope.run (fun s ->
             Dromos.Scope.fork s (fun () -> ignore (Lazy.force l));
             until (fun () -> Atomic.get computed = 1);
             (* Two waiting tasks, cancelled together with the computing
                task. *)
             Dromos.Scope.fork s (fun () -> ignore (Lazy.force l));
             Dromos.Scope.fork s (fun () ->
                 ignore (Event.select [ Lazy.force_event l ]));
             times 5 (fun _ -> Dromos.yield ());
             Dromos.Scope.cancel s)
       with Dromos.Cancelled -> ());
      ensure "uncomputed" (Lazy.peek l = None);
      let others =
        List.init 4 (fun _ -> Dromos.async (fun () -> Lazy.force l))
      in
      times 5 (fun _ -> Dromos.yield ());
      Promise.resolve gate ();
      List.iter (fun p -> equal "value" 7 (Dromos.await p)) others)

(* The next task in the queue computes while the former task is cancelled,
   before any other task may force. *)
let taken_over workers () =
  Dromos.run ~workers (fun () ->
      let begun = Atomic.make 0 in
      let gate = Promise.create () in
      let l =
        Lazy.from_fun (fun () ->
            Atomic.incr begun;
            Promise.await gate;
            7)
      in
      let until test =
        while not (test ()) do
          Dromos.yield ()
        done
      in
      Dromos.Scope.run (fun outer ->
          let first = Promise.create () in
          Dromos.Scope.fork outer (fun () ->
              try
                Dromos.Scope.run (fun s ->
                    Promise.resolve first s;
                    Lazy.force l |> ignore)
              with Dromos.Cancelled -> ());
          until (fun () -> Atomic.get begun = 1);
          let waiters =
            List.init 3 (fun _ ->
                Dromos.Scope.async outer (fun () -> Lazy.force l))
          in
          times 20 (fun _ -> Dromos.yield ());
          Dromos.Scope.cancel (Promise.await first);
          until (fun () -> Atomic.get begun = 2);
          Promise.resolve gate ();
          List.iter (fun p -> equal "value" 7 (Promise.await p)) waiters;
          equal "begun" 2 (Atomic.get begun)))

let alone () =
  let l = Lazy.from_val 3 in
  ensure "from_val" (Lazy.is_val l && Lazy.force l = 3);
  let m = Lazy.map (( + ) 1) l in
  ensure "not yet" (Lazy.peek m = None);
  ensure "polled" (Event.poll (Lazy.force_event m) = Some 4);
  ensure "map" (Lazy.force m = 4)

(* Two callbacks share an identity, the identity of their thread, and the second
   comes between the first's choice and its computation: no recursion. *)
let called_back () =
  let l = Lazy.from_fun (fun () -> 7) in
  let first = ref None and second = ref None in
  let start into =
    ignore
      (Author.Event.start (Lazy.force_event l) (fun r -> into := Some r)
        : unit -> bool)
  in
  start first;
  start second;
  ensure "the second one waits" (Option.is_some !first && !second = None);
  equal "the first one computes" 7 (Option.get !first ());
  equal "the second one gets it" 7 (Option.get !second ())

let cases =
  cases "once" once @ cases "failing" failing
  @ cases "recursive" recursive
  @ [
      Watch.case "alone" alone;
      Watch.case "called back" called_back;
      Watch.case "backtrace" backtrace;
      Watch.case "cancelled, one worker" (cancelled 1);
      Watch.case "cancelled, two workers" (cancelled 2);
      Watch.case "taken over, one worker" (taken_over 1);
      Watch.case "taken over, two workers" (taken_over 2);
    ]
