type 'a outcome = ('a, exn * Printexc.raw_backtrace) result

let outcome f =
  match f () with
  | v -> Ok v
  | exception e -> Error (e, Printexc.get_raw_backtrace ())

(* [Lwt.cancel] rejects a cancellable promise at once, without a question. So
   the promise that [Lwt.cancel] reaches is only a bell. A second promise behind
   the bell gets the outcome, in case the cancellation came too late. *)
let promise ~cancel =
  let result, set_result = Lwt.wait () in
  let bell, ring = Lwt.task () in
  let promise =
    Lwt.catch
      (fun () -> bell)
      (function
        | Lwt.Canceled when cancel () -> Lwt.fail Lwt.Canceled
        | Lwt.Canceled -> result
        | e -> Lwt.fail e)
  in
  let settle = function
    | Ok v ->
        Lwt.wakeup set_result v;
        Lwt.wakeup ring v
    | Error (e, bt) -> (
        try Printexc.raise_with_backtrace e bt
        with e ->
          Lwt.wakeup_exn set_result e;
          Lwt.wakeup_exn ring e)
  in
  (promise, settle)
