(* What cancelled waits cost: n items between n/5 tasks, of which some
   are cancelled while they wait, the others passing all items nevertheless. As
   in the thesis "Effectively composing concurrency libraries", section 6.3. *)

open Structures
module Scope = Dromos.Scope

(* The numbers of those to be cancelled: spread out, but not the first ones,
   which a structure with room would serve at once. *)
let doomed percent i = i >= 100 && i mod 100 < percent

(* A task in a scope of its own, that can be cancelled. *)
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

(* Of [count] tasks that together do [act] [items] times those of [who]; the
   doomed try it once. When all have begun these are cancelled, and are over when
   the result returns: until then somebody could still give them an item. *)
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

(* The larger side first, which then waits; its doomed are cancelled before the
   other side begins. With two crowds the doomed of the second one come first of
   all, when there is nothing for them. *)
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

(* The least times over rounds of all percentages: what disturbs a run only
   makes it longer. Each round begins with another percentage, as whoever comes
   first finds the heap as the last of the round before left it. *)
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
