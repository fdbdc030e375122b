(* Random operations of many fibers on several channels, with choices, timeouts
   and cancellations: no message is lost, doubled, or overtaken by another
   message of its sender. *)

open Dromos_sync
open Party

type message = { from : int; number : int; channel : int }

type fiber = {
  id : int;
  rng : Random.State.t;
  mutable next : int;
  mutable sent : message list; (* latest first *)
  mutable received : message list;
}

let channels () =
  Array.map
    (fun capacity -> Channel.create ~capacity ())
    [| 0; 0; 1; 3; max_int |]

(* The task notes an operation before any cancellation can stop the task. *)
let sending me channels channel =
  let m = { from = me.id; number = me.next; channel } in
  me.next <- me.next + 1;
  let note () = me.sent <- m :: me.sent in
  (m, note, Event.wrap (Channel.send_event channels.(channel) m) note)

let receiving me channels channel =
  let note m = me.received <- m :: me.received in
  (note, Event.wrap (Channel.recv_event channels.(channel)) note)

let operation me channels =
  let any () = Random.State.int me.rng (Array.length channels) in
  let send_event () =
    let _, _, event = sending me channels (any ()) in
    event
  in
  let recv_event () = snd (receiving me channels (any ())) in
  let soon () = Random.State.float me.rng 0.0005 in
  match Random.State.int me.rng 8 with
  | 0 | 1 -> ignore (Event.sync (Event.within (soon ()) (send_event ())))
  | 2 | 3 -> ignore (Event.sync (Event.within (soon ()) (recv_event ())))
  | 4 ->
      let k = any () in
      let m, note, _ = sending me channels k in
      if Channel.try_send channels.(k) m then note ()
  | 5 ->
      let k = any () in
      let note, _ = receiving me channels k in
      Option.iter note (Channel.try_recv channels.(k))
  | 6 ->
      ignore
        (Event.sync
           (Event.within (soon ())
              (Event.choose [ send_event (); recv_event (); recv_event () ])))
  | _ ->
      ignore
        (Event.sync
           (Event.within (soon ())
              (Event.choose [ recv_event (); send_event () ])))

let step me channels =
  if Random.State.int me.rng 5 = 0 then
    try
      Dromos.Scope.run (fun scope ->
          let yields = Random.State.int me.rng 4 in
          Dromos.Scope.fork scope (fun () ->
              times yields (fun _ -> Dromos.yield ());
              Dromos.Scope.cancel scope);
          operation me channels)
    with Dromos.Cancelled -> ()
  else operation me channels

let rec drain c =
  match Channel.try_recv c with None -> [] | Some m -> m :: drain c

(* Messages of one sender on one channel, in the order of receipt. *)
let in_order messages =
  let last = Hashtbl.create 16 in
  List.iter
    (fun m ->
      let key = (m.from, m.channel) in
      (match Hashtbl.find_opt last key with
      | Some before -> ensure "overtaken" (before < m.number)
      | None -> ());
      Hashtbl.replace last key m.number)
    messages

let storm hub () =
  let workers = 2 + Random.State.int Watch.chance 3 in
  let channels = channels () in
  let fibers =
    List.init 24 (fun id ->
        let rng = Random.State.split Watch.chance in
        { id; rng; next = 0; sent = []; received = [] })
  in
  Dromos.run ~workers ~hub (fun () ->
      let live me =
        Dromos.async (fun () -> times 150 (fun _ -> step me channels))
      in
      List.iter Dromos.await (List.map live fibers));
  let left = List.concat_map drain (Array.to_list channels) in
  let sent = List.concat_map (fun me -> me.sent) fibers in
  let received = List.concat_map (fun me -> me.received) fibers in
  let sorted = List.sort compare in
  Printf.printf "%d sent, %d received, %d left\n%!" (List.length sent)
    (List.length received) (List.length left);
  ensure "some were sent" (List.length received > 100);
  ensure "sent = received + left" (sorted sent = sorted (received @ left));
  List.iter (fun me -> in_order (List.rev me.received)) fibers;
  in_order left

