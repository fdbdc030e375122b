(* Broadcasts: every receiver gets every message, in one order, or learns how
   many are missing. *)

open Dromos_sync
module Scope = Dromos.Scope

let fail format = Printf.ksprintf failwith format

let equal what expected got =
  if expected <> got then fail "%s: %d expected, %d got" what expected got

let ensure what ok = if not ok then failwith what

let closed what f =
  match f () with
  | _ -> fail "%s: not closed" what
  | exception Broadcast.Closed -> ()

let late what f =
  match f () with
  | _ -> fail "%s: no time-out" what
  | exception Event.Timeout -> ()

let everywhere f =
  List.iter
    (fun hub ->
      List.iter (fun workers -> Dromos.run ~workers ~hub f) [ 1; 2; 4 ])
    Dromos.Hub.all

let publish_all t = List.iter (Broadcast.publish t)
let received s = List.of_seq (Broadcast.to_seq s)

let step_by_step () =
  let t = Broadcast.create 2 in
  Broadcast.publish t 0;
  let a = Broadcast.subscribe t in
  publish_all t [ 1; 2 ];
  let b = Broadcast.subscribe t in
  late "full" (fun () -> Broadcast.publish ~timeout:0.001 t 3);
  late "no time" (fun () -> Broadcast.publish ~timeout:0. t 3);
  equal "first" 1 (Broadcast.receive a);
  Broadcast.publish ~timeout:0. t 3;
  ensure "b" (Broadcast.try_receive b = Some 3);
  ensure "no more" (Broadcast.try_receive b = None);
  late "empty" (fun () -> Broadcast.receive ~timeout:0.001 b);
  equal "subscribers" 2 (Broadcast.subscribers t);
  Broadcast.close t;
  closed "publish" (fun () -> Broadcast.publish t 4);
  closed "subscribe" (fun () -> Broadcast.subscribe t);
  ensure "a" (received a = [ 2; 3 ]);
  closed "b" (fun () -> Broadcast.receive b);
  closed "try" (fun () -> Broadcast.try_receive b);
  equal "missed" 0 (Broadcast.missed a);
  match Broadcast.create 0 with
  | (_ : int Broadcast.t) -> fail "capacity 0"
  | exception Invalid_argument text ->
      ensure text (String.ends_with ~suffix:"capacity 0" text)

