(* The exchange and its waiting operations, for scenarios. *)

type 'a t = 'a Exchange.t

exception Closed

let deliver = function Ok v -> v | Error (e, _) -> raise e
let create capacity = Exchange.create ~capacity ~closed:Closed
let send t v ~reason = Waiter.wait (Exchange.send t v ~reason)
let recv t ~reason = Waiter.wait (Exchange.recv t ~reason)
let look t ~reason = Waiter.wait (Exchange.look t ~reason)

type done_ = Sent | Got of int
type op = done_ Waiter.branch

let sending t v ~reason =
  Waiter.Branch
    ( Exchange.send t v ~reason,
      fun outcome ->
        deliver outcome;
        Sent )

let receiving t ~reason =
  Waiter.Branch (Exchange.recv t ~reason, fun outcome -> Got (deliver outcome))

let choose ops =
  let chosen, result = Waiter.choose (Array.of_list ops) in
  (chosen, result ())

let try_recv t =
  match Exchange.try_recv t with
  | `Received v -> Some v
  | `Empty | `Closed -> None

let try_send t v = Exchange.try_send t v = `Sent
let close t = ignore (Exchange.close t : bool)
let length = Exchange.length
let peek = Exchange.peek
