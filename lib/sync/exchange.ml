(* One word: the messages, the senders behind them, the receivers, and those who
   only look.

   A sender's entry passes from [senders] to [messages] by the compare-and-set
   that makes it stand in the queue, and only then its cell is offered to, so
   that its place is known before it can go on. An entry in [messages] is thus
   in one of three states, told by its cell: the sender was told ([won]); it has
   left ([gone] but not won), and nobody minds the entry; it is about to be
   told, by whoever moved the entry or by whoever receives it, whichever is
   first. To take an entry out of either line is a compare-and-set too, so an
   entry has one receiver.

   With capacity 0 entries stay where they are, and an entry's receiver is who
   tells its sender. *)

type 'a entry = { value : 'a; cell : unit Waiter.t }

type 'a state = {
  messages : 'a entry Line.t;
  count : int; (* places taken: entries of [messages], but for some that left *)
  senders : 'a entry Line.t;
  receivers : 'a Takers.t;
  lookers : 'a Takers.t;
  handing : bool; (* somebody has the first message in hand: see [serve] *)
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

(* Two domains that keep to this word would make each other's steps fail; who
   has failed lets the other one go on for a while, about a microsecond. *)
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

(* Whoever makes a message of [value], in place of the state [seen], shows it to
   those who were looking then: the message came after them, and so it does not
   matter that it may have been received meanwhile. A busy looker is marked, and
   looks again. *)
let show t seen value =
  if not (Line.is_empty seen.lookers) then begin
    Takers.give_all seen.lookers (Ok value);
    let now = Atomic.get t.state in
    if not (Line.exists ~gone:Waiter.gone (fun _ -> true) now.lookers) then
      install t now { now with lookers = Takers.empty }
  end

(* Whether the message of an entry that was taken out of its line counts as
   sent. Of those who tell a sender one succeeds, and the others see that it was
   told. *)
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

(* The first sender that can be told now, and the line without it. *)
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

(* Moves senders into the queue while there is room. A busy sender stays where
   it is: it was marked when the room was in sight, and will find it. *)
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
  | In_hand of 'a state (* nobody may overtake the one that is *)

(* The place of an entry whose sender has not been told is freed by whoever
   tells it; if the sender has left, by whoever moved the entry ([admit]). *)
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

(* What was received is not kept: the line is left without those in front that have gone.
   (Behind a busy sender it is kept, until the line is swept.) *)
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

(* Without a queue nobody moves entries, and a sender is told before it is taken
   out: a choice that decides otherwise meanwhile must not have been missing from
   the line before it did. Only while the state is the one that was seen ([give]),
   and if it is that which tells it. *)
and taken_out ~self t seen entry senders =
  if t.capacity > 0 then replace t seen { seen with senders } && told entry
  else if Atomic.get t.state != seen then false
  else
    match Waiter.offer ~self entry.cell (Ok ()) with
    | Taken ->
        if not (replace t seen { seen with senders }) then drop_senders t;
        true
    | Gone | Busy -> false

(* A sender in [seen] that is neither ready nor busy has been told, by somebody
   who has moved it into the queue since. (Or is, without a queue, where it stands: it may
   have been ready a moment ago, and count as busy here.) *)
and still_empty ~self t seen ~busy =
  if Atomic.get t.state == seen then Empty { seen; busy } else take ~self t

(* For good: nothing is in anybody's hand either. *)
let over seen = seen.is_closed && not seen.handing

let rec try_recv t =
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

(* Only while the state is the one that was seen: a closing that has come since
   refuses the receivers in their order, and a message for the second of them
   after the first was refused would be out of it. *)
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
   busy, and some of them may have gone to sleep before it was in sight.

   A message is taken out before it is offered, and comes back if nobody takes
   it. Meanwhile [handing] is up, and nobody else receives, or gives past the
   queue: a later message of the same sender would overtake it. Whoever then
   finds nothing enlists, and is seen to when [handing] is down again. *)
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

(* Other messages come first; if a receiver is asleep all the same, one of them
   is on its way to it. *)
and behind ~self t seen value cell =
  if
    seen.count >= t.capacity && (not seen.handing)
    && Takers.ready ~self seen.receivers
  then begin
    serve ~self t;
    deposit ~self t value cell
  end
  else queue ~self t seen seen ~busy:false value cell

(* There is no receiver to take it. [next] is to replace [seen]. *)
and queue ~self t seen next ~busy value cell =
  if seen.count >= t.capacity then
    match cell with
    | Some cell when not busy ->
        let senders = Line.push ~gone:unwilling seen.senders { value; cell } in
        if replace t seen { next with senders } then Waiter.Enlisted
        else deposit ~self t value (Some cell)
    | (Some _ | None) when Atomic.get t.state == seen -> Nothing
    | Some _ | None ->
        (* Others have come since to receive, or it was closed. *)
        deposit ~self t value cell
  else
    match first_sender ~self seen.senders with
    | Ready _ ->
        (* Those who came before. *)
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
  match deposit ~self:Waiter.nobody t value None with
  | Done (Ok ()) -> `Sent
  | Done (Error _) -> `Closed
  | Enlisted | Nothing -> `Full

let unrecv t value =
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
          (* A message was just taken, and who took it will let this one in. *)
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
  match look_at ~self:Waiter.nobody t None with
  | Done (Ok v) -> Some v
  | Done (Error _) | Enlisted | Nothing -> None

let length t = (Atomic.get t.state).count
let is_closed t = (Atomic.get t.state).is_closed

(* Senders are taken out of the line before they are told, so that no entry of
   theirs is moved meanwhile. *)
let rec close t =
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
    (* Or else whoever has the last message in hand does it. *)
    if not (Atomic.get t.state).handing then refuse_receivers t;
    true
  end
