(* Loops among fibers: cancellation, awaits in bodies, stranded work,
   backtraces. *)

open Draw
module Scope = Dromos.Scope

let far = 1 lsl 50

(* Draws a run with a worker or more. *)
let runs ?(least = 1) more gen =
  QCheck.make
    ~print:(fun (t, x) -> print t ^ more x)
    QCheck.Gen.(
      pair
        (map (fun t -> { t with workers = Int.max least t.workers }) draw)
        gen)

let index =
  runs (fun k -> ", at " ^ string_of_int k) QCheck.Gen.(int_bound 5000)

(* A loop without end, whose iteration [k] cancels the scope around the loop. *)
let cancelled name loop =
  law ~count:25 name index (fun t k ->
      inside t (fun () ->
          match
            Scope.run (fun scope ->
                loop t (fun i -> if i = k then Scope.cancel scope))
          with
          | () -> false
          | exception Dromos.Cancelled -> true))

let cancellation =
  [
    cancelled "for_" (fun t visit -> Par.for_ ?grain:t.grain 0 far visit);
    cancelled "for_chunks" (fun _ visit ->
        Par.for_chunks ~grain:100 0 far (fun l h ->
            for i = l to h - 1 do
              visit i
            done));
    cancelled "map_reduce" (fun _ visit ->
        Par.map_reduce 0 far ~map:visit ~combine:(fun () () -> ()) ~init:());
    cancelled "find" (fun t visit ->
        ignore
          (Par.find_opt ?grain:t.grain 0 far (fun i ->
               visit i;
               false)));
    cancelled "a nested loop" (fun t visit ->
        Par.for_ 0 far (fun i ->
            Par.for_ ?grain:t.grain (i * 10) ((i + 1) * 10) visit));
    law ~count:25 "from another fiber" index (fun t k ->
        inside t (fun () ->
            let seen = Atomic.make 0 in
            match
              Scope.run (fun scope ->
                  Scope.fork scope (fun () ->
                      while Atomic.get seen < k do
                        Dromos.yield ()
                      done;
                      Scope.cancel scope);
                  Par.for_ ?grain:t.grain 0 far (fun i ->
                      Atomic.incr seen;
                      if i land 1023 = 0 then Dromos.yield ()))
            with
            | () -> false
            | exception Dromos.Cancelled -> true));
    law ~count:25 "sort: a permutation" index (fun t k ->
        let a = Array.init 5000 (fun i -> i * 7919 mod 1009) in
        let b = Array.copy a in
        let left = Atomic.make k in
        inside t (fun () ->
            try
              Scope.run (fun scope ->
                  Par.Array.sort ?grain:t.grain
                    (fun x y ->
                      if Atomic.fetch_and_add left (-1) = 0 then
                        Scope.cancel scope;
                      Int.compare x y)
                    b)
            with Dromos.Cancelled -> ());
        Array.sort Int.compare a;
        Array.sort Int.compare b;
        a = b);
    (* The loop is over when it raises: no iteration runs afterwards. *)
    law ~count:25 "nothing runs on" index (fun t k ->
        let over = Atomic.make false and late = Atomic.make 0 in
        inside t (fun () ->
            (try
               Par.for_ ?grain:t.grain 0 far (fun i ->
                   if Atomic.get over then Atomic.incr late;
                   if i land 63 = 5 then Dromos.yield ();
                   if i = k then raise Exit)
             with Exit -> Atomic.set over true);
            for _ = 1 to 20 do
              Dromos.yield ()
            done;
            Atomic.get over && Atomic.get late = 0));
  ]

(* True if [f ()] becomes true soon; the limit is generous, for busy
   machines. *)
let soon f =
  let until = Unix.gettimeofday () +. 20. in
  let rec go () =
    f ()
    || Unix.gettimeofday () < until
       &&
       (Domain.cpu_relax ();
        go ())
  in
  go ()

let two = runs ~least:2 (fun n -> Printf.sprintf ", %d iterations" n)

