(* Blocking calls: many at once, and calls whose caller leaves. *)

open With_run

(* Each call returns when all calls have begun. *)
let wait_for_the_last n =
  any (fun () ->
      let begun = Atomic.make 0 in
      let call () =
        Dromos.blocking (fun () ->
            Atomic.incr begun;
            while Atomic.get begun < n do
              Thread.delay 0.001
            done)
      in
      Dromos.Scope.run (fun s -> times n (fun _ -> Dromos.Scope.fork s call)))

let for_the_last () = List.iter wait_for_the_last [ 65; 200 ]

(* A call that ends on request. *)
let gate () =
  let read_end, write_end = Unix.pipe ~cloexec:true () in
  let wait () = Unix.read read_end (Bytes.create 1) 0 1 in
  let let_go () = ignore (Unix.write write_end (Bytes.make 1 '!') 0 1) in
  (wait, let_go)

let times_out f =
  match Dromos.timeout 0.02 f with
  | _ -> raise (Wrong "no timeout")
  | exception Dromos.Timeout -> ()

(* The call outlives its run. *)
let abandoned () =
  let wait, let_go = gate () in
  let returned = Atomic.make false in
  any (fun () ->
      times_out (fun () ->
          Dromos.blocking ~abandon:true (fun () ->
              ignore (wait () : int);
              Atomic.set returned true)));
  ensure "it goes on" (not (Atomic.get returned));
  let_go ();
  spin_until "it ends" returned

let late_result () =
  let wait, let_go = gate () in
  let late = Atomic.make None in
  let told = Atomic.make false in
  let tell result =
    Atomic.set late (Some result);
    Atomic.set told true
  in
  any (fun () -> times_out (fun () -> Dromos.blocking ~late:tell wait));
  ensure "not yet" (Atomic.get late = None);
  let_go ();
  spin_until "late" told;
  ensure "its value" (Atomic.get late = Some (Ok 1));
  Atomic.set told false;
  let fails () =
    ignore (wait () : int);
    raise Exit
  in
  any (fun () -> times_out (fun () -> Dromos.blocking ~late:tell fails));
  let_go ();
  spin_until "late" told;
  ensure "its exception" (Atomic.get late = Some (Error Exit))

(* The call cancels its own caller. *)
let cancelled_by_it ?abandon ?late around =
  Dromos.Scope.run (fun s ->
      around (fun () ->
          Dromos.blocking ?abandon ?late (fun () ->
              Dromos.Scope.cancel s;
              Thread.delay 0.01;
              3)))

let not_late () =
  let late _ = raise (Wrong "late, though the caller was there") in
  any (fun () ->
      equal "value" 1 (Dromos.blocking ~late (fun () -> 1));
      raises "exception" Exit (fun () ->
          Dromos.blocking ~abandon:true ~late (fun () -> raise Exit));
      let here f = f () in
      equal "by default" 3 (cancelled_by_it here);
      equal "waited for" 3 (cancelled_by_it ~abandon:false ~late here);
      raises "left" Dromos.Cancelled (fun () ->
          cancelled_by_it ~abandon:true here);
      equal "protected" 3 (cancelled_by_it ~late Dromos.protect));
  equal "outside" 4 (Dromos.blocking ~late (fun () -> 4))

(* With a single thread, the second call does not begin. *)
let in_line () =
  let wait, let_go = gate () in
  Dromos.set_blocking_threads 1;
  Fun.protect
    ~finally:(fun () -> Dromos.set_blocking_threads 512)
    (fun () ->
      any (fun () ->
          Dromos.Scope.run (fun s ->
              let began = Atomic.make false in
              Dromos.Scope.fork s (fun () ->
                  Dromos.blocking (fun () ->
                      Atomic.set began true;
                      ignore (wait () : int)));
              while not (Atomic.get began) do
                Dromos.sleep 0.001
              done;
              let late _ = raise (Wrong "late, without having begun") in
              times 100 (fun _ ->
                  match
                    Dromos.timeout 0.0005 (fun () ->
                        Dromos.blocking ~late (fun () ->
                            raise (Wrong "it began")))
                  with
                  | () -> ()
                  | exception Dromos.Timeout -> ());
              let_go ())))

(* Each begun call has exactly one taker for the result. *)
let storm () =
  any (fun () ->
      let begun = Atomic.make 0 and late = Atomic.make 0 in
      let taken = Atomic.make 0 in
      let call () =
        let v =
          Dromos.blocking
            ~late:(fun _ -> Atomic.incr late)
            (fun () ->
              Atomic.incr begun;
              Thread.yield ())
        in
        Atomic.incr taken;
        v
      in
      let round i =
        let limit = float (i mod 10) *. 1e-5 in
        match
          Dromos.timeout limit (fun () ->
              Dromos.Scope.run (fun s ->
                  times 10 (fun _ -> Dromos.Scope.fork s call)))
        with
        | () -> ()
        | exception Dromos.Timeout -> ()
      in
      Dromos.Scope.run (fun s ->
          times 100 (fun i -> Dromos.Scope.fork s (fun () -> round i)));
      let all () = Atomic.get taken + Atomic.get late = Atomic.get begun in
      let stop = Unix.gettimeofday () +. 20. in
      while (not (all ())) && Unix.gettimeofday () < stop do
        Dromos.sleep 0.001
      done;
      equal "takers" (Atomic.get begun) (Atomic.get taken + Atomic.get late))

let refused () =
  Misuse.invalid "no threads" "set_blocking_threads" (fun () ->
      Dromos.set_blocking_threads 0)

let cases =
  [
    case "calls that wait for the last one" for_the_last;
    case "a call that is abandoned" abandoned;
    case "its late result" late_result;
    case "a result in time is not late" not_late;
    case "abandoned in line" in_line;
    case "each result has one taker" storm;
    case "no threads" refused;
    case "the program ends during an abandoned call"
      (Misuse.prints "abandoned" [ "Timeout"; "the program ends" ]);
    case "DROMOS_BLOCKING_THREADS is no number"
      (Misuse.prints ~env:"DROMOS_BLOCKING_THREADS=many" "blocks"
         [ "Invalid"; "DROMOS_BLOCKING_THREADS=many" ]);
  ]
