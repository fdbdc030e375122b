(* The price of cancelled waits. [n] items pass between n/5 tasks; some of the
   tasks are cancelled while they wait, and the remaining tasks pass all items.
   After the thesis "Effectively composing concurrency libraries", section
   6.3. *)

open Structures
module Scope = Dromos.Scope

(* The numbers of the tasks to cancel: spread out, but none of the first, since
   a structure with room would serve the first tasks at once. *)
let doomed percent i = i >= 100 && i mod 100 < percent

(* A task in a scope of its own, for cancellation. *)
let start outer scopes i ~begun ~ended body =
  Scope.fork outer (fun () ->
      (try
         Scope.run (fun scope ->
             scopes.(i) <- Some scope;
             Atomic.incr begun;
             body ())
       with Dromos.Cancelled -> ());
      ended ())

let wait_until test =
  while not (test ()) do
    Dromos.yield ()
  done

(* Starts [count] tasks. The surviving tasks of [who] do [act] [items] times in
   all; a doomed task tries [act] once. When all tasks have begun, the doomed
   ones are cancelled. [crowd] returns after they have ended, since an item could
   still reach a doomed task before its end. *)
let crowd outer ~count ~percent ~items ?(who = fun _ -> true) act =
  let scopes = Array.make count None in
  let begun = Atomic.make 0 and ended = Atomic.make 0 in
  let survives i = not (doomed percent i) in
  let all = List.init count Fun.id in
  let survivors = List.length (List.filter survives all) in
  let rank = ref 0 in
  let quota i =
    if doomed percent i then 1
    else begin
      incr rank;
      (items / survivors) + if !rank <= items mod survivors then 1 else 0
    end
  in
  let begin_ i =
    let quota = quota i in
    let ended () = if doomed percent i then Atomic.incr ended in
    start outer scopes i ~begun ~ended (fun () ->
        for _ = 1 to quota do
          act ()
        done)
  in
  let mine = List.filter who all in
  List.iter begin_ mine;
  wait_until (fun () -> Atomic.get begun = List.length mine);
  let victims = List.filter (doomed percent) mine in
  let cancel i = Option.iter Scope.cancel scopes.(i) in
  List.iter cancel victims;
  wait_until (fun () -> Atomic.get ended = List.length victims)

type shape = { producers : int; consumers : int }

let shapes tasks =
  [
    ("spmc", { producers = 1; consumers = tasks });
    ("mpsc", { producers = tasks; consumers = 1 });
    ("mpmc", { producers = tasks / 2; consumers = tasks / 2 });
  ]

(* The larger side starts first, and waits; its doomed tasks are cancelled
   before the smaller side begins. If both sides are crowds, the doomed tasks of
   the second side start before all others, when there are no items for them. *)
let run make ~workers ~items { producers; consumers } percent =
  let q = make () in
  let put () = q.put 1 and take () = ignore (q.take () : int) in
  Dromos.run ~workers (fun () ->
      Scope.run (fun outer ->
          let all act () =
            for _ = 1 to items do
              act ()
            done
          in
          let crowd = crowd outer ~percent ~items in
          if producers = 1 then begin
            crowd ~count:consumers take;
            Scope.fork outer (all put)
          end
          else if consumers = 1 then begin
            crowd ~count:producers put;
            Scope.fork outer (all take)
          end
          else begin
            crowd ~count:consumers ~who:(doomed percent) take;
            crowd ~count:producers put;
            let survives i = not (doomed percent i) in
            crowd ~count:consumers ~who:survives take
          end))

let time f =
  let start = Bench_core.Usage.now () in
  f ();
  Bench_core.Usage.now () -. start

let rounds = 12
let percents = [ 0; 10; 20; 30 ]

(* The least times over rounds of all percentages: a disturbance makes a run
   only longer. Each round begins with another percentage, since the first run
   of a round finds the heap that the round before has left. *)
let measure make ~workers ~items (name, shape) =
  let least = Array.make (List.length percents) infinity in
  let one k =
    let percent = List.nth percents k in
    let took = time (fun () -> run make ~workers ~items shape percent) in
    least.(k) <- Float.min least.(k) took
  in
  let round first =
    List.iteri (fun k _ -> one ((first + k) mod List.length percents)) percents
  in
  round 0;
  Array.fill least 0 (Array.length least) infinity;
  for first = 1 to rounds do
    round first
  done;
  let base = least.(0) in
  (name ^ "_s", base)
  :: List.mapi
       (fun k percent ->
         (Printf.sprintf "%s_%d" name percent, least.(k + 1) /. base))
       (List.tl percents)

let probe make ~workers ~n =
  List.concat_map (measure make ~workers ~items:n) (shapes (n / 5))
