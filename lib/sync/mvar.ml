type 'a t = {
  exchange : 'a Exchange.t; (* never closed *)
  putting : string; (* the reason of the wait, for reports *)
  taking : string;
  reading : string;
}

let closed = Invalid_argument "Dromos_sync.Mvar: closed"

let create ?name () =
  {
    exchange = Exchange.create ~capacity:1 ~closed;
    putting = Event_core.reason "Mvar.put" name;
    taking = Event_core.reason "Mvar.take" name;
    reading = Event_core.reason "Mvar.read" name;
  }

let try_put t v =
  match Exchange.try_send t.exchange v with
  | `Sent -> true
  | `Full -> false
  | `Closed -> raise closed

let try_take t =
  match Exchange.try_recv t.exchange with
  | `Received v -> Some v
  | `Empty -> None
  | `Closed -> raise closed

let of_value ?name v =
  let t = create ?name () in
  ignore (try_put t v : bool);
  t

let put_source t v = Exchange.send t.exchange v ~reason:t.putting
let take_source t = Exchange.recv t.exchange ~reason:t.taking
let read_source t = Exchange.look t.exchange ~reason:t.reading
let put_event t v = Event_core.of_source (put_source t v)
let take_event t = Event_core.of_source (take_source t)
let read_event t = Event_core.of_source (read_source t)

let put ?timeout t v =
  if not (try_put t v) then Event_core.wait ?timeout (put_source t v)

let take ?timeout t =
  match try_take t with
  | Some v -> v
  | None -> Event_core.wait ?timeout (take_source t)

let peek t = Exchange.peek t.exchange

let read ?timeout t =
  match peek t with
  | Some v -> v
  | None -> Event_core.wait ?timeout (read_source t)

let is_empty t = Option.is_none (peek t)

let modify ?timeout t f =
  Dromos_service.Stack_room.ensure 3;
  let old = take ?timeout t in
  match f old with
  | v, result ->
      Exchange.unrecv t.exchange v;
      result
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Exchange.unrecv t.exchange old;
      Printexc.raise_with_backtrace e bt

let update ?timeout t f = modify ?timeout t (fun v -> (f v, ()))
