(* Model checking of the exchange under channels, variables and streams, with
   plain operations, choices and cancellation; and of the lazy value. *)

open Dromos_model
module Shim = Messages_shim.Shim

let ensure text ok = if not ok then failwith text

let asleep n =
  let k = !Shim.asleep in
  if k <> n then failwith (Printf.sprintf "%d asleep, not %d" k n)

module type Posts = sig
  type 'a t

  exception Closed

  val create : int -> 'a t
  val send : 'a t -> 'a -> reason:string -> unit
  val recv : 'a t -> reason:string -> 'a
  val look : 'a t -> reason:string -> 'a

  type done_ = Sent | Got of int
  type op

  val sending : int t -> int -> reason:string -> op
  val receiving : int t -> reason:string -> op
  val choose : op list -> int * done_
  val try_recv : 'a t -> 'a option
  val try_send : 'a t -> 'a -> bool
  val close : 'a t -> unit
  val length : 'a t -> int
  val peek : 'a t -> 'a option
end

module Messages (P : Posts) = struct
  let sender t v note () =
    match P.send t v ~reason:"send" with
    | () -> note := `Sent
    | exception Shim.Cancelled -> note := `Cancelled
    | exception P.Closed -> note := `Closed

  let receiver t note () =
    match P.recv t ~reason:"recv" with
    | v -> note := `Got v
    | exception Shim.Cancelled -> note := `Cancelled
    | exception P.Closed -> note := `Closed

  let rec drain t =
    match P.try_recv t with None -> [] | Some v -> v :: drain t

  let pair capacity =
    Shim.scenario [] @@ fun () ->
    let t = P.create capacity in
    let s = ref `Waits and r = ref `Waits in
    ( [ sender t 1 s; receiver t r ],
      fun () ->
        asleep 0;
        ensure "sent and received" (!s = `Sent && !r = `Got 1);
        ensure "left" (drain t = [] && P.length t = 0) )

  (* A receiver comes for one of two senders. *)
  let two_send capacity =
    Shim.scenario [] @@ fun () ->
    let t = P.create capacity in
    let a = ref `Waits and b = ref `Waits and r = ref `Waits in
    ( [ sender t 1 a; sender t 2 b; receiver t r ],
      fun () ->
        asleep (if capacity = 0 then 1 else 0);
        let other =
          match !r with
          | `Got 1 ->
              ensure "a" (!a = `Sent);
              2
          | `Got 2 ->
              ensure "b" (!b = `Sent);
              1
          | _ -> failwith "not received"
        in
        ensure "the other" (drain t = [ other ]) )

  (* Two receivers; one task sends two messages, without waiting if there is
     room. *)
  let two_receive capacity =
    Shim.scenario [] @@ fun () ->
    let t = P.create capacity in
    let s = ref `Waits and a = ref `Waits and b = ref `Waits in
    ( [
        (fun () ->
          P.send t 1 ~reason:"send";
          sender t 2 s ());
        receiver t a;
        receiver t b;
      ],
      fun () ->
        (* If the sender slept, the rest of its thread runs after the other
           threads. *)
        asleep 0;
        ensure "both"
          (match (!a, !b) with
          | `Got 1, `Got 2 | `Got 2, `Got 1 -> true
          | _ -> false) )

  (* A waiting sender is cancelled while another task receives. *)
  let cancel_sender capacity ~full =
    Shim.scenario [ "send" ] @@ fun () ->
    let t = P.create capacity in
    if full then ensure "filled" (P.try_send t 0);
    let s = ref `Waits and got = ref None and asked = ref false in
    ( [
        sender t 1 s;
        (fun () -> got := P.try_recv t);
        (fun () -> asked := Shim.cancel "send");
      ],
      fun () ->
        let left = drain t in
        let all = Option.to_list !got @ left in
        let all = if full then List.tl all else all in
        match !s with
        | `Sent -> ensure "once" (all = [ 1 ])
        | `Cancelled -> ensure "sent, though cancelled" (!asked && all = [])
        | `Waits ->
            ensure "a sender that waits" (not !asked);
            ensure "in sight" (all = [ 1 ] && left = [ 1 ])
        | `Closed -> failwith "closed" )

  (* Like [cancel_sender], after the sender's message was moved into the queue,
     while two tasks receive. *)
  let cancel_admitted =
    Shim.scenario [ "send" ] @@ fun () ->
    let t = P.create 1 in
    ensure "filled" (P.try_send t 0);
    let s = ref `Waits and got = ref [] in
    let take () = Option.iter (fun v -> got := v :: !got) (P.try_recv t) in
    ( [ sender t 1 s; take; take; (fun () -> ignore (Shim.cancel "send")) ],
      fun () ->
        let all = List.sort compare (!got @ drain t) in
        match !s with
        | `Sent | `Waits -> ensure "once" (all = [ 0; 1 ])
        | `Cancelled -> ensure "sent, though cancelled" (all = [ 0 ])
        | `Closed -> failwith "closed" )

  let cancel_receiver capacity =
    Shim.scenario [ "recv" ] @@ fun () ->
    let t = P.create capacity in
    let r = ref `Waits and sent = ref false and asked = ref false in
    ( [
        receiver t r;
        (fun () -> sent := P.try_send t 1);
        (fun () -> asked := Shim.cancel "recv");
      ],
      fun () ->
        let left = drain t in
        match !r with
        | `Got v -> ensure "once" (!sent && v = 1 && left = [])
        | `Cancelled ->
            ensure "asked" !asked;
            ensure "lost" (left = if !sent then [ 1 ] else [])
        | `Waits ->
            ensure "waits beside a message"
              (not (!asked || !sent || capacity > 0))
        | `Closed -> failwith "closed" )

  (* Two tasks wait; the first is cancelled: the message goes to the other. *)
  let cancel_first =
    Shim.scenario [ "recv" ] @@ fun () ->
    let t = P.create 0 in
    let r = ref `Waits and s = ref `Waits and other = ref `Waits in
    let asked = ref false in
    ( [
        receiver t r;
        sender t 1 s;
        (fun () ->
          asked := Shim.cancel "recv";
          if !asked then
            match P.recv t ~reason:"other" with
            | v -> other := `Got v
            | exception P.Closed -> ());
      ],
      fun () ->
        match (!r, !other, !s) with
        | `Cancelled, `Got 1, `Sent -> asleep 0
        | `Got 1, `Waits, `Sent ->
            (* The message came first, and the cancellation a moment later. *)
            asleep (if !asked then 1 else 0)
        | _ -> failwith "not received" )

  let closing capacity =
    Shim.scenario [] @@ fun () ->
    let t = P.create capacity in
    let s = ref `Waits and r = ref `Waits in
    ( [ sender t 1 s; receiver t r; (fun () -> P.close t) ],
      fun () ->
        asleep 0;
        match (!s, !r) with
        | `Sent, `Got 1 | `Closed, `Closed -> ensure "left" (drain t = [])
        | _ -> failwith "sent and not received" )

  (* Two waiting tasks in a row. *)
  let two_wait task task' =
    let first = ref `Waits and second = ref `Waits in
    Shim.task (task first) ();
    Shim.task (task' second) ();
    (first, second)

  (* Two tasks wait. If a sender meets the closing, its message goes to the
     first task or to none. *)
  let closing_in_order =
    Shim.scenario [] @@ fun () ->
    let t = P.create 0 in
    let first, second = two_wait (receiver t) (receiver t) in
    let sent = ref false in
    ( [ (fun () -> sent := P.try_send t 1); (fun () -> P.close t) ],
      fun () ->
        asleep 0;
        match (!sent, !first, !second) with
        | true, `Got 1, `Closed | false, `Closed, `Closed -> ()
        | _ -> failwith "out of order" )

  (* Two senders wait. A receiver that meets the closing receives from the first
     sender or from none. *)
  let closing_senders_in_order =
    Shim.scenario [] @@ fun () ->
    let t = P.create 0 in
    let first, second = two_wait (sender t 1) (sender t 2) in
    let got = ref None in
    ( [ (fun () -> got := P.try_recv t); (fun () -> P.close t) ],
      fun () ->
        asleep 0;
        match (!got, !first, !second) with
        | Some 1, `Sent, `Closed | None, `Closed, `Closed -> ()
        | _ -> failwith "out of order" )

  (* Two tasks receive from two waiting senders. *)
  let two_meet =
    Shim.scenario [] @@ fun () ->
    let t = P.create 0 in
    let first, second = two_wait (sender t 1) (sender t 2) in
    let a = ref None and b = ref None in
    ( [ (fun () -> a := P.try_recv t); (fun () -> b := P.try_recv t) ],
      fun () ->
        asleep 0;
        ensure "both" (!first = `Sent && !second = `Sent);
        match (!a, !b) with
        | Some 1, Some 2 | Some 2, Some 1 -> ()
        | _ -> failwith "not received" )

  (* A task waits, and a second comes before the first is served: a sender
     always finds a receiver. *)
  let two_served =
    Shim.scenario [] @@ fun () ->
    let t = P.create 0 in
    let first = ref `Waits and second = ref `Waits in
    Shim.task (receiver t first) ();
    let sent = ref [] in
    let send v = if P.try_send t v then sent := v :: !sent in
    let second_comes () =
      Shim.task (receiver t second) ();
      send 1
    in
    ( [ second_comes; (fun () -> send 2) ],
      fun () ->
        ensure "sent" (List.sort compare !sent = [ 1; 2 ]);
        asleep 0;
        match (!first, !second) with
        | `Got 1, `Got 2 | `Got 2, `Got 1 -> ()
        | _ -> failwith "not received" )

  (* A message goes and the next comes: a peeker always finds a message. *)
  let peek_between =
    Shim.scenario [] @@ fun () ->
    let t = P.create 1 in
    ensure "filled" (P.try_send t 0);
    let s = ref `Waits and seen = ref None and got = ref None in
    Shim.task (sender t 1 s) ();
    ( [ (fun () -> got := P.try_recv t); (fun () -> seen := P.peek t) ],
      fun () ->
        ensure "received" (!got = Some 0 && !s = `Sent);
        ensure "seen" (!seen = Some 0 || !seen = Some 1) )

  (* {1 Choices} *)

  let choice ops note () =
    match P.choose ops with
    | decision -> note := Some decision
    | exception P.Closed -> note := Some (-1, P.Sent)
    | exception Shim.Cancelled -> note := Some (-2, P.Sent)

  (* Against plain senders on both channels of the choice. *)
  let sender_and_choice capacity =
    Shim.scenario [] @@ fun () ->
    let a = P.create capacity and b = P.create capacity in
    let s = ref `Waits and c = ref None in
    let ops = [ P.receiving a ~reason:"a"; P.receiving b ~reason:"b" ] in
    ( [ sender b 2 s; choice ops c ],
      fun () ->
        asleep 0;
        ensure "received" (!c = Some (1, P.Got 2) && !s = `Sent);
        ensure "left" (drain a = [] && drain b = []) )

  let senders_and_choice capacity =
    Shim.scenario [] @@ fun () ->
    let a = P.create capacity and b = P.create capacity in
    let s = ref `Waits and s' = ref `Waits and c = ref None in
    let ops = [ P.receiving a ~reason:"a"; P.receiving b ~reason:"b" ] in
    ( [ sender a 1 s; sender b 2 s'; choice ops c ],
      fun () ->
        asleep (if capacity = 0 then 1 else 0);
        match !c with
        | Some (0, Got 1) -> ensure "a" (!s = `Sent && drain b = [ 2 ])
        | Some (1, Got 2) -> ensure "b" (!s' = `Sent && drain a = [ 1 ])
        | _ -> failwith "not received" )

  (* A message seen in the queue is received before a message sent later. *)
  let no_overtaking =
    Shim.scenario [] @@ fun () ->
    let a = P.create 1 and b = P.create 1 in
    let c = ref None and seen = ref false in
    let ops = [ P.receiving a ~reason:"a"; P.receiving b ~reason:"b" ] in
    ( [
        choice ops c;
        (fun () -> ensure "sent" (P.try_send a 1));
        (fun () ->
          if P.length a = 1 then begin
            seen := true;
            ignore (P.try_send a 2 : bool)
          end);
      ],
      fun () -> if !seen then ensure "the first" (!c = Some (0, P.Got 1)) )

  let receiver_and_choice capacity =
    Shim.scenario [] @@ fun () ->
    let a = P.create capacity and b = P.create capacity in
    if capacity > 0 then ensure "a is full" (P.try_send a 0);
    let r = ref `Waits and c = ref None in
    let ops = [ P.sending a 1 ~reason:"a"; P.sending b 2 ~reason:"b" ] in
    ( [ receiver b r; choice ops c ],
      fun () ->
        asleep 0;
        ensure "sent" (!c = Some (1, P.Sent) && !r = `Got 2);
        ensure "left" (List.length (drain a) = capacity && drain b = []) )

  (* Both tasks may send or receive, and must meet. *)
  let two_choices capacity =
    Shim.scenario [] @@ fun () ->
    let t = P.create capacity in
    let a = ref None and b = ref None in
    let ops v = [ P.sending t v ~reason:"s"; P.receiving t ~reason:"r" ] in
    ( [ choice (ops 1) a; choice (List.rev (ops 2)) b ],
      fun () ->
        asleep 0;
        match (!a, !b) with
        | Some (0, Sent), Some (0, Got 1) | Some (1, Got 2), Some (1, Sent) ->
            ensure "left" (drain t = [])
        | Some (0, Sent), Some (1, Sent) when capacity > 1 ->
            ensure "left" (List.length (drain t) = 2)
        | _ -> failwith "they did not meet" )

  let crossed =
    Shim.scenario [] @@ fun () ->
    let x = P.create 0 and y = P.create 0 in
    let a = ref None and b = ref None in
    ( [
        choice [ P.sending x 1 ~reason:"x"; P.sending y 2 ~reason:"y" ] a;
        choice [ P.receiving y ~reason:"y"; P.receiving x ~reason:"x" ] b;
      ],
      fun () ->
        asleep 0;
        match (!a, !b) with
        | Some (0, Sent), Some (1, Got 1) | Some (1, Sent), Some (0, Got 2) ->
            ()
        | _ -> failwith "they did not meet" )

  let cancel_choice =
    Shim.scenario [ "a or b" ] @@ fun () ->
    let a = P.create 0 and b = P.create 0 in
    let c = ref None and sent = ref false and asked = ref false in
    let ops = [ P.receiving a ~reason:"a"; P.receiving b ~reason:"b" ] in
    ( [
        choice ops c;
        (fun () -> sent := P.try_send b 2);
        (fun () -> asked := Shim.cancel "a or b");
      ],
      fun () ->
        match !c with
        | Some (1, Got 2) -> ensure "sent" !sent
        | Some (-2, _) -> ensure "lost" (!asked && not !sent)
        | None -> ensure "waits" (not (!asked || !sent))
        | Some _ -> failwith "something else" )

  let close_choice =
    Shim.scenario [] @@ fun () ->
    let a = P.create 0 and b = P.create 0 in
    let c = ref None in
    let ops = [ P.receiving a ~reason:"a"; P.sending b 1 ~reason:"b" ] in
    ( [ choice ops c; (fun () -> P.close b) ],
      fun () ->
        asleep 0;
        ensure "told" (!c = Some (-1, Sent)) )

  (* A choice to send to two channels is found at both until served, even by a
     second task during the service. *)
  let in_sight =
    Shim.scenario [] @@ fun () ->
    let a = P.create 0 and b = P.create 0 in
    let c = ref None and other = ref None and at_b = ref None in
    let at_a = ref None in
    Shim.task
      (choice [ P.sending a 1 ~reason:"a"; P.sending b 2 ~reason:"b" ] c)
      ();
    ( [
        (fun () -> other := P.try_recv b);
        (fun () ->
          at_b := P.try_recv b;
          at_a := P.try_recv a);
      ],
      fun () ->
        asleep 0;
        match (!c, !other, !at_b, !at_a) with
        | Some (1, Sent), Some 2, None, None
        | Some (1, Sent), None, Some 2, None ->
            ()
        | _ -> failwith "no task at one of them" )

  (* {1 Peeking} *)

  (* A waiting peeker sees the value, which goes to a taker at once. *)
  let look =
    Shim.scenario [] @@ fun () ->
    let t = P.create 1 in
    let seen = ref 0 and r = ref `Waits and s = ref `Waits in
    ( [ (fun () -> seen := P.look t ~reason:"look"); receiver t r; sender t 1 s ],
      fun () ->
        ensure "sent and received" (!s = `Sent && !r = `Got 1);
        (* The peeker came too late, or it saw the value. *)
        if !seen = 0 then begin
          asleep 1;
          ensure "another" (P.try_send t 2);
          ensure "seen" (!seen = 2)
        end;
        asleep 0;
        ensure "still there" (drain t = if !seen = 2 then [ 2 ] else []) )

  (* A waiting peeker sees a value that goes directly from sender to
     receiver. *)
  let look_between =
    Shim.scenario [] @@ fun () ->
    let t = P.create 0 in
    let seen = ref 0 and s = ref `Waits in
    let a = ref None and b = ref None in
    Shim.task (fun () -> seen := P.look t ~reason:"look") ();
    Shim.task (sender t 1 s) ();
    ( [ (fun () -> a := P.try_recv t); (fun () -> b := P.try_recv t) ],
      fun () ->
        asleep 0;
        ensure "seen" (!seen = 1 && !s = `Sent);
        match (!a, !b) with
        | Some 1, None | None, Some 1 -> ()
        | _ -> failwith "not received" )

  (* The value stays: the peeker cannot miss it, early or late. *)
  let look_at_two =
    Shim.scenario [] @@ fun () ->
    let t = P.create 1 in
    let seen = ref 0 and got = ref None in
    ( [
        (fun () -> seen := P.look t ~reason:"look");
        (fun () ->
          ignore (P.try_send t 1);
          got := P.try_recv t;
          ignore (P.try_send t 2));
      ],
      fun () ->
        asleep 0;
        ensure "got" (!got = Some 1);
        ensure "seen" (!seen = 1 || !seen = 2);
        ensure "left there" (drain t = [ 2 ]) )

  (* A peeker that comes after a message was taken cannot see the message. *)
  let look_late capacity =
    Shim.scenario [] @@ fun () ->
    let t = P.create capacity in
    let seen = ref 0 and s = ref `Waits and r = ref `Waits in
    ( [
        sender t 1 s;
        (fun () ->
          receiver t r ();
          if !r = `Got 1 then seen := P.look t ~reason:"look");
      ],
      fun () -> ensure "a value that has gone" (!seen = 0) )
end

(* {1 Lazy values} *)

module type Value = sig
  type 'a t

  val from_fun : (unit -> 'a) -> 'a t
  val force : 'a t -> 'a
  val force_event : 'a t -> 'a Messages_traced.Waiter.branch
  val is_val : 'a t -> bool
end

module Forcing (L : Value) = struct
  let force l note () =
    match L.force l with
    | v -> note := `Got v
    | exception Shim.Cancelled -> note := `Cancelled

  let choose l note () =
    match Messages_traced.Event.choose (L.force_event l) with
    | v -> note := `Got v
    | exception Shim.Cancelled -> note := `Cancelled

  (* Computing is a step, and further tasks can come during it. *)
  let make () =
    let computed = Dromos_model.Traced.Atomic.make 0 in
    let l =
      L.from_fun (fun () ->
          Dromos_model.Traced.Atomic.incr computed;
          7)
    in
    (l, fun () -> Dromos_model.Traced.Atomic.get computed)

  let together ?(choices = 0) tasks =
    Shim.scenario [] @@ fun () ->
    let l, computed = make () in
    let notes = List.init tasks (fun _ -> ref `Waits) in
    ( List.mapi
        (fun i note -> if i < choices then choose l note else force l note)
        notes,
      fun () ->
        ensure "computed once" (computed () = 1);
        ensure "all" (List.for_all (fun note -> !note = `Got 7) notes);
        ensure "value" (L.is_val l) )

  (* The first computation is cancelled, if a task forces it. *)
  let cancelled ?(choices = 0) tasks =
    Shim.scenario [] @@ fun () ->
    let computed = Dromos_model.Traced.Atomic.make 0 in
    let l =
      L.from_fun (fun () ->
          if Dromos_model.Traced.Atomic.fetch_and_add computed 1 = 0 then
            raise Shim.Cancelled;
          7)
    in
    let notes = List.init tasks (fun _ -> ref `Waits) in
    ( List.mapi
        (fun i note -> if i < choices then choose l note else force l note)
        notes,
      fun () ->
        let are what = List.filter (fun note -> !note = what) notes in
        asleep 0;
        ensure "one was cancelled" (List.length (are `Cancelled) = 1);
        ensure "the others" (List.length (are (`Got 7)) = tasks - 1);
        ensure "begun twice"
          (Dromos_model.Traced.Atomic.get computed = Int.min tasks 2) )

  (* A waiting task is cancelled, and so is the computing task. *)
  let waiter_cancelled =
    Shim.scenario [ "Lazy.force" ] @@ fun () ->
    let computed = Dromos_model.Traced.Atomic.make 0 in
    let l =
      L.from_fun (fun () ->
          if Dromos_model.Traced.Atomic.fetch_and_add computed 1 = 0 then
            raise Shim.Cancelled;
          7)
    in
    let a = ref `Waits and b = ref `Waits and asked = ref false in
    ( [ force l a; force l b; (fun () -> asked := Shim.cancel "Lazy.force") ],
      fun () ->
        asleep 0;
        (match (!a, !b) with
        | `Cancelled, `Got 7 | `Got 7, `Cancelled -> ()
        | `Cancelled, `Cancelled -> ensure "asked" !asked
        | _ -> failwith "no result");
        ensure "not lost" (L.force l = 7) )
end

module Good = Messages (Messages_traced.Posts)

let plain =
  List.concat_map
    (fun capacity ->
      let at what = Printf.sprintf "%s, capacity %d" what capacity in
      [
        Explore.passes (at "one sends, one receives") (Good.pair capacity);
        Explore.passes (at "two send") (Good.two_send capacity);
        Explore.passes ~random:3000 (at "two receive")
          (Good.two_receive capacity);
        Explore.passes
          (at "a sender is cancelled")
          (Good.cancel_sender capacity ~full:(capacity > 0));
        Explore.passes
          (at "a receiver is cancelled")
          (Good.cancel_receiver capacity);
        Explore.passes (at "closed") (Good.closing capacity);
      ])
    [ 0; 1 ]
  @ [
      Explore.passes "the first of two is cancelled" Good.cancel_first;
      Explore.passes "closed, in order" Good.closing_in_order;
      Explore.passes "closed, senders in order" Good.closing_senders_in_order;
      Explore.passes "two are served" Good.two_served;
      Explore.passes "two meet two" Good.two_meet;
      Explore.passes "something to see all the time" Good.peek_between;
      Explore.passes ~random:3000 "cancelled while it is moved"
        Good.cancel_admitted;
    ]

let choices =
  [
    Explore.passes "a sender and a choice" (Good.sender_and_choice 0);
    Explore.passes "a sender and a choice, capacity 1"
      (Good.sender_and_choice 1);
    Explore.passes "a choice and messages one after the other"
      Good.no_overtaking;
    Explore.passes "a receiver and a choice" (Good.receiver_and_choice 0);
    Explore.passes "a receiver and a choice, capacity 1"
      (Good.receiver_and_choice 1);
    Explore.passes ~random:3000 "two choices on a channel" (Good.two_choices 0);
    Explore.passes "two choices, crossed" Good.crossed;
    Explore.passes "a choice is cancelled" Good.cancel_choice;
    Explore.passes "closed" Good.close_choice;
    Explore.passes "in sight until it is served" Good.in_sight;
    Explore.passes ~random:3000 "two senders and a choice"
      (Good.senders_and_choice 0);
  ]

let looking =
  [
    Explore.passes "while it is received" Good.look;
    Explore.passes "at one or the next" Good.look_at_two;
    Explore.passes "too late" (Good.look_late 1);
    Explore.passes "too late, from hand to hand" (Good.look_late 0);
    Explore.passes "from hand to hand" Good.look_between;
  ]

module Good_value = Forcing (Messages_traced.Lazy)

let lazies =
  [
    Explore.passes "two force" (Good_value.together 2);
    Explore.passes ~random:3000 "three force" (Good_value.together 3);
    Explore.passes "the computing task is cancelled" (Good_value.cancelled 2);
    Explore.passes ~random:3000 "the computing task is cancelled, two wait"
      (Good_value.cancelled 3);
    Explore.passes "the computing and the waiting task are cancelled"
      Good_value.waiter_cancelled;
    Explore.passes "a choice" (Good_value.together ~choices:1 2);
    Explore.passes "a choice, the computing task is cancelled"
      (Good_value.cancelled ~choices:1 2);
    Explore.passes "choices, the computing task is cancelled"
      (Good_value.cancelled ~choices:2 2);
  ]

(* {1 Seeded faults} *)

module Blind = Messages (Messages_traced.Posts_blind)
module Untold = Messages (Messages_traced.Posts_untold)
module Absent = Messages (Messages_traced.Posts_absent)
module Clinging = Messages (Messages_traced.Posts_clinging)
module Deaf = Messages (Messages_traced.Posts_deaf)
module Lazy_giver = Messages (Messages_traced.Posts_lazy_giver)
module Hidden = Messages (Messages_traced.Posts_hidden)
module Stale = Messages (Messages_traced.Posts_stale)
module Trusting = Messages (Messages_traced.Posts_trusting)
module Hasty = Messages (Messages_traced.Posts_hasty)
module Unmarked = Messages (Messages_traced.Posts_unmarked)
module Asleep = Messages (Messages_traced.Posts_asleep)
module Leaving = Messages (Messages_traced.Posts_leaving)
module Twice = Messages (Messages_traced.Posts_twice)
module Selfish = Forcing (Messages_traced.Lazy_selfish)
module Two_steps = Forcing (Messages_traced.Lazy_two_steps)
module Doubled = Forcing (Messages_traced.Lazy_doubled)
module Unseen = Forcing (Messages_traced.Lazy_unseen)

let bugs =
  [
    Explore.catches "a line replaced blindly" (Blind.pair 0);
    Explore.catches "the same, by two senders" (Blind.two_send 1);
    Explore.catches "a sender that has left"
      (Untold.cancel_sender 0 ~full:false);
    Explore.catches "the same, in the queue" Untold.cancel_admitted;
    Explore.catches "out of sight for a moment" Absent.in_sight;
    Explore.catches "closed, senders out of order"
      Clinging.closing_senders_in_order;
    Explore.catches "closed unheard" (Deaf.closing 0);
    Explore.catches "closed, out of order" Trusting.closing_in_order;
    Explore.catches "no receiver" Hasty.two_served;
    Explore.catches "nothing to see for a moment" Hasty.peek_between;
    Explore.catches "a giver that does not look again"
      (Lazy_giver.sender_and_choice 1);
    Explore.catches "nothing to see" Hidden.look;
    Explore.catches "something that has gone" (Stale.look_late 1);
    Explore.catches "a busy choice without a mark"
      (Unmarked.sender_and_choice 0);
    Explore.catches "asleep in spite of a mark" (Asleep.sender_and_choice 0);
    Explore.catches "two choices, asleep" Asleep.crossed;
    Explore.catches "left after it was served" (Leaving.cancel_receiver 0);
    Explore.catches "a choice that left after it was served"
      Leaving.cancel_choice;
    Explore.catches ~random:3000 "served twice" (Twice.senders_and_choice 0);
    Explore.catches "computed by no task" (Selfish.cancelled 2);
    Explore.catches "an end in two steps" (Two_steps.together 2);
    Explore.catches "computed twice" (Doubled.together 2);
    Explore.catches "not offered again" (Unseen.cancelled ~choices:1 2);
  ]

let () =
  Alcotest.run "messages: model"
    [
      ("plain", plain);
      ("choices", choices);
      ("looking", looking);
      ("lazy", lazies);
      ("seeded bugs", bugs);
    ]
