(* A subscription is an unbounded channel, and permits for the room in its
   buffer. One publisher at a time, holding the mutex, takes a permit of each
   subscription; from then on the message reaches all of them. A receiver gives
   the permit back. With [`Drop_oldest] the publisher, the only task that adds
   messages, makes room itself. *)

module By_number = Map.Make (Int)

type 'a buffer = {
  number : int;
  messages : 'a Channel.t;
  room : Semaphore.t;
  gone : unit Ivar.t; (* filled by [unsubscribe] *)
  missed : int Atomic.t;
}

type 'a t = {
  name : string option;
  capacity : int;
  drops : bool;
  publishing : Mutex.t;
  buffers : 'a buffer By_number.t Atomic.t;
  next : int Atomic.t;
  closed : unit Ivar.t;
}

(* Users hold a [subscription], and the broadcast does not: when the collector
   finds the subscription unreachable, no task can receive from it any more. *)
type 'a subscription = { topic : 'a t; buffer : 'a buffer }

exception Closed = Channel.Closed

let create ?name ?(overflow = `Wait) capacity =
  if capacity < 1 then
    invalid_arg (Printf.sprintf "Broadcast.create: capacity %d" capacity);
  let name = Option.map (( ^ ) "broadcast ") name in
  {
    name;
    capacity;
    drops = overflow = `Drop_oldest;
    publishing = Mutex.create ?name ();
    buffers = Atomic.make By_number.empty;
    next = Atomic.make 0;
    closed = Ivar.create ();
  }

let is_closed t = Ivar.is_full t.closed
let subscribers t = By_number.cardinal (Atomic.get t.buffers)

let rec change t f =
  let seen = Atomic.get t.buffers in
  if not (Atomic.compare_and_set t.buffers seen (f seen)) then change t f

(* {1 Subscriptions} *)

let unsubscribe { topic; buffer } =
  Dromos_service.Stack_room.ensure 3;
  change topic (By_number.remove buffer.number);
  ignore (Ivar.try_fill buffer.gone () : bool);
  Channel.close buffer.messages;
  let rec drop () =
    match Channel.try_recv buffer.messages with
    | Some _ -> drop ()
    | None | (exception Closed) -> ()
  in
  drop ()

(* Closes the buffers of a closed broadcast, between two messages. If a
   publisher holds the mutex, the publisher ends or fails soon, and then calls
   [settle] itself. *)
let settle t =
  if is_closed t && Mutex.try_lock t.publishing then begin
    By_number.iter
      (fun _ buffer -> Channel.close buffer.messages)
      (Atomic.get t.buffers);
    Mutex.unlock t.publishing
  end

let close t =
  Dromos_service.Stack_room.ensure 3;
  ignore (Ivar.try_fill t.closed () : bool);
  settle t

let subscribe t =
  Dromos_service.Stack_room.ensure 4;
  if is_closed t then raise Closed;
  let name = Option.value t.name ~default:"a broadcast" in
  let buffer =
    {
      number = Atomic.fetch_and_add t.next 1;
      messages = Channel.create ~name ~capacity:max_int ();
      room = Semaphore.create ~name ~max:t.capacity t.capacity;
      gone = Ivar.create ();
      missed = Atomic.make 0;
    }
  in
  change t (By_number.add buffer.number buffer);
  let subscription = { topic = t; buffer } in
  (* A concurrent [close] sees the new buffer, or this test sees the closing. *)
  if is_closed t then begin
    unsubscribe subscription;
    raise Closed
  end;
  Gc.finalise unsubscribe subscription;
  subscription

let with_subscription t f =
  let subscription = subscribe t in
  Bracket.run (fun () -> f subscription) (fun () -> unsubscribe subscription)

(* {1 Receiving} *)

(* [subscription] is used after the wait, so the collector keeps it while its
   task waits. *)
let received subscription message =
  let { topic; buffer } = Sys.opaque_identity subscription in
  if not topic.drops then Semaphore.release buffer.room;
  message

let receive ?timeout subscription =
  received subscription (Channel.recv ?timeout subscription.buffer.messages)

let receive_event subscription =
  Event.wrap
    (Channel.recv_event subscription.buffer.messages)
    (received subscription)

let try_receive subscription =
  Option.map (received subscription)
    (Channel.try_recv subscription.buffer.messages)

let to_seq subscription =
  let next () =
    match receive subscription with
    | message -> Some message
    | exception Closed -> None
  in
  Seq.of_dispenser next

let missed { buffer; _ } = Atomic.get buffer.missed

(* {1 Publishing} *)

(* No error if the buffer was closed or unsubscribed meanwhile. *)
let send message _ buffer =
  match Channel.try_send buffer.messages message with
  | (_ : bool) | (exception Closed) -> ()

(* Only this publisher adds messages, so the room stays. *)
let make_room t _ buffer =
  if Channel.length buffer.messages >= t.capacity then
    match Channel.try_recv buffer.messages with
    | Some _ -> Atomic.incr buffer.missed
    | None | (exception Closed) -> ()

let check_open t = if is_closed t then raise Closed

(* Waits until the buffer has room or is unsubscribed. *)
let wait_for_room t ~within buffer =
  if not (Semaphore.try_acquire buffer.room) then
    within
      (Event.choose
         [
           Semaphore.acquire_event buffer.room;
           Ivar.read_event buffer.gone;
           Event.wrap (Ivar.read_event t.closed) (fun () -> raise Closed);
         ])

(* Takes permits until [taken] holds all subscriptions, and returns them.
   Subscriptions that come while the publisher waits still get the message;
   their buffers have room, since no other task adds messages. *)
let rec take_room t ~within taken =
  let buffers = Atomic.get t.buffers in
  let missing number _ = not (By_number.mem number !taken) in
  let others = By_number.filter missing buffers in
  if By_number.is_empty others then buffers
  else begin
    let take number buffer =
      wait_for_room t ~within buffer;
      taken := By_number.add number buffer !taken
    in
    By_number.iter take others;
    take_room t ~within taken
  end

let give_room_back taken =
  let give _ buffer =
    if not (Ivar.is_full buffer.gone) then Semaphore.release buffer.room
  in
  By_number.iter give taken

(* [within_of timeout] is a [sync] that raises [Timeout] once [timeout] seconds
   have passed since the call of [within_of]. *)
let within_of = function
  | None -> Event.sync
  | Some seconds ->
      let start = Mtime_clock.counter () in
      fun event ->
        let gone = Mtime.Span.to_float_ns (Mtime_clock.count start) *. 1e-9 in
        let late = Event.wrap (Event.timeout (seconds -. gone)) in
        Event.select [ event; late (fun () -> raise Event.Timeout) ]

let publish_waiting t ~within message =
  let taken = ref By_number.empty in
  match
    let buffers = take_room t ~within taken in
    check_open t;
    buffers
  with
  | buffers -> By_number.iter (send message) buffers
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      give_room_back !taken;
      Printexc.raise_with_backtrace e bt

let publish_dropping t message =
  check_open t;
  let buffers = Atomic.get t.buffers in
  By_number.iter (make_room t) buffers;
  By_number.iter (send message) buffers

let publish ?timeout t message =
  Dromos_service.Stack_room.ensure 3;
  check_open t;
  let within = within_of timeout in
  if not (Mutex.try_lock t.publishing) then
    within (Mutex.lock_event t.publishing);
  let publish () =
    if t.drops then publish_dropping t message
    else publish_waiting t ~within message
  in
  Bracket.run publish (fun () ->
      Mutex.unlock t.publishing;
      settle t)