(* False on the hub where a thief waits for its victim's answer: an iteration
   that never ends and never forks does not answer, so no other worker gets the
   iterations behind it. *)
let answers_at_once t =
  Dromos.Hub.name (List.nth Dromos.Hub.all t.hub) <> "private"

let among =
  [
    (* The first iteration ends only after the others: other workers take all
       the others while the first computes. Up to 1024 iterations for each
       worker: leaves of one iteration. *)
    law ~count:20 "no iteration is stuck behind the first one"
      (two QCheck.Gen.(int_range 2 1000))
      (fun t n ->
        QCheck.assume (answers_at_once t);
        let t = { t with grain = None } in
        let others = Atomic.make 0 in
        let met = ref false in
        inside t (fun () ->
            Par.for_ 0 n (fun i ->
                if i > 0 then Atomic.incr others
                else met := soon (fun () -> Atomic.get others = n - 1)));
        !met);
    (* Longer leaves: only the iterations in the leaf of the first wait. *)
    law ~count:10 "one slow iteration strands one leaf at most"
      (two QCheck.Gen.(int_range 10_000 200_000))
      (fun t n ->
        QCheck.assume (answers_at_once t);
        let t = { t with grain = None } in
        let leaf = (n / (1024 * t.workers)) + 1 in
        let others = Atomic.make 0 in
        let met = ref false in
        inside t (fun () ->
            Par.for_ 0 n (fun i ->
                if i > 0 then Atomic.incr others
                else met := soon (fun () -> Atomic.get others >= n - leaf)));
        !met);
    (* Leaves have grown when the slow iteration comes; the other iterations
       still end. *)
    law ~count:10 "a slow iteration after cheap ones strands one leaf at most"
      (two QCheck.Gen.(int_range 100 5000))
      (fun t n ->
        QCheck.assume (answers_at_once t);
        let t = { t with grain = None } in
        let leaf = Int.max 1 (n / (4 * t.workers)) in
        let others = Atomic.make 0 in
        let met = ref false in
        inside t (fun () ->
            Par.for_ 0 n (fun i ->
                if i <> n / 4 then Atomic.incr others
                else met := soon (fun () -> Atomic.get others >= n - leaf)));
        !met);
    (* With a grain of one: the first quarter of the iterations is cheap; each
       of the others waits until all the others wait. *)
    law ~count:10 "iterations that wait after cheap ones"
      (runs
         (fun n -> Printf.sprintf ", %d iterations" n)
         QCheck.Gen.(int_range 100 1000))
      (fun t n ->
        let latch = Dromos.Latch.create (n - (n / 4)) in
        inside t (fun () ->
            Par.for_ ~grain:1 0 n (fun i ->
                if i >= n / 4 then begin
                  Dromos.Latch.count_down latch;
                  Dromos.Latch.wait latch
                end));
        Dromos.Latch.count latch = 0);
    law ~count:20 "lists: no element is stuck behind the first one"
      (two QCheck.Gen.(int_range 2 1000))
      (fun t n ->
        QCheck.assume (answers_at_once t);
        let others = Atomic.make 0 in
        let met = ref false in
        let l = List.init n Fun.id in
        let doubled =
          inside t (fun () ->
              Par.List.map
                (fun i ->
                  if i > 0 then Atomic.incr others
                  else met := soon (fun () -> Atomic.get others = n - 1);
                  2 * i)
                l)
        in
        !met && doubled = List.map (fun i -> 2 * i) l);
    (* The left half would run for ever, and no worker is idle: a task keeps the
       other worker busy until the search is over. *)
    law ~count:20 "exists: a match ends what is to its left"
      (two QCheck.Gen.(int_range 100 5000))
      (fun t n ->
        QCheck.assume (answers_at_once t);
        let found = Atomic.make false and over = Atomic.make false in
        let busy = Dromos.Ivar.create () in
        inside { t with workers = 2 } (fun () ->
            let hit i =
              i >= far / 2
              && i mod n = 0
              && begin
                   if not (Atomic.exchange found true) then
                     Dromos.Ivar.fill busy
                       (Dromos.async (fun () ->
                            soon (fun () -> Atomic.get over)));
                   true
                 end
            in
            let holds =
              Par.exists 0 far (fun i ->
                  if i = 0 then ignore (soon (fun () -> Atomic.get found));
                  hit i)
            in
            Atomic.set over true;
            holds && Dromos.await (Dromos.Ivar.read busy)));
    law ~count:20 "tasks and awaits in bodies"
      (runs
         (fun n -> Printf.sprintf ", %d iterations" n)
         QCheck.Gen.(int_bound 300))
      (fun t n ->
        let r = Array.make n (-1) in
        inside t (fun () ->
            Par.for_ ?grain:t.grain 0 n (fun i ->
                let p =
                  Dromos.async (fun () ->
                      Dromos.yield ();
                      Par.map_reduce 0 i ~map:Fun.id ~combine:( + ) ~init:0)
                in
                r.(i) <- Dromos.await p));
        r = Array.init n (fun i -> i * (i - 1) / 2));
    law ~count:20 "loops side by side"
      (runs
         (fun n -> Printf.sprintf ", %d iterations" n)
         QCheck.Gen.(int_bound 3000))
      (fun t n ->
        let sum () =
          Par.map_reduce ?grain:t.grain 0 n ~map:Fun.id ~combine:( + ) ~init:0
        in
        let sums =
          inside t (fun () ->
              Dromos.all (List.init 5 (fun _ -> sum))
              @ List.map Dromos.await (List.init 5 (fun _ -> Dromos.async sum)))
        in
        sums = List.init 10 (fun _ -> n * (n - 1) / 2));
    law ~count:20 "a loop under fork after fork" index (fun t k ->
        (* The latent frames of an outer recursion are older than the loop's
           frames. *)
        let rec deep n =
          if n = 0 then
            Par.map_reduce ?grain:t.grain 0 k ~map:Fun.id ~combine:( + ) ~init:0
          else
            let a, b = Dromos.both (fun () -> deep (n - 1)) (fun () -> 1) in
            a + b
        in
        inside t (fun () -> deep 50) = (k * (k - 1) / 2) + 50);
  ]

