(* One case of misuse per process: each prints what came of it. *)

let report f =
  match f () with
  | text -> print_endline text
  | exception Dromos.Misplaced text -> print_endline ("Misplaced: " ^ text)
  | exception Invalid_argument text -> print_endline ("Invalid: " ^ text)
  | exception Failure text -> print_endline ("Failure: " ^ text)

(* Runs in a forked child, whose exit status says whether it went well. *)
let in_child f =
  match Unix.fork () with
  | 0 -> Unix._exit (if f () = 3 then 0 else 1)
  | pid -> (
      match Unix.waitpid [] pid with
      | _, Unix.WEXITED 0 -> "child well"
      | _ -> "child failed")

let sum () =
  let a, b = Dromos.both (fun () -> 1) (fun () -> 2) in
  let p =
    Dromos.async (fun () ->
        Dromos.yield ();
        a + b)
  in
  Dromos.await p

let one_worker () =
  ignore (Dromos.run ~workers:1 sum : int);
  let { Dromos.domains; _ } = Dromos.stats () in
  Printf.sprintf "%s, %d domains"
    (in_child (fun () -> Dromos.run ~workers:1 sum))
    domains

let taken () =
  let runs = Atomic.make false in
  ignore
    (Dromos.both
       (fun () ->
         while not (Atomic.get runs) do
           Dromos.check ()
         done)
       (fun () -> Atomic.set runs true))

let two_workers () =
  Dromos.run ~workers:2 taken;
  in_child (fun () -> 3)

(* The branch that was taken uses the context of the one that forked. *)
let captured () =
  Dromos.run ~workers:2 (fun () ->
      let ctx = Dromos.Ctx.get () in
      let runs = Atomic.make false in
      ignore
        (Dromos.Ctx.both ctx
           (fun _ ->
             while not (Atomic.get runs) do
               Dromos.check ()
             done)
           (fun _ ->
             Atomic.set runs true;
             ignore (Dromos.Ctx.both ctx ignore ignore)));
      "not noticed")

let under_lwt () =
  Lwt_main.run
    (Lwt.bind (Lwt.pause ()) (fun () ->
         Lwt.return (string_of_int (Dromos.run sum))))

(* A call that never returns. *)
let abandoned () =
  let read_end, _ = Unix.pipe ~cloexec:true () in
  let read () = Unix.read read_end (Bytes.create 1) 0 1 in
  let call () = Dromos.blocking ~abandon:true read in
  match Dromos.run (fun () -> Dromos.timeout 0.05 call) with
  | _ -> "it returned"
  | exception Dromos.Timeout -> "Timeout, and the program ends"

let blocks () =
  Dromos.run (fun () -> string_of_int (Dromos.blocking (fun () -> 1)))

let default_workers () =
  Dromos.run (fun () -> Printf.sprintf "%d workers" (Dromos.workers ()))

let () =
  report
    (match Sys.argv.(1) with
    | "fork-one" -> one_worker
    | "fork-two" -> two_workers
    | "captured" -> captured
    | "lwt" -> under_lwt
    | "default" -> default_workers
    | "abandoned" -> abandoned
    | "blocks" -> blocks
    | other -> fun () -> "no such case: " ^ other)
