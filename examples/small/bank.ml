(* Accounts changed by many tasks: each account has a mutex. A transfer locks in
   the order of the accounts, and two transfers never wait for each other. *)

open Dromos

type account = { lock : Mutex.t; mutable balance : int }

let transfer accounts ~from ~into amount =
  let a = accounts.(min from into) and b = accounts.(max from into) in
  Mutex.protect a.lock (fun () ->
      Mutex.protect b.lock (fun () ->
          accounts.(from).balance <- accounts.(from).balance - amount;
          accounts.(into).balance <- accounts.(into).balance + amount))

let () =
  let account _ = { lock = Mutex.create (); balance = 100 } in
  let accounts = Array.init 10 account in
  run (fun () ->
      Par.for_ 0 10_000 (fun i ->
          let from = i mod 10 in
          let into = (from + 1 + (i mod 9)) mod 10 in
          transfer accounts ~from ~into (i mod 7)));
  let total = Array.fold_left (fun sum a -> sum + a.balance) 0 accounts in
  Printf.printf "together they have %d\n" total
