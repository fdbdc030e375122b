open Dromos_sync

type 'a op = { event : unit -> 'a Event.t; direct : (unit -> 'a) option }

type _ t =
  | Return : 'a -> 'a t
  | Call : (unit -> 'a) -> 'a t
  | Bind : 'b t * ('b -> 'a t) -> 'a t
  | Catch : 'a t -> ('a, exn) result t
  | Wait : 'a op -> 'a t
  | Plain : (unit -> 'a) -> 'a t
  | Yield : unit t

let return v = Return v
let call f = Call f
let wait op = Wait op
let plain f = Plain f
let yield = Yield
let catch t = Catch t
let ( let* ) t f = Bind (t, f)

let finally f t =
  let* r = catch t in
  call (fun () ->
      f ();
      match r with Ok v -> v | Error e -> raise e)

let repeat n f =
  let rec go i =
    if i > n then Return ()
    else
      let* () = f i in
      go (i + 1)
  in
  go 1

let op ?direct event = { event = (fun () -> event); direct }

let within seconds ?direct op =
  let timed f () =
    match f seconds with v -> Some v | exception Event.Timeout -> None
  in
  {
    event = (fun () -> Event.within seconds (op.event ()));
    direct = Option.map timed direct;
  }

type 'a form = Direct of (unit -> 'a) | Event of 'a Event.t
type forms = { form : 'a. 'a op -> 'a form }
type hands = { yield : unit -> unit; sync : 'a. 'a Event.t -> 'a }

let rec run : type a. hands -> forms -> a t -> a =
 fun hands forms -> function
  | Return v -> v
  | Call f -> f ()
  | Bind (t, f) ->
      let v = run hands forms t in
      run hands forms (f v)
  | Catch t -> (
      match run hands forms t with v -> Ok v | exception e -> Error e)
  | Wait op -> (
      match forms.form op with Direct f -> f () | Event e -> hands.sync e)
  | Plain f -> f ()
  | Yield -> hands.yield ()
