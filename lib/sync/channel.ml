type 'a t = {
  exchange : 'a Exchange.t;
  capacity : int;
  sending : string; (* the reason of the wait, for reports *)
  receiving : string;
}

exception Closed

let () =
  Printexc.register_printer (function
    | Closed -> Some "Dromos.Channel.Closed"
    | _ -> None)

let create ?name ?(capacity = 0) () =
  if capacity < 0 then
    invalid_arg (Printf.sprintf "Channel.create: capacity %d" capacity);
  {
    exchange = Exchange.create ~capacity ~closed:Closed;
    capacity;
    sending = Event_core.reason "Channel.send" name;
    receiving = Event_core.reason "Channel.recv" name;
  }

let send_source t v = Exchange.send t.exchange v ~reason:t.sending
let recv_source t = Exchange.recv t.exchange ~reason:t.receiving
let send_event t v = Event_core.of_source (send_source t v)
let recv_event t = Event_core.of_source (recv_source t)

let send ?timeout t v =
  match Exchange.try_send t.exchange v with
  | `Sent -> ()
  | `Closed -> raise Closed
  | `Full -> Event_core.wait ?timeout (send_source t v)

let recv ?timeout t =
  match Exchange.try_recv t.exchange with
  | `Received v -> v
  | `Closed -> raise Closed
  | `Empty -> Event_core.wait ?timeout (recv_source t)

let try_send t v =
  match Exchange.try_send t.exchange v with
  | `Sent -> true
  | `Full -> false
  | `Closed -> raise Closed

let try_recv t =
  match Exchange.try_recv t.exchange with
  | `Received v -> Some v
  | `Empty -> None
  | `Closed -> raise Closed

let close t = ignore (Exchange.close t.exchange : bool)
let is_closed t = Exchange.is_closed t.exchange
let length t = Exchange.length t.exchange
let capacity t = t.capacity
