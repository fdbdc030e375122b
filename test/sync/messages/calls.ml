open Effect.Deep

type reply =
  | Waits
  | Got of int
  | Raised of string
  | Cancelled
  | Occupied
  | Free

let show = function
  | Waits -> "waits"
  | Got v -> Printf.sprintf "got %d" v
  | Raised e -> "raised " ^ e
  | Cancelled -> "cancelled"
  | Occupied -> "occupied"
  | Free -> "free"

exception Cancel

type step = Over of reply | Waiting of (unit -> step)

(* The smallest scheduler: a waiting fiber is its continuation. *)
let fiber call =
  match_with call ()
    {
      retc = (fun v -> Over (Got v));
      exnc =
        (function
        | Cancel -> Over Cancelled
        | e -> Over (Raised (Printexc.to_string e)));
      effc =
        (fun (type a) (effect_ : a Effect.t) ->
          match effect_ with
          | Dromos_suspend.Suspend block ->
              Some
                (fun (k : (a, step) continuation) ->
                  let outcome = Atomic.make None in
                  let resume r = Atomic.compare_and_set outcome None (Some r) in
                  match block resume with
                  | Some v -> continue k v
                  | None ->
                      let go () =
                        let bt = Printexc.get_callstack 0 in
                        ignore (resume (Error (Cancel, bt)));
                        match Option.get (Atomic.get outcome) with
                        | Ok v -> continue k v
                        | Error (e, bt) -> discontinue_with_backtrace k e bt
                      in
                      Waiting go)
          | _ -> None);
    }

let rec over = function Over reply -> reply | Waiting go -> over (go ())

(* A caller at a place holds the place's lock, so that domains contend in the
   structure under test, not here. *)
type place = { lock : Mutex.t; mutable call : (unit -> step) option }
type t = place array

let places = 4
let free _ = { lock = Mutex.create (); call = None }
let create () = Array.init places free

let start t i call =
  let place = t.(i) in
  Mutex.protect place.lock @@ fun () ->
  match place.call with
  | Some _ -> Occupied
  | None -> (
      match fiber call with
      | Over reply -> reply
      | Waiting go ->
          place.call <- Some go;
          Waits)

let finish t i =
  let place = t.(i) in
  Mutex.protect place.lock @@ fun () ->
  match place.call with
  | None -> Free
  | Some go ->
      place.call <- None;
      over (go ())

let finish_all t = Array.iteri (fun i _ -> ignore (finish t i)) t
