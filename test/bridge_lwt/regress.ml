(* Faults that were found once. *)

module Event = Dromos_sync.Event
module Lazy = Dromos_sync.Lazy

let int = Alcotest.(check int)

(* [Lwt.Canceled] was taken for what the computation came to, and raised by
   every force from then on. *)
let lazy_cancelled () =
  let begun = ref 0 in
  let v =
    Dromos_lwt.run (fun () ->
        let value =
          Lazy.from_fun (fun () ->
              incr begun;
              if !begun = 1 then Dromos_lwt.await (fst (Lwt.wait ()));
              42)
        in
        let first = Dromos_lwt.fiber (fun () -> Lazy.force value) in
        let second = Dromos_lwt.fiber (fun () -> Lazy.force value) in
        Lwt.cancel first;
        second)
  in
  int "value" 42 v;
  int "begun" 2 !begun

(* It was raised out of [sync], past the handlers of the promise. *)
let guard_raises () =
  let v =
    Dromos_lwt.run (fun () ->
        let p = Dromos_lwt.sync (Event.guard (fun () -> failwith "guard")) in
        Lwt.catch (fun () -> p) (fun _ -> Lwt.return 1))
  in
  int "caught" 1 v

let cases =
  [
    Watch.case ~limit:30. "a lazy value whose fiber is cancelled" lazy_cancelled;
    Watch.case ~limit:30. "sync: a guard that raises" guard_raises;
  ]
