(* The state is one atomic word: the messages, the waiting senders, the
   receivers, and the peekers ([lookers]).

   The entry of a waiting sender moves from [senders] to [messages] in one
   compare-and-set. The sender is resumed only afterwards, so its place in the
   queue is fixed before the sender continues. The waiter ([cell])
   of an entry in [messages] says in which state the entry is:

     waiter    entry
     [won]     sent: the sender was resumed, or did not wait ([Waiter.served])
     [left]    cancelled: the sender is gone; skip the entry
     neither   pending: the sender will be resumed by the thread that moved
               the entry, or by the receiver, whichever is first

   Removing an entry from either queue is a compare-and-set too, so an entry has
   one receiver.

   With capacity 0 entries stay in [senders], and the receiver of an entry
   resumes the sender. *)

type 'a entry = { value : 'a; cell : unit Waiter.t }

type 'a state = {
  messages : 'a entry Line.t;
  count : int;
      (* places in use: entries of [messages], without cancelled ones *)
  senders : 'a entry Line.t;
  receivers : 'a Takers.t;
  lookers : 'a Takers.t;
  handing : bool; (* a thread has the first message in hand: see [serve] *)
  is_closed : bool;
}

type 'a t = { capacity : int; closed : exn; state : 'a state Atomic.t }

let create ~capacity ~closed =
  let messages = Line.empty and senders = Line.empty in
  let receivers = Takers.empty and lookers = Takers.empty in
  let state =
    {
      messages;
      count = 0;
      senders;
      receivers;
      lookers;
      handing = false;
      is_closed = false;
    }
  in
  { capacity; closed; state = Atomic.make state }

let left entry = Waiter.left entry.cell
let unwilling entry = Waiter.gone entry.cell
let push line entry = Line.push ~gone:left line entry

(* Two domains that update the state in tight loops make each other's
   compare-and-set fail. After a failure, wait for about a microsecond, so that
   the other domain gets on. *)
let replace t seen next =
  Atomic.compare_and_set t.state seen next
  || begin
       for _ = 1 to 64 do
         Domain.cpu_relax ()
       done;
       false
     end

let install t seen next = ignore (replace t seen next : bool)
let closed_error t = Error (t.closed, Printexc.get_callstack 0)

(* Called by the thread that replaced the state [seen] by one with the message
   [value]: serves the peekers of [seen]. Each of these peekers came before the
   message, so the message may be shown even if a receiver has taken it
   meanwhile. A registering peeker is marked, and looks again. *)
let show t seen value =
  if not (Line.is_empty seen.lookers) then begin
    Takers.give_all seen.lookers (Ok value);
    let now = Atomic.get t.state in
    if not (Line.exists ~gone:Waiter.gone (fun _ -> true) now.lookers) then
      install t now { now with lookers = Takers.empty }
  end

(* Resumes the sender of an entry that was taken out of its queue; [true] if the
   message counts as sent. Several threads may try: the first one resumes the
   sender, and the others find the entry [won]. *)
let told entry =
  Waiter.won entry.cell
  ||
  match Waiter.offer ~self:Waiter.nobody entry.cell (Ok ()) with
  | Taken -> true
  | Gone | Busy -> Waiter.won entry.cell

type 'a first =
  | Ready of 'a entry * 'a entry Line.t
  | Put_in_order of 'a entry Line.t
  | All_busy
  | No_sender

(* The first sender that can be resumed now, and the queue without its entry. *)
let find_sender ~self line =
  let ready entry = Waiter.ready ~self entry.cell in
  match Line.view ~gone:unwilling line with
  | Nobody -> No_sender
  | Again line -> Put_in_order line
  | First (entry, rest) when ready entry -> Ready (entry, rest)
  | First _ -> (
      match Line.extract ~gone:unwilling ready line with
      | Some (entry, rest) -> Ready (entry, rest)
      | None -> All_busy)

let[@inline] first_sender ~self line =
  if Line.is_empty line then No_sender else find_sender ~self line

let rec free_place t =
  let seen = Atomic.get t.state in
  if not (replace t seen { seen with count = seen.count - 1 }) then free_place t