let[@inline never] thrower () = failwith "thrown"

let traces =
  [
    law ~count:20 "the backtrace leads to the iteration" index (fun t k ->
        inside t (fun () ->
            match
              Par.for_ ?grain:t.grain 0 (k + 10) (fun i ->
                  if i = k then thrower ())
            with
            | () -> false
            | exception Failure _ ->
                Said.contains (Printexc.get_backtrace ()) "test_fiber.ml"));
  ]

(* The signal is set, for a cancelled scope that is not over, and a task waits.
   The only worker is busy, so no worker would take a piece: the loop must not
   be cut. A loop that was cut would allocate a frame for each iteration, or an
   index with each result; the test counts the words allocated. *)
let waits_for_its_taker ?(grain = 1) name loop =
  case ("an offer that waits cuts no " ^ name) (fun () ->
      let n = 2_000_000 in
      let words =
        Dromos.run ~workers:1 (fun () ->
            let task = Dromos.async ignore in
            let words =
              Scope.run (fun scope ->
                  Scope.cancel scope;
                  Dromos.protect (fun () ->
                      let before = Gc.minor_words () in
                      loop n;
                      Gc.minor_words () -. before))
            in
            Dromos.await task;
            words)
      in
      if words > float_of_int (n / grain) then
        Alcotest.failf "%.0f words for %d pieces" words (n / grain))

(* The signal of a successful search is cleared at the end; otherwise every
   later loop of the run would publish pieces that no worker wants. *)
let searches_end () =
  let promotions =
    Dromos.run ~workers:1 (fun () ->
        for k = 1 to 100 do
          assert (Par.find_opt 0 1000 (fun i -> i = k) = Some k);
          assert (Par.exists 0 1000 (fun i -> i >= k));
          match
            Par.find_opt 0 1000 (fun i -> if i > k then raise Exit else i = k)
          with
          | found -> assert (found = Some k)
          | exception Exit -> assert false
        done;
        Par.for_ 0 2_000_000 ignore;
        (Dromos.stats ()).promotions)
  in
  if promotions > 0 then Alcotest.failf "%d promotions" promotions

