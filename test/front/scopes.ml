(* Scopes: the first failure, the cancelled tasks, and the moment of each. *)

open With_run
module Scope = Dromos.Scope

exception First
exception Second

let many = 200
let cancelled what f = raises what Dromos.Cancelled f

(* The earliest failure is raised, for any reaction of cancelled tasks. *)
let first_in_time () =
  go (fun () ->
      times many (fun _ ->
          let started = Atomic.make 0 and over = Atomic.make 0 in
          let waiter () =
            Atomic.incr started;
            match never () with
            | () -> ()
            | exception Dromos.Cancelled ->
                Atomic.incr over;
                raise Second
          in
          raises "scope" First (fun () ->
              Scope.run (fun s ->
                  Scope.fork s waiter;
                  Scope.fork s waiter;
                  Scope.fork s (fun () ->
                      while Atomic.get started < 2 do
                        Dromos.yield ()
                      done;
                      raise First)));
          equal "waiters over" 2 (Atomic.get over)))

(* Scope.cancel from a systhread without connection to the run. *)
let from_outside () =
  let waits =
    [
      never;
      (fun () -> Dromos.sleep 1000.);
      (fun () -> ignore (Dromos.both never never));
      (fun () -> Dromos.await (Dromos.async never));
      (fun () -> Scope.run (fun s -> Scope.fork s never));
      (fun () -> ignore (Dromos.all [ never; ignore; never ]));
      (fun () ->
        while true do
          Dromos.yield ()
        done);
      (fun () ->
        while true do
          Dromos.check ()
        done);
      (fun () ->
        while true do
          ignore (Dromos.both ignore ignore)
        done);
    ]
  in
  go (fun () ->
      times 10 (fun _ ->
          List.iteri
            (fun i wait ->
              let what = Printf.sprintf "wait %d" i in
              let ready = Atomic.make false in
              let thread = ref None in
              cancelled what (fun () ->
                  Scope.run (fun s ->
                      thread :=
                        Some
                          (Thread.create
                             (fun () ->
                               while not (Atomic.get ready) do
                                 Thread.yield ()
                               done;
                               if i land 1 = 0 then Thread.delay 0.0005;
                               Scope.cancel s;
                               Scope.cancel s)
                             ());
                      Atomic.set ready true;
                      wait ();
                      (* The scope's own function returned a value. *)
                      if i = 4 then Dromos.check ()));
              Option.iter Thread.join !thread)
            waits))

(* The fiber joins a branch that was taken by another worker and waits for
   ever. *)
let at_a_join () =
  parallel (fun () ->
      times 50 (fun _ ->
          let runs = Atomic.make false and over = ref false in
          cancelled "join" (fun () ->
              Scope.run (fun s ->
                  let canceller () =
                    while not (Atomic.get runs) do
                      Thread.delay 0.0001
                    done;
                    Scope.cancel s
                  in
                  ignore (Thread.create canceller ());
                  Dromos.both
                    (fun () -> spin_until "the branch" runs)
                    (fun () ->
                      Atomic.set runs true;
                      Fun.protect never ~finally:(fun () -> over := true))));
          ensure "the branch is over" !over))

let nested () =
  go (fun () ->
      times many (fun i ->
          (* A failure inside stays inside. *)
          let v =
            Scope.run (fun _ ->
                (match
                   Scope.run (fun s ->
                       Scope.fork s (fun () -> raise First);
                       never ())
                 with
                | () -> ()
                | exception First -> ());
                Dromos.yield ();
                i)
          in
          equal "outer" i v;
          (* A cancellation outside goes inside, through every level. *)
          let deepest = ref false in
          let rec down n =
            Scope.run (fun _ ->
                if n = 0 then
                  Fun.protect never ~finally:(fun () -> deepest := true)
                else down (n - 1))
          in
          cancelled "outer" (fun () ->
              Scope.run (fun s ->
                  Scope.fork s (fun () -> down 5);
                  Dromos.yield ();
                  Scope.cancel s;
                  ensure "is_cancelled" (Scope.is_cancelled s);
                  never ()));
          ignore !deepest))

(* Async tasks belong to the innermost scope, which waits for them. *)
let innermost () =
  go (fun () ->
      times many (fun _ ->
          let over = Atomic.make 0 in
          Scope.run (fun _ ->
              times 10 (fun _ ->
                  ignore
                    (Dromos.async (fun () ->
                         Dromos.yield ();
                         Atomic.incr over)
                      : unit Dromos.Promise.t)));
          equal "tasks over at the scope's end" 10 (Atomic.get over)))

let returns () =
  go (fun () ->
      let v =
        Scope.run (fun s ->
            Scope.fork s never;
            Scope.cancel s;
            7)
      in
      equal "a value that was returned" 7 v;
      cancelled "the next point" (fun () ->
          Scope.run (fun s ->
              Scope.cancel s;
              Dromos.check ();
              8));
      Dromos.check ())

let protect () =
  go (fun () ->
      times 20 (fun _ ->
          let cleaned = ref false in
          cancelled "protect" (fun () ->
              Scope.run (fun s ->
                  Fun.protect
                    (fun () ->
                      Scope.cancel s;
                      never ())
                    ~finally:(fun () ->
                      Dromos.protect (fun () ->
                          Dromos.sleep 0.001;
                          Dromos.yield ();
                          Dromos.check ();
                          let a, b = Dromos.both (fun () -> 1) (fun () -> 2) in
                          equal "both in protect" 3 (a + b);
                          equal "async in protect" 4
                            (Dromos.blocking (fun () -> 4));
                          cleaned := true));
                  ensure "unreachable" false));
          ensure "cleaned up" !cleaned))

let refused () =
  go (fun () ->
      times many (fun _ ->
          let escaped = Scope.run (fun s -> s) in
          match Scope.fork escaped ignore with
          | () -> ensure "a scope that is over took a task" false
          | exception Invalid_argument text ->
              ensure text (contains text "Scope")))

let not_started () =
  go (fun () ->
      times many (fun _ ->
          let ran = Atomic.make 0 in
          (try
             Scope.run (fun s ->
                 Scope.cancel s;
                 times 5 (fun _ -> Scope.fork s (fun () -> Atomic.incr ran));
                 Dromos.check ())
           with Dromos.Cancelled -> ());
          equal "tasks that ran in a cancelled scope" 0 (Atomic.get ran)))

(* A cancelled waiter does not resume when the awaited event happens. *)
let late_value () =
  go (fun () ->
      times many (fun i ->
          let p = Dromos.Promise.create () in
          let after = Atomic.make 0 in
          (try
             Scope.run (fun s ->
                 times 3 (fun _ ->
                     Scope.fork s (fun () ->
                         ignore (Dromos.await p : int);
                         Atomic.incr after));
                 if i land 1 = 0 then Dromos.yield ();
                 Scope.cancel s;
                 Dromos.check ())
           with Dromos.Cancelled -> ());
          let before = Atomic.get after in
          Dromos.Promise.resolve p i;
          Dromos.yield ();
          equal "waiters that came back" before (Atomic.get after)))

(* [Dromos.timeout]: the tasks inside have stopped when [timeout] raises;
   values, failures and cancellations from outside pass through. A task that has
   not begun by then never begins; with more time, it would. *)
let timeouts () =
  go (fun () ->
      let rec late seconds =
        let begun = Atomic.make 0 and stopped = Atomic.make 0 in
        let wait () =
          Atomic.incr begun;
          Fun.protect
            ~finally:(fun () -> Atomic.incr stopped)
            (fun () -> never ())
        in
        raises "too late" Dromos.Timeout (fun () ->
            Dromos.timeout seconds (fun () ->
                ignore (Dromos.async wait : unit Dromos.Promise.t);
                wait ()));
        equal "stopped" (Atomic.get begun) (Atomic.get stopped);
        if Atomic.get begun < 2 then late (2. *. seconds)
      in
      late 0.005;
      equal "in time" 42 (Dromos.timeout 10. (fun () -> 42));
      raises "a failure" First (fun () ->
          Dromos.timeout 10. (fun () -> raise First));
      raises "the inner one" Dromos.Timeout (fun () ->
          Dromos.timeout 10. (fun () -> Dromos.timeout 0.001 never));
      raises "the outer one" Dromos.Timeout (fun () ->
          Dromos.timeout 0.001 (fun () -> Dromos.timeout 10. never));
      cancelled "from outside" (fun () ->
          Scope.run (fun s ->
              Scope.fork s (fun () ->
                  Dromos.sleep 0.001;
                  Scope.cancel s);
              Dromos.timeout 10. never));
      equal "protected" 1
        (Dromos.timeout 0.001 (fun () ->
             Dromos.protect (fun () ->
                 Dromos.sleep 0.005;
                 1))))

(* A scope whose tasks were cancelled from outside is incomplete, even if its
   function returned. *)
let cut_short () =
  let all_of start () =
    start ();
    "all done"
  in
  let bodies =
    [
      all_of (fun () ->
          Scope.run (fun s -> times 3 (fun _ -> Scope.fork s never)));
      all_of (fun () ->
          Scope.run (fun _ ->
              times 3 (fun _ ->
                  ignore (Dromos.async never : unit Dromos.Promise.t))));
      all_of (fun () ->
          Dromos.run (fun () ->
              ignore (Dromos.async never : unit Dromos.Promise.t)));
      all_of (fun () ->
          Scope.run (fun _ ->
              Scope.run (fun s -> times 3 (fun _ -> Scope.fork s never))));
    ]
  in
  each_hub (fun hub ->
      List.iter
        (fun workers ->
          List.iter
            (fun body ->
              Dromos.run ~workers ~hub (fun () ->
                  raises "timeout" Dromos.Timeout (fun () ->
                      Dromos.timeout 0.002 body);
                  cancelled "outer scope" (fun () ->
                      Scope.run (fun s ->
                          let p = Scope.async s body in
                          Dromos.yield ();
                          Scope.cancel s;
                          Dromos.await p));
                  let discarded = ref 0 in
                  let won =
                    Dromos.any
                      ~discard:(fun _ -> incr discarded)
                      [
                        body;
                        (fun () ->
                          Dromos.sleep 0.002;
                          "first");
                      ]
                  in
                  ensure "any" (won = "first" && !discarded = 0);
                  (* The scope itself cancels its background tasks: no
                     failure. *)
                  ensure "background tasks"
                    (Scope.run (fun s ->
                         Scope.fork s never;
                         Dromos.yield ();
                         Scope.cancel s;
                         true))))
            bodies;
          let runtime = Dromos.Runtime.create ~workers ~hub () in
          let jobs = List.map (Dromos.Runtime.submit runtime) bodies in
          while (Dromos.Runtime.stats runtime).running < List.length bodies do
            Thread.delay 0.001
          done;
          Dromos.Runtime.stop ~drain:false runtime;
          List.iter
            (fun p -> cancelled "Runtime" (fun () -> Dromos.Promise.await p))
            jobs;
          equal "counted" (List.length bodies)
            (Dromos.Runtime.stats runtime).cancelled)
        [ 1; 2; 4 ])

(* A function that has returned in time has its value, however close the time
   limit: a taken permit is not lost. *)
let returned_in_time () =
  any (fun () ->
      let s = Dromos.Semaphore.create 1 and lost = ref 0 in
      times 3000 (fun i ->
          let taken = ref false in
          match
            Dromos.timeout 0.0003 (fun () ->
                let stop = Unix.gettimeofday () +. 0.00028 in
                while Unix.gettimeofday () < stop do
                  Domain.cpu_relax ()
                done;
                Dromos.Semaphore.acquire s;
                taken := true;
                i)
          with
          | _ -> Dromos.Semaphore.release s
          | exception Dromos.Timeout ->
              if !taken then begin
                incr lost;
                Dromos.Semaphore.release s
              end);
      equal "lost" 0 !lost)

(* A resource meant for a task is given back if the task never begins. *)
let never_begun () =
  each_hub (fun hub ->
      List.iter
        (fun workers ->
          let owned = Atomic.make 0 in
          let own () = Atomic.incr owned and give_back () = Atomic.decr owned in
          let task () = Fun.protect never ~finally:give_back in
          Dromos.run ~workers ~hub (fun () ->
              times 20 (fun i ->
                  cancelled "cancelled" (fun () ->
                      Scope.run (fun s ->
                          times 10 (fun j ->
                              own ();
                              Scope.fork ~otherwise:give_back s task;
                              if j = i mod 10 then Dromos.yield ();
                              if j = 8 then Scope.cancel s);
                          Dromos.check ())));
              raises "otherwise raises" First (fun () ->
                  Scope.run (fun s ->
                      Scope.cancel s;
                      Scope.fork ~otherwise:(fun () -> raise First) s ignore)));
          equal "owned" 0 (Atomic.get owned))
        [ 1; 2; 4 ])

let cases =
  [
    case "tasks that never begin" never_begun;
    case "values that come in time" returned_in_time;
    case "tasks cancelled from outside" cut_short;
    case "the first failure in time" first_in_time;
    case "cancelled by a systhread" from_outside;
    case "cancelled at a join" at_a_join;
    case "in each other" nested;
    case "async is of the innermost" innermost;
    case "values and cancellation" returns;
    case "protect" protect;
    case "no tasks after the end" refused;
    case "cancelled tasks do not start" not_started;
    case "a value after the cancellation" late_value;
    case "bounded in time" timeouts;
  ]
