(* crowded.exe N: N blocking calls, which all return at the end of stdin. With
   DROMOS_BLOCKING_THREADS, or with limits of the system, some calls wait in the
   queue meanwhile. *)

module Blocking = Dromos_service.Blocking

let () =
  let n = int_of_string Sys.argv.(1) in
  let left = Atomic.make n in
  let call () = ignore (Unix.read Unix.stdin (Bytes.create 1) 0 1 : int) in
  (* The callers have no threads of their own. *)
  let rec submit i =
    if i < n then begin
      Dromos_service.Threads.(
        start ();
        submit
          (job (fun () ->
               call ();
               Atomic.decr left)));
      submit (i + 1)
    end
  in
  submit 0;
  while Atomic.get left > 0 do
    Unix.sleepf 0.01
  done;
  ignore (Blocking.call (fun () -> ()));
  print_endline "all returned"
