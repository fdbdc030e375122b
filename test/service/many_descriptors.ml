(* Waits for descriptors whose numbers [select] refuses: 1100 files are open
   before. Then waits for many descriptors at once. *)

module Poller = Dromos_service.Poller

let rec open_files n =
  n = 0
  ||
  match Unix.openfile "/dev/null" [ O_RDONLY; O_CLOEXEC ] 0 with
  | _ -> open_files (n - 1)
  | exception Unix.Unix_error (EMFILE, _, _) -> false

let wait_until what condition =
  let deadline = Unix.gettimeofday () +. 30. in
  while not (condition ()) do
    if Unix.gettimeofday () > deadline then failwith what;
    Unix.sleepf 0.001
  done

let pairs = 900

let () =
  if open_files 1100 then begin
    Poller.start ();
    let told = Atomic.make 0 and wrong = Atomic.make 0 in
    let pair _ = Unix.socketpair ~cloexec:true PF_UNIX SOCK_STREAM 0 in
    let all = Array.init pairs pair in
    let watch (a, _) =
      Poller.set (Poller.watch ()) a Read (fun outcome ->
          Atomic.incr (if outcome = Ready then told else wrong);
          Over)
    in
    Array.iter watch all;
    if Poller.pending () <> pairs then failwith "pending";
    let cpu = Sys.time () in
    Unix.sleepf 0.3;
    let cpu = Sys.time () -. cpu in
    Array.iter
      (fun (_, b) -> ignore (Unix.write b (Bytes.make 1 'x') 0 1 : int))
      all;
    wait_until "not all were told" (fun () -> Atomic.get told = pairs);
    (* A waiting reader is woken by the next event of its descriptor, and so is
       a writer. *)
    let closing i (a, b) =
      if i mod 2 = 0 then Unix.close b else Poller.close b;
      match Poller.now a Read with
      | Some Ready -> ()
      | _ -> failwith "the end is not seen"
    in
    Array.iteri closing all;
    wait_until "pending" (fun () -> Poller.pending () = 0);
    if Atomic.get wrong > 0 then failwith "closed";
    if cpu > 0.15 then failwith "the poller spins";
    Printf.printf "descriptors over 1024: %d told, %.3f s CPU idle\n" pairs cpu
  end
  else print_endline "skipped: no more than 1024 open files are allowed here"