(* {1 Memory left by waits} *)

let live_words () =
  Gc.full_major ();
  (Gc.stat ()).live_words

(* A queue and the scheduler's tables may keep a few thousand words. A domain of
   an earlier case may end meanwhile: a later collection frees the domain's
   memory. *)
let leaves_nothing work =
  work 2_000;
  let before = live_words () in
  work 1_000_000;
  let rec left attempts =
    let words = live_words () - before in
    Printf.printf "%+d words\n%!" words;
    if words >= 20_000 && attempts > 1 then begin
      Thread.delay 0.1;
      left (attempts - 1)
    end
    else words
  in
  ensure "words left" (left 20 < 20_000)

let structures () =
  let c = Channel.create () and full = Channel.create ~capacity:1 () in
  let m = Mvar.create () in
  Channel.send full 0;
  (c, full, m)

let cancelled_starts () =
  let c, full, m = structures () in
  leaves_nothing (fun n ->
      times (n / 4) (fun _ ->
          let cancel event =
            let withdraw =
              Author.Event.start event (fun _ -> failwith "served")
            in
            ensure "cancelled" (withdraw ())
          in
          cancel (Channel.recv_event c);
          cancel (Channel.send_event full 1);
          cancel (Mvar.read_event m);
          cancel (Event.choose [ Mvar.take_event m; Channel.recv_event c ])));
  equal "still full" 1 (Channel.length full)

let cancelled_fibers () =
  let c, full, m = structures () in
  Dromos.run ~workers:1 (fun () ->
      leaves_nothing (fun n ->
          times (n / 1000) (fun _ ->
              try
                Dromos.Scope.run (fun scope ->
                    times 250 (fun _ ->
                        let fork f = Dromos.Scope.fork scope f in
                        fork (fun () -> Channel.recv c);
                        fork (fun () -> Channel.send full 1);
                        fork (fun () -> Mvar.read m);
                        fork (fun () ->
                            Event.select
                              [ Mvar.take_event m; Channel.recv_event c ]));
                    Dromos.yield ();
                    Dromos.Scope.cancel scope)
              with Dromos.Cancelled -> ())));
  equal "still full" 1 (Channel.length full)

let timed_out () =
  let c, full, m = structures () in
  let late f =
    match f () with
    | () -> Alcotest.fail "not late"
    | exception Event.Timeout -> ()
  in
  let timeout = 1e-7 in
  Dromos.run ~workers:1 (fun () ->
      leaves_nothing (fun n ->
          let strand () =
            times (n / 1000) (fun _ ->
                late (fun () -> Channel.recv ~timeout c);
                late (fun () -> Channel.send ~timeout full 1);
                late (fun () -> Mvar.read ~timeout m);
                late (fun () -> Mvar.take ~timeout m))
          in
          List.iter Dromos.await (List.init 250 (fun _ -> Dromos.async strand))))

let lost_branches () =
  let c, full, m = structures () in
  Dromos.run ~workers:1 (fun () ->
      let served = Channel.create () in
      leaves_nothing (fun n ->
          let p =
            Dromos.async (fun () -> times n (fun i -> Channel.send served i))
          in
          times n (fun i ->
              ensure "served"
                (i
                = Event.select
                    [
                      Event.wrap (Channel.recv_event c) (fun () -> -1);
                      Event.wrap (Channel.send_event full 1) (fun () -> -2);
                      Event.wrap (Mvar.read_event m) (fun () -> -3);
                      Channel.recv_event served;
                    ]));
          Dromos.await p))

let cases =
  List.map
    (fun hub -> Watch.case ("storm, " ^ Dromos.Hub.name hub) (storm hub))
    Dromos.Hub.all
  @ [
      Watch.case ~limit:120. "a million withdrawn" cancelled_starts;
      Watch.case ~limit:120. "a million cancelled" cancelled_fibers;
      Watch.case ~limit:120. "a million timed out" timed_out;
      Watch.case ~limit:120. "a million lost branches" lost_branches;
    ]
