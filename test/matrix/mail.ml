(* Each message contains the cell of the next message. *)

module Promise = Dromos_sync.Promise

type 'a message = Close | Work of 'a * 'a message Promise.t

type 'a t = {
  first : 'a message Promise.t;
  last : 'a message Promise.t Atomic.t;
}

let create () =
  let first = Promise.create () in
  { first; last = Atomic.make first }

let send t f =
  let next = Promise.create () in
  Promise.resolve (Atomic.exchange t.last next) (Work (f, next))

let close t = Promise.resolve (Atomic.exchange t.last (Promise.create ())) Close

let serve t start =
  let rec go message =
    match Promise.await message with
    | Close -> ()
    | Work (f, next) ->
        start f;
        go next
  in
  go t.first
