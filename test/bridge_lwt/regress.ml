(* Faults found earlier. *)

module Event = Dromos_sync.Event
module Semaphore = Dromos_sync.Semaphore
module Lazy = Dromos_sync.Lazy

let int = Watch.check Alcotest.int

(* The lazy value kept [Lwt.Canceled] as its result, and every later force
   raised it. *)
let lazy_cancelled () =
  let begun = ref 0 in
  let v =
    Dromos_lwt.run (fun () ->
        let value =
          Lazy.from_fun (fun () ->
              incr begun;
              if !begun = 1 then Dromos_lwt.await (fst (Lwt.wait ()));
              42)
        in
        let first = Dromos_lwt.fiber (fun () -> Lazy.force value) in
        let second = Dromos_lwt.fiber (fun () -> Lazy.force value) in
        Lwt.cancel first;
        second)
  in
  int "value" 42 v;
  int "begun" 2 !begun

(* The exception was raised out of [sync], past the handlers of the promise. *)
let guard_raises () =
  let v =
    Dromos_lwt.run (fun () ->
        let p = Dromos_lwt.sync (Event.guard (fun () -> failwith "guard")) in
        Lwt.catch (fun () -> p) (fun _ -> Lwt.return 1))
  in
  int "caught" 1 v

(* A permit went to Lwt code whose loop had ended, and was lost. *)
let after_the_end () =
  let waits what wait =
    let s = Semaphore.create 0 in
    Dromos_lwt.run (fun () ->
        wait s;
        Lwt.return ());
    Semaphore.release s;
    match Semaphore.acquire ~timeout:5. s with
    | () -> ()
    | exception Event.Timeout -> Alcotest.fail (what ^ ": the permit is lost")
  in
  waits "sync" (fun s ->
      ignore (Dromos_lwt.sync (Semaphore.acquire_event s) : unit Lwt.t));
  let cleaned = ref 0 in
  waits "fiber" (fun s ->
      let wait () = Semaphore.acquire s in
      let finally () =
        (* Clean-up code may wait. *)
        Dromos_lwt.await (Dromos_lwt.fiber (fun () -> incr cleaned))
      in
      ignore (Dromos_lwt.fiber (fun () -> Fun.protect wait ~finally) : _ Lwt.t));
  int "cleaned up" 1 !cleaned

(* Waits that no thread can end any more must not stay in memory until the loop
   ends. *)
let forgotten () =
  let live () =
    Gc.full_major ();
    (Gc.stat ()).live_words
  in
  let forget () =
    let s = Semaphore.create 0 in
    ignore (Dromos_lwt.sync (Semaphore.acquire_event s) : unit Lwt.t);
    ignore (Dromos_lwt.fiber (fun () -> Semaphore.acquire s) : unit Lwt.t)
  in
  Dromos_lwt.run (fun () ->
      let many () =
        for i = 1 to 20_000 do
          if i mod 1000 = 0 then Gc.full_major ();
          forget ()
        done
      in
      many ();
      let before = live () in
      many ();
      let more = live () - before in
      if more > 100_000 then
        Alcotest.fail (Printf.sprintf "%d words for 40000 waits" more);
      Lwt.return ())

let cases =
  [
    Watch.case ~limit:30. "a lazy value whose fiber is cancelled" lazy_cancelled;
    Watch.case ~limit:30. "sync: a guard that raises" guard_raises;
    Watch.case ~limit:30. "waits that outlive their loop" after_the_end;
    Watch.case ~limit:60. "forgotten waits" forgotten;
  ]
