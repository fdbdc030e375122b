module Fls = Dromos.Fls

let key : Fls.storage Lwt.key = Lwt.new_key ()
let read () = Option.value (Lwt.get key) ~default:Fls.empty
let within storage f = Lwt.with_value key (Some storage) f

(* Lwt has no function that reads all its storage. A callback has the storage of the
   place where the callback was bound: the place is an empty promise with a callback that
   calls the function that the promise gets. *)
type place = { mutable call : (unit -> unit) Lwt.u }

let rec renew place =
  let p, call = Lwt.wait () in
  place.call <- call;
  Lwt.on_success p (fun f ->
      renew place;
      f ())

let here () =
  let place = { call = snd (Lwt.wait ()) } in
  renew place;
  place

let at place f =
  let result = ref None in
  Lwt.wakeup place.call (fun () ->
      result :=
        Some
          (match f () with
          | v -> Ok v
          | exception e -> Error (e, Printexc.get_raw_backtrace ())));
  match !result with
  | Some (Ok v) -> v
  | Some (Error (e, bt)) -> Printexc.raise_with_backtrace e bt
  | None -> assert false

let offloaded : place Fls.key = Fls.new_key ()

let offloading f =
  let place = here () in
  fun () -> Fls.let_ offloaded place f

let offloader () = Fls.find_opt offloaded

let at_offloader place storage f =
  match place with
  | None -> within storage f
  | Some place -> at place (fun () -> within storage f)

let provide () = Fls.provide { read; write = None; within }