(* The first sender's entry becomes the last message. *)
let enter t seen entry senders =
  let messages = push seen.messages entry and count = seen.count + 1 in
  if replace t seen { seen with messages; senders; count } then
    if told entry then show t seen entry.value else free_place t

(* Moves senders into the queue while there is room. A registering sender stays
   where it is: the sender was marked when the room was visible, so it tries
   again and finds the room. *)
let rec admit ~self t =
  let seen = Atomic.get t.state in
  if seen.count < t.capacity then
    match first_sender ~self seen.senders with
    | No_sender | All_busy -> ()
    | Put_in_order senders ->
        install t seen { seen with senders };
        admit ~self t
    | Ready (entry, senders) ->
        enter t seen entry senders;
        admit ~self t

(* {1 Receiving} *)

type 'a taken_message =
  | Message of 'a
  | No_message of 'a state
  | In_hand of 'a state (* a message is in hand, and must not be overtaken *)

(* The entry's place is freed in the same step if the sender was already
   resumed. If not, resume the sender and then free the place. If the sender
   turns out to have left, the thread that moved the entry frees the place
   ([enter]). *)
let rec take_message ~serving ~self t =
  let seen = Atomic.get t.state in
  if seen.handing && not serving then In_hand seen
  else
    match Line.view ~gone:left seen.messages with
    | Nobody -> No_message seen
    | Again messages ->
        install t seen { seen with messages };
        take_message ~serving ~self t
    | First (entry, messages) ->
        let known = Waiter.won entry.cell in
        let count = if known then seen.count - 1 else seen.count in
        if replace t seen { seen with messages; count } && (known || told entry)
        then begin
          if not known then free_place t;
          admit ~self t;
          Message entry.value
        end
        else take_message ~serving ~self t

(* A received message must not stay reachable: install [senders] without the
   gone entries at the front. (A gone entry behind a registering sender stays
   until the next sweep.) *)
let rec drop_senders t =
  let seen = Atomic.get t.state in
  let replaced senders = replace t seen { seen with senders } in
  match Line.view ~gone:unwilling seen.senders with
  | Nobody -> if not (replaced Line.empty) then drop_senders t
  | First (entry, rest) ->
      if not (replaced (Line.push_front ~gone:unwilling rest entry)) then
        drop_senders t
  | Again senders ->
      install t seen { seen with senders };
      drop_senders t

type 'a taken = Got of 'a | Empty of { seen : 'a state; busy : bool }

let rec take ~self t =
  match take_message ~serving:false ~self t with
  | Message v -> Got v
  | In_hand seen -> Empty { seen; busy = false }
  | No_message seen -> (
      match first_sender ~self seen.senders with
      | No_sender -> still_empty ~self t seen ~busy:false
      | All_busy -> still_empty ~self t seen ~busy:true
      | Put_in_order senders ->
          install t seen { seen with senders };
          take ~self t
      | Ready (entry, senders) ->
          if taken_out ~self t seen entry senders then begin
            show t seen entry.value;
            Got entry.value
          end
          else take ~self t)

(* Takes [entry] out of [senders]; [true] if the message is the caller's.

   With capacity 0 no thread moves entries, and the sender is resumed before its
   entry is taken out. The other order would be wrong: the sender's select may
   decide for another branch, and until then other receivers must find the
   entry. The offer is made only while the state is still [seen] (the reason is
   at [give]), and the message is the caller's only if the caller's own offer is
   [Taken]. *)
and taken_out ~self t seen entry senders =
  if t.capacity > 0 then replace t seen { seen with senders } && told entry
  else if Atomic.get t.state != seen then false
  else
    match Waiter.offer ~self entry.cell (Ok ()) with
    | Taken ->
        if not (replace t seen { seen with senders }) then drop_senders t;
        true
    | Gone | Busy -> false

(* The result [Empty] holds only if the state is still [seen]. A sender in
   [seen] that is neither ready nor registering was resumed by a thread that has
   moved the entry into the queue since. (With capacity 0 a sender is resumed
   while its entry is in [senders]: a sender that another thread has just
   resumed counts as busy here.) *)
and still_empty ~self t seen ~busy =
  if Atomic.get t.state == seen then Empty { seen; busy } else take ~self t

(* No message will come any more: the exchange is closed, and no thread has one
   in hand. *)
let over seen = seen.is_closed && not seen.handing

let rec try_recv t =
  Dromos_service.Stack_room.ensure 2;
  match take ~self:Waiter.nobody t with
  | Got v -> `Received v
  | Empty { seen; _ } ->
      if not (over seen) then `Empty
      else if Atomic.get t.state == seen then `Closed
      else try_recv t

let rec receive ~self t cell =
  match take ~self t with
  | Got v -> Waiter.Done (Ok v)
  | Empty { seen; _ } when over seen -> Done (closed_error t)
  | Empty { seen; busy } -> (
      match cell with
      | Some waiter when not busy ->
          let receivers = Takers.push seen.receivers waiter in
          if replace t seen { seen with receivers } then Enlisted
          else receive ~self t cell
      | Some _ | None -> Nothing)

let rec enlist_receiver t waiter =
  let seen = Atomic.get t.state in
  let receivers = Takers.push seen.receivers waiter in
  if replace t seen { seen with receivers } then ignore
  else enlist_receiver t waiter

let recv t ~reason =
  let attempt ~self cell = receive ~self t cell in
  { Waiter.attempt; enlist = enlist_receiver t; reason }

(* {1 Sending} *)

let rec push_front ?(handed = false) t value =
  let seen = Atomic.get t.state in
  let entry = { value; cell = Waiter.served } in
  let messages = Line.push_front ~gone:left seen.messages entry in
  let handing = seen.handing && not handed in
  let count = seen.count + 1 in
  if replace t seen { seen with messages; count; handing } then
    show t seen value
  else push_front ~handed t value

(* Offers only while the state is still [seen]. If the exchange was closed
   since, the closing thread refuses the receivers in order; a message for the
   second receiver after the refusal of the first would be out of order. *)
let give ~self t seen value =
  let valid () = Atomic.get t.state == seen in
  Takers.give ~valid ~self seen.receivers (Ok value)

let rec hand_over ~self t value =
  let seen = Atomic.get t.state in
  match give ~self t seen value with
  | Given receivers ->
      install t seen { seen with receivers };
      true
  | Again receivers ->
      install t seen { seen with receivers };
      hand_over ~self t value
  | Nobody | Only_busy -> false

(* The giver's duty: a message was left in the queue because all receivers were
   registering, and a receiver may have gone to sleep before the message was
   visible.

   The message is taken out before it is offered, and put back if no receiver
   takes it. Meanwhile [handing] is [true], and no other thread may receive, or
   give a message directly to a receiver: a later message of the same sender
   would overtake this one. A receiver that finds no message in this phase
   enlists, and is served when [handing] is [false] again. *)
let rec serve ~self t =
  let seen = Atomic.get t.state in
  if
    (not seen.handing)
    && (not (Line.is_empty seen.messages))
    && Takers.ready ~self seen.receivers
  then
    if replace t seen { seen with handing = true } then hand_out ~self t
    else serve ~self t

and hand_out ~self t =
  match take_message ~serving:true ~self t with
  | Message value when hand_over ~self t value -> hand_out ~self t
  | Message value ->
      push_front ~handed:true t value;
      serve ~self t
  | No_message seen | In_hand seen ->
      let next = { seen with messages = Line.empty; handing = false } in
      if not (replace t seen next) then hand_out ~self t
      else if seen.is_closed then refuse_receivers t

and refuse_receivers t =
  let { receivers; lookers; _ } = Atomic.get t.state in
  Takers.give_all receivers (closed_error t);
  Takers.give_all lookers (closed_error t)

let rec deposit ~self t value cell =
  let seen = Atomic.get t.state in
  if seen.is_closed then Waiter.Done (closed_error t)
  else if Line.has_first ~gone:left seen.messages then
    behind ~self t seen value cell
  else
    match Line.view ~gone:left seen.messages with
    | Again messages ->
        install t seen { seen with messages };
        deposit ~self t value cell
    | First _ -> behind ~self t seen value cell
    | Nobody when seen.handing -> behind ~self t seen value cell
    | Nobody -> (
        match give ~self t seen value with
        | Given receivers ->
            install t seen { seen with receivers };
            show t seen value;
            Done (Ok ())
        | Again receivers ->
            install t seen { seen with receivers };
            deposit ~self t value cell
        | Nobody ->
            let seen' = { seen with receivers = Takers.empty } in
            queue ~self t seen seen' ~busy:false value cell
        | Only_busy -> queue ~self t seen seen ~busy:true value cell)

(* [value] goes behind the messages in the queue. If the queue is full and a
   receiver is asleep, serve the receiver first: that makes room. If another
   thread has the first message in hand, it serves the receiver. *)
and behind ~self t seen value cell =
  if
    seen.count >= t.capacity && (not seen.handing)
    && Takers.ready ~self seen.receivers
  then begin
    serve ~self t;
    deposit ~self t value cell
  end
  else queue ~self t seen seen ~busy:false value cell

(* No receiver can take [value]: put it into the queue, or enlist the sender.
   [next] is to replace [seen]. *)
and queue ~self t seen next ~busy value cell =
  if seen.count >= t.capacity then
    match cell with
    | Some cell when not busy ->
        let senders = Line.push ~gone:unwilling seen.senders { value; cell } in
        if replace t seen { next with senders } then Waiter.Enlisted
        else deposit ~self t value (Some cell)
    | (Some _ | None) when Atomic.get t.state == seen -> Nothing
    | Some _ | None ->
        (* The state has changed: a receiver came, or the exchange was
           closed. *)
        deposit ~self t value cell
  else
    match first_sender ~self seen.senders with
    | Ready _ ->
        (* Senders that came before go first. *)
        admit ~self t;
        deposit ~self t value cell
    | Put_in_order senders ->
        install t seen { seen with senders };
        deposit ~self t value cell
    | No_sender | All_busy ->
        let entry = { value; cell = Waiter.served } in
        let messages = push seen.messages entry and count = seen.count + 1 in
        if replace t seen { next with messages; count } then begin
          show t seen value;
          serve ~self t;
          Done (Ok ())
        end
        else deposit ~self t value cell

let rec enlist_sender t value cell =
  let seen = Atomic.get t.state in
  let senders = Line.push ~gone:unwilling seen.senders { value; cell } in
  if replace t seen { seen with senders } then ignore
  else enlist_sender t value cell

let send t value ~reason =
  let attempt ~self cell = deposit ~self t value cell in
  { Waiter.attempt; enlist = enlist_sender t value; reason }

let try_send t value =
  Dromos_service.Stack_room.ensure 1;
  match deposit ~self:Waiter.nobody t value None with
  | Done (Ok ()) -> `Sent
  | Done (Error _) -> `Closed
  | Enlisted | Nothing -> `Full

let unrecv t value =
  Dromos_service.Stack_room.ensure 1;
  if t.capacity = 0 then invalid_arg "Exchange.unrecv: capacity 0";
  push_front t value;
  serve ~self:Waiter.nobody t

(* {1 Looking and closing} *)

let rec look_at ~self t cell =
  let seen = Atomic.get t.state in
  match Line.view ~gone:left seen.messages with
  | Again messages ->
      install t seen { seen with messages };
      look_at ~self t cell
  | First (entry, _) ->
      if told entry then Waiter.Done (Ok entry.value) else look_at ~self t cell
  | Nobody -> (
      match first_sender ~self seen.senders with
      | Ready (entry, senders) when t.capacity > 0 && not seen.handing ->
          (* A receiver just took a message, and is about to let this sender in:
             do so now. *)
          enter t seen entry senders;
          look_at ~self t cell
      | Put_in_order senders when t.capacity > 0 ->
          install t seen { seen with senders };
          look_at ~self t cell
      | Ready _ | Put_in_order _ | All_busy | No_sender ->
          nothing_to_see ~self t seen cell)

and nothing_to_see ~self t seen = function
  | _ when over seen -> Done (closed_error t)
  | None when Atomic.get t.state == seen -> Nothing
  | None -> look_at ~self t None
  | Some waiter as cell ->
      let lookers = Takers.push seen.lookers waiter in
      if replace t seen { seen with lookers } then Enlisted
      else look_at ~self t cell

let rec enlist_looker t waiter =
  let seen = Atomic.get t.state in
  let lookers = Takers.push seen.lookers waiter in
  if replace t seen { seen with lookers } then ignore
  else enlist_looker t waiter

let look t ~reason =
  let attempt ~self cell = look_at ~self t cell in
  { Waiter.attempt; enlist = enlist_looker t; reason }

let peek t =
  Dromos_service.Stack_room.ensure 1;
  match look_at ~self:Waiter.nobody t None with
  | Done (Ok v) -> Some v
  | Done (Error _) | Enlisted | Nothing -> None

let length t = (Atomic.get t.state).count
let is_closed t = (Atomic.get t.state).is_closed

(* The senders leave the queue before the refusals, so that no thread moves an
   entry meanwhile. *)
let rec close t =
  Dromos_service.Stack_room.ensure 1;
  let seen = Atomic.get t.state in
  if seen.is_closed then false
  else if
    not (replace t seen { seen with is_closed = true; senders = Line.empty })
  then close t
  else begin
    let refuse entry =
      ignore (Waiter.offer ~self:Waiter.nobody entry.cell (closed_error t))
    in
    Line.iter ~gone:unwilling refuse seen.senders;
    serve ~self:Waiter.nobody t;
    (* If a thread has the last message in hand, it refuses the receivers
       later. *)
    if not (Atomic.get t.state).handing then refuse_receivers t;
    true
  end
