module Sched = Dromos.Sched
module Bounded = Sched.Bounded

(* The number of running fibers never exceeds the bound between two waits, for
   every number of vprocs; and all places are used at some time, since the
   fibers spin until then. *)
let bound () =
  for _ = 1 to 20 do
    let at_most = 1 + Contender.draw 4 in
    let workers = 1 + Contender.draw 5 in
    let running = Atomic.make 0 and over = Atomic.make 0 in
    let compute () =
      let n = 1 + Atomic.fetch_and_add running 1 in
      if n > at_most then ignore (Atomic.fetch_and_add over 1 : int);
      Together.spin 2_000;
      Atomic.decr running
    in
    Contender.on ~workers (fun () ->
        Bounded.run ~at_most (fun t ->
            for _ = 1 to 40 do
              let wait =
                match Contender.draw 3 with
                | 0 -> Dromos.yield
                | 1 -> fun () -> Dromos.sleep 0.0002
                | _ -> fun () -> Dromos.await (Dromos.async Dromos.yield)
              in
              Bounded.spawn t (fun () ->
                  for _ = 1 to 10 do
                    compute ();
                    wait ()
                  done)
            done));
    Watch.check Alcotest.int "too many" 0 (Atomic.get over)
  done

(* All places are used at once: each of [n] fibers waits, without leaving its
   place, for the other fibers. *)
let places () =
  List.iter
    (fun n ->
      let met = Atomic.make 0 in
      Contender.on ~workers:4 (fun () ->
          Bounded.run ~at_most:n (fun t ->
              for _ = 1 to n do
                Bounded.spawn t (fun () ->
                    Atomic.incr met;
                    while Atomic.get met < n do
                      Domain.cpu_relax ()
                    done)
              done)))
    [ 1; 2; 3; 4 ]

(* First come, first served; a waiting fiber gives its place to the next. *)
let in_line () =
  let said = Queue.create () in
  let say s = Queue.add s said in
  Contender.on ~workers:4 (fun () ->
      Bounded.run ~at_most:1 (fun t ->
          let p = Dromos.Promise.create () in
          let all_here = Atomic.make false in
          Bounded.spawn t (fun () ->
              while not (Atomic.get all_here) do
                Domain.cpu_relax ()
              done);
          Bounded.spawn t (fun () ->
              say "a1";
              Dromos.await p;
              say "a2");
          Bounded.spawn t (fun () ->
              say "b1";
              ignore (Dromos.Promise.try_resolve p (Ok ()) : bool);
              say "b2";
              Dromos.yield ();
              say "b3");
          Bounded.spawn t (fun () -> say "c");
          Atomic.set all_here true));
  Watch.check
    Alcotest.(list string)
    "order"
    [ "a1"; "b1"; "b2"; "c"; "a2"; "b3" ]
    (List.of_seq (Queue.to_seq said))

(* Fibers for a single vproc can use a place that becomes free elsewhere. *)
let tied () =
  for _ = 1 to 20 do
    let strays = Atomic.make 0 in
    Contender.on ~workers:4 (fun () ->
        Bounded.run ~at_most:1 (fun t ->
            let tied vproc () =
              Sched.Vproc.migrate_to vproc;
              Sched.capture (fun k ->
                  Bounded.give t k;
                  Sched.stop);
              for _ = 1 to 10 do
                if not Sched.Vproc.(equal vproc (host ())) then
                  Atomic.incr strays;
                Together.spin 1_000;
                Dromos.yield ()
              done
            in
            List.iter
              (fun vproc ->
                for _ = 1 to 3 do
                  Sched.release (Sched.fiber (tied vproc))
                done)
              (Sched.Vproc.all ())));
    Watch.check Alcotest.int "strays" 0 (Atomic.get strays)
  done

let refused () =
  Alcotest.check_raises "at_most"
    (Invalid_argument "Sched.Bounded.run: ~at_most:0, expected 1 or more")
    (fun () -> Dromos.run (fun () -> Bounded.run ~at_most:0 ignore))

let cases =
  [
    Watch.case "bound" bound;
    Watch.case "places" places;
    Watch.case "in line" in_line;
    Watch.case ~limit:30. "tied" tied;
    Watch.case "refused" refused;
  ]
