(* Libraries without a scheduler block through domain-local-await. In a fiber,
   such a wait must suspend only the fiber; in a thread, the wait blocks the
   thread. *)

module DLA = Domain_local_await
module Scope = Dromos.Scope

let int = Watch.check Alcotest.int
let bool = Watch.check Alcotest.bool

(* {1 A structure of such a library} *)

module Channel = struct
  (* An unbounded channel; a taker without an item leaves a [release]. *)
  type 'a t = {
    items : 'a Queue.t;
    takers : (unit -> unit) Queue.t;
    lock : Mutex.t;
  }

  let create () =
    {
      items = Queue.create ();
      takers = Queue.create ();
      lock = Mutex.create ();
    }

  let put t v =
    let release =
      Mutex.protect t.lock (fun () ->
          Queue.push v t.items;
          Queue.take_opt t.takers)
    in
    Option.iter (fun release -> release ()) release

  let rec take t =
    let w = DLA.prepare_for_await () in
    match
      Mutex.protect t.lock (fun () ->
          match Queue.take_opt t.items with
          | Some v -> Some v
          | None ->
              Queue.push w.release t.takers;
              None)
    with
    | Some v -> v
    | None ->
        w.await ();
        take t
end

type runner = { run : 'a. (unit -> 'a) -> 'a }

let per_hub f () =
  List.iter
    (fun hub ->
      List.iter
        (fun workers -> f { run = (fun g -> Dromos.run ~hub ~workers g) })
        [ 1; 2 ])
    Dromos.Hub.all

(* With one worker, a blocked worker would never run the putter. *)
let only_the_fiber =
  per_hub (fun { run } ->
      let there = Channel.create () and back = Channel.create () in
      let n = 300 in
      let sum =
        run (fun () ->
            let echo =
              Dromos.async (fun () ->
                  for _ = 1 to n do
                    Channel.put back (1 + Channel.take there)
                  done)
            in
            let sum = ref 0 in
            for i = 1 to n do
              Channel.put there i;
              sum := !sum + Channel.take back
            done;
            Dromos.await echo;
            !sum)
      in
      int "sum" ((n * (n + 1) / 2) + n) sum)

let fibers_and_others =
  per_hub (fun { run } ->
      let c = Channel.create () and answers = Channel.create () in
      let n = 100 in
      let put_all () =
        for i = 1 to n do
          Channel.put c i
        done
      in
      let d = Domain.spawn put_all and t = Thread.create put_all () in
      run (fun () ->
          ignore
            (Dromos.all
               (List.init (2 * n) (fun _ () ->
                    Channel.put answers (Channel.take c)))));
      let sum = ref 0 in
      for _ = 1 to 2 * n do
        sum := !sum + Channel.take answers
      done;
      Domain.join d;
      Thread.join t;
      int "sum" (n * (n + 1)) !sum)

let released_before () =
  Dromos.run ~workers:1 (fun () ->
      let w = DLA.prepare_for_await () in
      w.release ();
      w.release ();
      w.await ();
      let w = DLA.prepare_for_await () in
      let p = Dromos.async w.release in
      w.await ();
      Dromos.await p;
      w.await ())

let cancelled =
  per_hub (fun { run } ->
      let w = Atomic.make None in
      let left = Atomic.make false in
      (match
         run (fun () ->
             Scope.run (fun s ->
                 Scope.fork s (fun () ->
                     let mine = DLA.prepare_for_await () in
                     Atomic.set w (Some mine);
                     match mine.await () with
                     | () -> ()
                     | exception (Dromos.Cancelled as e) ->
                         Atomic.set left true;
                         raise e);
                 while Atomic.get w = None do
                   Dromos.yield ()
                 done;
                 Scope.cancel s))
       with
      | () | (exception Dromos.Cancelled) -> ());
      bool "left" true (Atomic.get left);
      (* A late release has no effect. *)
      Option.iter (fun (w : DLA.t) -> w.release ()) (Atomic.get w))