let dropping () =
  let t = Broadcast.create ~overflow:`Drop_oldest 3 in
  let slow = Broadcast.subscribe t and quick = Broadcast.subscribe t in
  for i = 1 to 10 do
    Broadcast.publish t i;
    equal "quick" i (Broadcast.receive quick)
  done;
  equal "missed" 7 (Broadcast.missed slow);
  equal "quick missed" 0 (Broadcast.missed quick);
  Broadcast.close t;
  ensure "slow" (received slow = [ 8; 9; 10 ])

let unsubscribed () =
  let t = Broadcast.create 1 in
  let kept = Broadcast.subscribe t and gone = Broadcast.subscribe t in
  Broadcast.publish t 1;
  equal "kept" 1 (Broadcast.receive kept);
  let published = Atomic.make false in
  let publisher =
    Thread.create
      (fun () ->
        Broadcast.publish t 2;
        Atomic.set published true)
      ()
  in
  let waiting =
    Thread.create
      (fun () ->
        closed "it waits" (fun () ->
            Broadcast.unsubscribe gone;
            Broadcast.receive gone))
      ()
  in
  Thread.join publisher;
  Thread.join waiting;
  ensure "published" (Atomic.get published);
  equal "kept" 2 (Broadcast.receive kept);
  equal "subscribers" 1 (Broadcast.subscribers t);
  Broadcast.unsubscribe gone;
  closed "gone" (fun () -> Broadcast.receive gone);
  Broadcast.with_subscription t (fun s ->
      Broadcast.publish t 3;
      equal "within" 3 (Broadcast.receive s));
  equal "subscribers" 1 (Broadcast.subscribers t)

(* No pointer leads to the subscription: the collector frees it. *)
let forgotten () =
  let t = Broadcast.create 1 in
  let[@inline never] forget () =
    ignore
      (Sys.opaque_identity (Broadcast.subscribe t) : int Broadcast.subscription)
  in
  forget ();
  Broadcast.publish t 1;
  let publisher = Thread.create (fun () -> Broadcast.publish t 2) () in
  while Broadcast.subscribers t > 0 do
    Gc.full_major ();
    Thread.yield ()
  done;
  Thread.join publisher

(* All receivers see the same order, with any publishers. *)
let same_order () =
  everywhere (fun () ->
      let t = Broadcast.create 3 and n = 60 in
      let subscriptions = List.init 3 (fun _ -> Broadcast.subscribe t) in
      let readers =
        List.map (fun s -> Dromos.async (fun () -> received s)) subscriptions
      in
      Scope.run (fun scope ->
          for p = 0 to 2 do
            Scope.fork scope (fun () ->
                for i = 0 to n - 1 do
                  if i land 3 = p then Dromos.yield ();
                  Broadcast.publish t ((p * n) + i)
                done)
          done);
      Broadcast.close t;
      match List.map Dromos.await readers with
      | first :: others ->
          List.iter (fun l -> ensure "one order" (l = first)) others;
          equal "all" (3 * n) (List.length first);
          let mine p = List.filter (fun v -> v / n = p) first in
          for p = 0 to 2 do
            ensure "a publisher's order"
              (mine p = List.init n (fun i -> (p * n) + i))
          done
      | [] -> assert false)

(* Publishers and receivers are cancelled, subscriptions come and go: the
   remaining receivers see the same messages, each message whole. *)
let storm () =
  everywhere (fun () ->
      for round = 1 to 20 do
        let t = Broadcast.create 2 and next = Atomic.make 0 in
        let stay = List.init 2 (fun _ -> Broadcast.subscribe t) in
        let readers =
          List.map (fun s -> Dromos.async (fun () -> received s)) stay
        in
        let timeout i = if i land 1 = 0 then Some 0.0001 else None in
        let done_ = Atomic.make [] in
        let rec note v =
          let seen = Atomic.get done_ in
          if not (Atomic.compare_and_set done_ seen (v :: seen)) then note v
        in
        let publisher i () =
          while true do
            let v = Atomic.fetch_and_add next 1 in
            match Broadcast.publish ?timeout:(timeout i) t v with
            | () ->
                note v;
                Dromos.check ()
            | exception Event.Timeout -> Dromos.check ()
          done
        in
        let visitor () =
          while true do
            Broadcast.with_subscription t (fun s ->
                ignore (Broadcast.receive s : int);
                let both =
                  [ Broadcast.receive_event s; Broadcast.receive_event s ]
                in
                ignore (Event.select both : int))
          done
        in
        (match
           Scope.run (fun scope ->
               List.iter (fun i -> Scope.fork scope (publisher i)) [ 0; 1; 2 ];
               Scope.fork scope visitor;
               Scope.fork scope visitor;
               for _ = 1 to 3 + (round mod 11) do
                 Dromos.yield ()
               done;
               Scope.cancel scope)
         with
        | () | (exception Dromos.Cancelled) -> ());
        equal "visitors are gone" 2 (Broadcast.subscribers t);
        Broadcast.publish t (-1);
        Broadcast.close t;
        match List.map Dromos.await readers with
        | [ a; b ] ->
            ensure "the same for both" (a = b);
            let sorted l = List.sort compare l in
            ensure "the published values"
              (sorted a = sorted (-1 :: Atomic.get done_))
        | _ -> assert false
      done)

(* Closed during a publication: a message reaches all receivers or none. *)
let closed_meanwhile () =
  everywhere (fun () ->
      for turns = 0 to 20 do
        let t = Broadcast.create 2 in
        let stay = List.init 3 (fun _ -> Broadcast.subscribe t) in
        let readers =
          List.map (fun s -> Dromos.async (fun () -> received s)) stay
        in
        let publisher () =
          let rec go i =
            match Broadcast.publish t i with
            | () -> go (i + 1)
            | exception Broadcast.Closed -> i
          in
          go 0
        in
        let publisher = Dromos.async publisher in
        for _ = 1 to turns do
          Dromos.yield ()
        done;
        Broadcast.close t;
        let n = Dromos.await publisher in
        let expected = List.init n Fun.id in
        List.iter
          (fun r -> ensure "all of it" (Dromos.await r = expected))
          readers
      done)

let cases =
  [
    Watch.case "step by step" step_by_step;
    Watch.case "dropping" dropping;
    Watch.case "unsubscribed" unsubscribed;
    Watch.case "forgotten" forgotten;
    Watch.case "one order" same_order;
    Watch.case "storm" storm;
    Watch.case "closed meanwhile" closed_meanwhile;
  ]
