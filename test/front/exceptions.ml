(* A raising task in every position: the exception that arrives, and its
   backtrace. *)

open With_run

exception Boom of int

(* The function whose name the backtraces must contain. *)
let[@inline never] boom n = if n >= 0 then raise (Boom n) else n
let[@inline never] boom_deep n = 1 + boom n

(* [f ()] raises [Boom n], with the origin in the backtrace. *)
let booms what n f =
  match f () with
  | _ -> raise (Wrong (what ^ ": no exception"))
  | exception Boom m ->
      let bt = Printexc.get_backtrace () in
      if m <> n then
        raise (Wrong (Printf.sprintf "%s: Boom %d, not Boom %d" what m n));
      if not (contains bt "exceptions.ml" && contains bt "Exceptions.boom") then
        raise (Wrong (Printf.sprintf "%s: the backtrace is lost:\n%s" what bt))

let many = 300

let first () =
  booms "run" 1 (fun () -> go (fun () -> boom_deep 1));
  go (fun () ->
      times many (fun i ->
          booms "left" i (fun () ->
              Dromos.both (fun () -> boom_deep i) (fun () -> 0))))

let last () =
  go (fun () ->
      times many (fun i ->
          let left = ref 0 in
          booms "right" i (fun () ->
              Dromos.both (fun () -> incr left) (fun () -> boom_deep i));
          equal "left" 1 !left))

let taken () =
  parallel (fun () ->
      times many (fun i ->
          let runs = Atomic.make false and over = ref false in
          booms "taken" i (fun () ->
              Dromos.both
                (fun () ->
                  spin_until "the right branch" runs;
                  over := true)
                (fun () ->
                  Atomic.set runs true;
                  boom_deep i));
          ensure "the left branch ran to its end" !over))

(* Both branches raise, the right branch first: the left branch's exception is
   raised. *)
let leftmost () =
  parallel (fun () ->
      times many (fun i ->
          let runs = Atomic.make false in
          booms "both" i (fun () ->
              Dromos.both
                (fun () ->
                  spin_until "the right branch" runs;
                  boom_deep i)
                (fun () ->
                  Atomic.set runs true;
                  boom_deep (-i - 1) |> ignore;
                  boom_deep (i + 1)))))

(* The left branch raises while the right branch waits for ever, sleeps, or
   yields: the right branch is cancelled, and over when [both] raises. *)
let left_stops_right () =
  let wait = function
    | 0 -> never ()
    | 1 -> Dromos.sleep 1000.
    | 2 ->
        while true do
          Dromos.yield ()
        done
    | 3 ->
        while true do
          Dromos.check ()
        done
    | 4 ->
        while true do
          ignore (Dromos.both ignore ignore)
        done
    | _ -> ignore (Dromos.both never never)
  in
  parallel (fun () ->
      times many (fun i ->
          let runs = Atomic.make false and over = Atomic.make false in
          booms "left" i (fun () ->
              Dromos.both
                (fun () ->
                  spin_until "the right branch" runs;
                  boom_deep i)
                (fun () ->
                  Fun.protect
                    (fun () ->
                      Atomic.set runs true;
                      wait (i mod 6))
                    ~finally:(fun () -> Atomic.set over true)));
          ensure "the right branch is over" (Atomic.get over)))

(* A binary tree in which some leaves raise: the leftmost exception is
   raised. *)
let tree () =
  go (fun () ->
      times many (fun i ->
          let leaves = 64 in
          let raising = [ i mod leaves; i * 7 mod leaves; i * 31 mod leaves ] in
          let rec node lo hi =
            if hi - lo = 1 then if List.mem lo raising then boom_deep lo else lo
            else
              let mid = (lo + hi) / 2 in
              let a, b =
                Dromos.both (fun () -> node lo mid) (fun () -> node mid hi)
              in
              a + b
          in
          booms "tree" (List.fold_left Int.min leaves raising) (fun () ->
              node 0 leaves)))

let all () =
  go (fun () ->
      ensure "none" (Dromos.all [] = []);
      times many (fun i ->
          let n = 1 + (i mod 17) in
          let expected = List.init n Fun.id in
          ensure "values" (Dromos.all (List.init n (fun j () -> j)) = expected);
          let k = i mod n in
          booms "all" k (fun () ->
              Dromos.all
                (List.init n (fun j () -> if j >= k then boom_deep j else j)))))

