module S = Dromos_suspend

type scheduler = {
  name : string;
  run : (unit -> unit) -> unit;
  fork : (unit -> unit) -> unit -> unit;
  cancels : bool;
}

let ensure text ok = if not ok then failwith text

let equal what expected got =
  if expected <> got then
    failwith (Printf.sprintf "%s: %d, not %d" what got expected)

(* {1 The smallest structure with a wait} *)

module Cell = struct
  type 'a state = Empty of 'a S.resumer list | Full of 'a

  let create () = Atomic.make (Empty [])

  let rec put t v =
    match Atomic.get t with
    | Full _ -> failwith "filled twice"
    | Empty waiters as old ->
        if Atomic.compare_and_set t old (Full v) then
          List.iter (fun r -> ignore (r (Ok v))) (List.rev waiters)
        else put t v

  let rec block t resume =
    match Atomic.get t with
    | Full v -> Some v
    | Empty waiters as old ->
        if Atomic.compare_and_set t old (Empty (resume :: waiters)) then None
        else block t resume

  let get t = S.suspend (block t)
end

(* A wait under test: [wait] leaves the task's resumer here. *)
type 'a door = 'a S.resumer option Atomic.t

let door () : 'a door = Atomic.make None

let wait (door : 'a door) =
  S.suspend (fun resume ->
      Atomic.set door (Some resume);
      None)

(* Waits for the resumer: for a thread of its own, or a task without other
   work. *)
let rec resumer ?(pause = Thread.yield) (door : 'a door) =
  match Atomic.get door with
  | Some resume -> resume
  | None ->
      pause ();
      resumer ~pause door

(* Makes a task, with a cell for its result. *)
let task s f =
  let result = Cell.create () in
  let cancel =
    s.fork (fun () ->
        match f () with
        | v -> Cell.put result (Ok v)
        | exception e ->
            Cell.put result (Error (e, Printexc.get_raw_backtrace ()));
            raise e)
  in
  (result, cancel)

(* Raises a task's failure in the calling task; otherwise the failure would be
   lost. *)
let result cell =
  match Cell.get cell with
  | Ok v -> v
  | Error (e, bt) -> Printexc.raise_with_backtrace e bt

let ended_by_exception cell =
  match Cell.get cell with Ok _ -> false | Error _ -> true

(* Lets further tasks run, in a scheduler without a known yield. *)
let breathe () =
  let cell = Cell.create () in
  let (_ : Thread.t) =
    Thread.create
      (fun () ->
        Thread.delay 0.001;
        Cell.put cell ())
      ()
  in
  Cell.get cell

let await_resumer d =
  let (_ : _ S.resumer) = resumer ~pause:breathe d in
  ()

(* {1 Resuming} *)

let some_value s () =
  s.run (fun () ->
      let applied = ref 0 in
      let v =
        S.suspend (fun _ ->
            incr applied;
            Some 7)
      in
      equal "the value" 7 v;
      equal "times that block was applied" 1 !applied)

let resumed_in_block s () =
  s.run (fun () ->
      let v =
        S.suspend (fun resume ->
            ensure "the first call" (resume (Ok 8));
            ensure "the second call" (not (resume (Ok 9)));
            None)
      in
      equal "the value" 8 v)

let many_suspensions s () =
  s.run (fun () ->
      for i = 1 to 50_000 do
        equal "resumed in block" i
          (S.suspend (fun resume ->
               ignore (resume (Ok i));
               None));
        equal "some" i (S.suspend (fun _ -> Some i))
      done)

let from what s () =
  s.run (fun () ->
      let d = door () in
      let finish =
        what (fun () ->
            let resume = resumer d in
            ensure "the first call" (resume (Ok 5));
            ensure "the second call" (not (resume (Ok 6))))
      in
      equal "the value" 5 (wait d);
      finish ())

let a_domain f =
  let d = Domain.spawn f in
  fun () -> Domain.join d

let a_thread f =
  let over = Cell.create () in
  let (_ : Thread.t) =
    Thread.create
      (fun () ->
        Cell.put over (match f () with () -> None | exception e -> Some e))
      ()
  in
  fun () -> Option.iter raise (Cell.get over)

let from_a_task s () =
  s.run (fun () ->
      let d = door () in
      let waiter, _ = task s (fun () -> wait d) in
      let resume = resumer ~pause:breathe d in
      ensure "the first call" (resume (Ok 5));
      ensure "the second call" (not (resume (Ok 6)));
      equal "the value" 5 (result waiter);
      ensure "a call when the task is over" (not (resume (Ok 7))))

exception Given

let[@inline never] given_here () =
  match Sys.opaque_identity (raise Given) with
  | () -> assert false
  | exception e -> (e, Printexc.get_raw_backtrace ())

let error_with_backtrace s () =
  Printexc.record_backtrace true;
  let e, bt = given_here () in
  let place = Printexc.raw_backtrace_to_string bt in
  let place = List.hd (String.split_on_char '\n' place) in
  s.run (fun () ->
      let d = door () in
      let finish = a_thread (fun () -> ignore (resumer d (Error (e, bt)))) in
      (match wait d with
      | () -> failwith "no exception"
      | exception Given ->
          let got = Printexc.get_backtrace () in
          ensure
            (Printf.sprintf "%S is not in the backtrace %S" place got)
            (List.mem place (String.split_on_char '\n' got)));
      finish ())

(* The caller of a resumer may hold a lock that the task needs next. *)
let not_in_the_caller s () =
  s.run (fun () ->
      let lock = Mutex.create () and d = door () in
      let finish =
        a_thread (fun () ->
            let resume = resumer d in
            Mutex.protect lock (fun () -> ignore (resume (Ok ()))))
      in
      wait d;
      Mutex.protect lock ignore;
      finish ())

let siblings_go_on s () =
  s.run (fun () ->
      let go = Cell.create () and n = 300 in
      let waiters =
        List.init n (fun i -> fst (task s (fun () -> Cell.get go + i)))
      in
      let filler, _ = task s (fun () -> Cell.put go 1000) in
      result filler;
      List.iteri
        (fun i cell -> equal "a waiter's value" (1000 + i) (result cell))
        waiters)

let one_winner s () =
  s.run (fun () ->
      for _ = 1 to 150 do
        let d = door () and winners = Atomic.make [] in
        let rec won i =
          let old = Atomic.get winners in
          if not (Atomic.compare_and_set winners old (i :: old)) then won i
        in
        let call i () = if resumer d (Ok i) then won i in
        let finish = List.init 3 (fun i -> a_thread (call i)) in
        let v = wait d in
        List.iter (fun finish -> finish ()) finish;
        match Atomic.get winners with
        | [ w ] -> equal "the winner's value" w v
        | all -> equal "winners" 1 (List.length all)
      done)

let ping_pong s () =
  let rounds = 1000 in
  let doors = Array.init rounds (fun _ -> door ()) in
  let other () =
    for i = 0 to rounds - 1 do
      let resume = resumer ~pause:Domain.cpu_relax doors.(i) in
      for _ = 1 to i mod 7 * 20 do
        Domain.cpu_relax ()
      done;
      ensure "the first call" (resume (Ok i))
    done
  in
  s.run (fun () ->
      let d = Domain.spawn other in
      Array.iteri (fun i door -> equal "the value" i (wait door)) doors;
      Domain.join d)

let identity s () =
  s.run (fun () ->
      let me = S.self () in
      ensure "the scheduler answers Self" (me > 0);
      breathe ();
      equal "the same after a wait" me (S.self ());
      let ids =
        List.map result
          (List.init 5 (fun _ -> fst (task s (fun () -> S.self ()))))
      in
      equal "different tasks" 6
        (List.length (List.sort_uniq compare (me :: ids)));
      equal "the same after others ran" me (S.self ()))

(* {1 Cancelling} *)

let cancel_waiting s () =
  s.run (fun () ->
      let d = door () in
      let waiter, cancel = task s (fun () -> wait d) in
      let resume = resumer ~pause:breathe d in
      cancel ();
      ensure "it ends, though no task resumes it" (ended_by_exception waiter);
      ensure "the resumer says so" (not (resume (Ok ())));
      cancel ())

let cancel_one_of_two s () =
  s.run (fun () ->
      let d = door () and d' = door () in
      let a, cancel_a = task s (fun () -> wait d) in
      let b, _ = task s (fun () -> wait d') in
      await_resumer d;
      let resume_b = resumer ~pause:breathe d' in
      cancel_a ();
      ensure "one ends" (ended_by_exception a);
      ensure "the other can be resumed" (resume_b (Ok 4));
      equal "its value" 4 (result b))

(* Runs [f] in a new task, with a function to cancel the task. *)
let with_own_cancel s f =
  let own = Cell.create () in
  let t, cancel = task s (fun () -> f (Cell.get own)) in
  Cell.put own cancel;
  t

let no_block_when_cancelled s () =
  s.run (fun () ->
      let applied = Atomic.make false in
      let t =
        with_own_cancel s (fun cancel ->
            cancel ();
            S.suspend (fun _ ->
                Atomic.set applied true;
                Some ()))
      in
      ensure "the wait raises" (ended_by_exception t);
      ensure "block is not applied" (not (Atomic.get applied)))

let some_is_kept s () =
  s.run (fun () ->
      let t =
        with_own_cancel s (fun cancel ->
            S.suspend (fun _ ->
                cancel ();
                Some 11))
      in
      equal "the value, not the cancellation" 11 (result t))

let cancelled_in_block s () =
  s.run (fun () ->
      let d = door () in
      let t =
        with_own_cancel s (fun cancel ->
            S.suspend (fun resume ->
                cancel ();
                Atomic.set d (Some resume);
                None))
      in
      ensure "the wait raises" (ended_by_exception t);
      ensure "the resumer says so" (not (resumer d (Ok ()))))

let resumed_then_cancelled s () =
  s.run (fun () ->
      for i = 1 to 20 do
        let d = door () in
        let t, cancel = task s (fun () -> wait d) in
        let resume = resumer ~pause:breathe d in
        ensure "the first call" (resume (Ok i));
        cancel ();
        equal "the value, not the cancellation" i (result t)
      done)

(* A resumption races a cancellation: a resumer that returned [true] has handed
   its value over. *)
let resume_or_cancel s () =
  let rounds = 300 in
  s.run (fun () ->
      for i = 1 to rounds do
        let d = door () and go = Atomic.make false in
        let t, cancel = task s (fun () -> wait d) in
        let handed = Atomic.make false in
        let finish =
          a_thread (fun () ->
              let resume = resumer d in
              while not (Atomic.get go) do
                Domain.cpu_relax ()
              done;
              Atomic.set handed (resume (Ok i)))
        in
        await_resumer d;
        Atomic.set go true;
        if i mod 3 > 0 then
          for _ = 1 to Random.State.int Watch.chance 200 do
            Domain.cpu_relax ()
          done
        else Thread.yield ();
        cancel ();
        let got = match Cell.get t with Ok v -> v = i | Error _ -> false in
        finish ();
        ensure "resumed, as the resumer said" (got = Atomic.get handed)
      done)

let cancel_over s () =
  s.run (fun () ->
      let t, cancel = task s (fun () -> 1) in
      equal "its value" 1 (result t);
      cancel ();
      cancel ();
      breathe ())

let contract s =
  [
    ("Some v goes on with v", some_value);
    ("resumed while block runs", resumed_in_block);
    ("many suspensions in one task", many_suspensions);
    ("resumed from a domain", from a_domain);
    ("resumed from a systhread", from a_thread);
    ("resumed from a task", from_a_task);
    ("an error with its backtrace", error_with_backtrace);
    ("not on the caller's stack", not_in_the_caller);
    ("siblings go on", siblings_go_on);
    ("one winner", one_winner);
    ("no lost wake-up", ping_pong);
    ("identity", identity);
  ]
  @
  if not s.cancels then []
  else
    [
      ("a waiting task is cancelled at once", cancel_waiting);
      ("its neighbour is not", cancel_one_of_two);
      ("a cancelled task does not wait", no_block_when_cancelled);
      ("cancelled in block, Some v", some_is_kept);
      ("cancelled in block, None", cancelled_in_block);
      ("resumed, then cancelled", resumed_then_cancelled);
      ("resumed or cancelled", resume_or_cancel);
      ("cancelled when over", cancel_over);
    ]

let cases s =
  List.map
    (fun (what, f) -> Watch.case (s.name ^ ": " ^ what) (f s))
    (contract s)

let failures s =
  List.filter_map
    (fun (what, f) ->
      match f s () with
      | () -> None
      | exception e -> Some (what, Printexc.to_string e))
    (contract s)