let offers =
  [
    case "searches leave no signal up" searches_end;
    waits_for_its_taker "loop" (fun n -> Par.for_ 0 n ignore);
    waits_for_its_taker ~grain:8 "loop of blocks" (fun n ->
        Par.for_ ~grain:8 0 n ignore);
    waits_for_its_taker "reduction" (fun n ->
        ignore (Par.map_reduce 0 n ~map:Fun.id ~combine:( + ) ~init:0));
  ]

(* The second element and the first wait for each other: even on one worker,
   where a list without a grain is a single piece. *)
let waits_together (name, iter) =
  case ("elements of a list wait together: " ^ name) (fun () ->
      Dromos.run ~workers:1 (fun () ->
          let second = Dromos.Promise.create () in
          let visit = function
            | 0 -> Dromos.await second
            | 1 -> Dromos.Promise.resolve second ()
            | _ -> ()
          in
          iter visit (List.init 100 Fun.id)))

let lists : (string * ((int -> unit) -> int list -> unit)) list =
  let kept visit i =
    visit i;
    true
  in
  [
    ("iter", fun visit -> Par.List.iter ~grain:1 visit);
    ("map", fun visit l -> ignore (Par.List.map ~grain:1 visit l : unit list));
    ( "filter",
      fun visit l -> ignore (Par.List.filter ~grain:1 (kept visit) l : int list)
    );
    ( "filter_map",
      fun visit l ->
        let some i = Some (visit i) in
        ignore (Par.List.filter_map ~grain:1 some l : unit list) );
    ( "concat_map",
      fun visit l ->
        let one i = [ visit i ] in
        ignore (Par.List.concat_map ~grain:1 one l : unit list) );
  ]

(* The signal is set for an idle worker, cleared when the worker has taken a
   piece, and set again for the cancellation, all during one element. *)
let cancelled_in_an_element () =
  let n = 2000 in
  let taken = Atomic.make false and cancelled = Atomic.make false in
  let late = Atomic.make 0 in
  let spin_until cell =
    while not (Atomic.get cell) do
      Domain.cpu_relax ()
    done
  in
  (match
     Dromos.run ~workers:2 (fun () ->
         Scope.run (fun scope ->
             let visit i =
               if Atomic.get cancelled then Atomic.incr late
               else if i = 0 then begin
                 spin_until taken;
                 Scope.cancel scope;
                 Atomic.set cancelled true
               end
               else if i >= n / 2 then begin
                 Atomic.set taken true;
                 spin_until cancelled
               end
             in
             Par.List.iter ~grain:(n / 2) visit (List.init n Fun.id)))
   with
  | () -> Alcotest.fail "not cancelled"
  | exception Dromos.Cancelled -> ());
  if Atomic.get late > 2 then
    Alcotest.failf "%d elements began late" (Atomic.get late)

(* An array of more than 256 elements whose initial value is a young block begins
   with a minor collection, on all domains. The minor heap has room for all that
   the loops allocate. *)
let lists_without_collections () =
  let times = 100 in
  let collections =
    Dromos.run ~workers:2 ~minor_heap_words:(1 lsl 22) (fun () ->
        let before = (Dromos.stats ()).minor.collections in
        for _ = 1 to times do
          ignore (Par.List.map succ (List.init 1000 Fun.id) : int list)
        done;
        (Dromos.stats ()).minor.collections - before)
  in
  if collections > times / 4 then
    Alcotest.failf "%d collections for %d lists" collections times

let on_lists =
  case "a list is cancelled during an element" cancelled_in_an_element
  :: case "a list begins no collection" lists_without_collections
  :: List.map waits_together lists

let tests = cancellation @ among @ traces @ offers @ on_lists