(* A thread beside the run, in the caller's domain, blocks by itself. *)
let thread_beside () =
  let c = Channel.create () in
  let got = Atomic.make 0 in
  Dromos.run ~workers:1 (fun () ->
      let t = Thread.create (fun () -> Atomic.set got (Channel.take c)) () in
      Dromos.sleep 0.005;
      Channel.put c 3;
      Dromos.blocking (fun () -> Thread.join t));
  int "taken" 3 (Atomic.get got);
  let t = Thread.create (fun () -> Atomic.set got (Channel.take c)) () in
  Thread.delay 0.002;
  Channel.put c 4;
  Thread.join t;
  int "after the run too" 4 (Atomic.get got)

(* Two threads of a domain each have a run; the run that begins first ends
   first. *)
let two_threads () =
  let first_over = Atomic.make false and second_began = Atomic.make false in
  let until cell =
    while not (Atomic.get cell) do
      Thread.yield ()
    done
  in
  let first =
    Thread.create
      (fun () ->
        Dromos.run ~workers:1 (fun () -> until second_began);
        Atomic.set first_over true)
      ()
  in
  let sum = Atomic.make 0 in
  let second () =
    Dromos.run ~workers:1 (fun () ->
        Atomic.set second_began true;
        until first_over;
        let c = Channel.create () in
        let taker = Dromos.async (fun () -> Channel.take c) in
        Dromos.yield ();
        Channel.put c 5;
        Atomic.set sum (Dromos.await taker))
  in
  let second = Thread.create second () in
  Thread.join first;
  Thread.join second;
  int "the second still suspends fibers" 5 (Atomic.get sum)

(* The other direction: where a scheduler provides domain-local-await, a wait of
   Dromos uses the scheduler's function. *)
let provided_by_others () =
  let asked = Atomic.make 0 in
  let prepare () =
    Atomic.incr asked;
    let released = Atomic.make false in
    {
      DLA.release = (fun () -> Atomic.set released true);
      await =
        (fun () ->
          while not (Atomic.get released) do
            Thread.yield ()
          done);
    }
  in
  let p = Dromos.Promise.create () in
  let d =
    Domain.spawn (fun () ->
        while Atomic.get asked = 0 do
          Thread.delay 0.001
        done;
        Dromos.Promise.resolve p 6)
  in
  let n =
    DLA.using ~prepare_for_await:prepare ~while_running:(fun () ->
        Dromos.Promise.await p)
  in
  Domain.join d;
  int "the value" 6 n;
  int "asked once" 1 (Atomic.get asked);
  (* A run inside provides the answer for its own fibers, and restores the old
     answer at its end. *)
  DLA.using ~prepare_for_await:prepare ~while_running:(fun () ->
      released_before ();
      int "not asked by fibers" 1 (Atomic.get asked);
      ignore (DLA.prepare_for_await ());
      int "asked again" 2 (Atomic.get asked))

(* A program may set an answer per thread before the first run. *)
let per_thread_before () =
  let body () =
    DLA.per_thread (module Thread);
    let c = Channel.create () in
    let taker =
      Thread.create
        (fun () ->
          Dromos.run ~workers:1 (fun () ->
              let there = Dromos.async (fun () -> Channel.take c) in
              Dromos.yield ();
              Channel.put c 1;
              Dromos.await there))
        ()
    in
    Thread.join taker;
    thread_beside ()
  in
  Domain.join (Domain.spawn body)

let () =
  Watch.suite "await" @@ fun () ->
  let case = Watch.case in
  Alcotest.run "await"
    [
      ( "domain-local-await",
        [
          case "only the fiber waits" only_the_fiber;
          case "fibers, threads, domains" fibers_and_others;
          case "released before" released_before;
          case "cancelled" cancelled;
          case "a thread beside a run" thread_beside;
          case "provided by others" provided_by_others;
          case "runs in two threads of a domain" two_threads;
          case "answers per thread by the program" per_thread_before;
        ] );
    ]