(* A failed task, awaited by several fibers: each gets the exception and the
   backtrace. *)
let awaited () =
  go (fun () ->
      times many (fun i ->
          let p =
            Dromos.async (fun () ->
                if i land 1 = 0 then Dromos.yield ();
                boom_deep i)
          in
          let readers =
            List.init 5 (fun _ ->
                Dromos.async (fun () ->
                    booms "await" i (fun () -> Dromos.await p)))
          in
          booms "await" i (fun () -> Dromos.await p);
          List.iter Dromos.await readers))

(* The task raises after a suspension, perhaps on another domain. *)
let resumed () =
  go (fun () ->
      times 30 (fun i ->
          let p =
            Dromos.async (fun () ->
                Dromos.sleep 0.0001;
                boom_deep i)
          in
          booms "after a sleep" i (fun () -> Dromos.await p)))

let nested () =
  go (fun () ->
      times many (fun i ->
          booms "nested run" i (fun () -> Dromos.run (fun () -> boom_deep i));
          booms "nested run, right" i (fun () ->
              Dromos.both ignore (fun () ->
                  Dromos.run (fun () ->
                      snd (Dromos.both ignore (fun () -> boom_deep i)))))))

let scope () =
  go (fun () ->
      times many (fun i ->
          booms "Scope.async" i (fun () ->
              Dromos.Scope.run (fun s ->
                  let p = Dromos.Scope.async s (fun () -> boom_deep i) in
                  if i land 1 = 0 then ignore (Dromos.Promise.result p)));
          booms "Scope.fork" i (fun () ->
              Dromos.Scope.run (fun s ->
                  Dromos.Scope.fork s (fun () -> ignore (boom_deep i));
                  never ()));
          booms "the scope's body" i (fun () ->
              Dromos.Scope.run (fun s ->
                  Dromos.Scope.fork s never;
                  boom_deep i))))

let blocking () =
  go (fun () ->
      times 100 (fun i ->
          booms "blocking" i (fun () -> Dromos.blocking (fun () -> boom_deep i));
          booms "protect" i (fun () -> Dromos.protect (fun () -> boom_deep i))))

(* No fiber awaits the task: the run, or the scope, raises at its end. *)
let orphan () =
  times 50 (fun i ->
      let others = Atomic.make 0 in
      booms "orphan of the run" i (fun () ->
          go (fun () ->
              ignore
                (Dromos.async (fun () -> boom_deep i) : int Dromos.Promise.t);
              times 10 (fun _ ->
                  ignore
                    (Dromos.async (fun () ->
                         Dromos.yield ();
                         Atomic.incr others)
                      : unit Dromos.Promise.t))));
      equal "an orphan cancels no other task" 10 (Atomic.get others);
      go (fun () ->
          booms "orphan of a scope" i (fun () ->
              Dromos.Scope.run (fun _ ->
                  ignore
                    (Dromos.async (fun () -> boom_deep i)
                      : int Dromos.Promise.t)));
          let p = Dromos.async (fun () -> boom_deep i) in
          ensure "a failure that was read"
            (Result.is_error (Dromos.Promise.result p))))

(* Outside a run the same functions are plain calls. *)
let outside () =
  booms "both outside" 3 (fun () -> Dromos.both (fun () -> boom_deep 3) ignore);
  booms "all outside" 4 (fun () -> Dromos.all [ (fun () -> boom_deep 4) ]);
  booms "blocking outside" 5 (fun () -> Dromos.blocking (fun () -> boom_deep 5))

let cases =
  [
    case "in the first branch" first;
    case "in the last branch" last;
    case "in a branch that another worker took" taken;
    case "leftmost wins" leftmost;
    case "the left one stops the right one" left_stops_right;
    case "in a tree of forks" tree;
    case "in all" all;
    case "in a task that several await" awaited;
    case "in a task that was suspended" resumed;
    case "in a nested run" nested;
    case "in a scope" scope;
    case "in a blocking call, in protect" blocking;
    case "in a task that is not awaited" orphan;
    case "outside a run" outside;
  ]
