(* A case of misuse per process; the process prints the outcome. *)

let report f =
  match f () with
  | text -> print_endline text
  | exception Dromos.Misplaced text -> print_endline ("Misplaced: " ^ text)
  | exception Invalid_argument text -> print_endline ("Invalid: " ^ text)
  | exception Failure text -> print_endline ("Failure: " ^ text)

(* Runs in a forked child, whose exit status tells whether the run went well. *)
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

(* The stolen branch uses the context of the forking fiber. *)
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

(* Standard input, a pipe shared with other processes, stays in its mode. *)
let standard_input () =
  Dromos.run (fun () ->
      let buffer = Bytes.create 10 in
      let rec read pos =
        match Dromos.Io.read Unix.stdin buffer pos (10 - pos) with
        | 0 -> pos
        | n -> read (pos + n)
      in
      let n = read 0 in
      let nonblocking =
        Dromos_service.Polling.nonblocking Unix.stdin ~set:false
      in
      Dromos.Io.write_string Unix.stdout "said ";
      Printf.sprintf "%s, %b" (Bytes.sub_string buffer 0 n) nonblocking)

(* {1 When domains run out} *)

(* Makes idle domains of the program's own; returns the function that ends
   them. *)
let crowd n =
  let over = Atomic.make false in
  let wait () =
    while not (Atomic.get over) do
      Unix.sleepf 0.01
    done
  in
  let rec spawn k =
    if k = 0 then []
    else
      match Domain.spawn wait with
      | domain -> domain :: spawn (k - 1)
      | exception Failure _ -> []
  in
  let domains = spawn n in
  ( List.length domains,
    fun () ->
      Atomic.set over true;
      List.iter Domain.join domains )

let beside n f =
  let _, leave = crowd n in
  Fun.protect f ~finally:leave

(* Needs the timer and a blocking call; forks branches, so that workers come. *)
let rec outside_help n =
  if n = 0 then begin
    Dromos.sleep 0.001;
    Dromos.blocking (fun () -> 1)
  end
  else
    let a, b =
      Dromos.both
        (fun () -> outside_help (n - 1))
        (fun () -> outside_help (n - 1))
    in
    a + b

let helped ~workers n =
  Printf.sprintf "%d calls" (Dromos.run ~workers (fun () -> outside_help n))

let most_workers () =
  let text = helped ~workers:128 8 in
  let { Dromos.domains; _ } = Dromos.stats () in
  Printf.sprintf "%s, %b" text (domains <= 126)

let beside_hundred () = beside 100 (fun () -> helped ~workers:128 8)
let beside_all () = beside 1000 (fun () -> helped ~workers:4 4)

(* On a domain that is not the main one, and without pool domains. *)
let no_domain_left () =
  let go = Atomic.make false in
  let sleeper =
    Domain.spawn (fun () ->
        while not (Atomic.get go) do
          Unix.sleepf 0.01
        done;
        match Dromos.run ~workers:1 (fun () -> Dromos.sleep 0.) with
        | () -> "slept"
        | exception Failure text -> text)
  in
  beside 1000 (fun () ->
      Atomic.set go true;
      Domain.join sleeper)

(* The fiber runs on a pool domain, which becomes the service domain. *)
let lent () =
  let sleep () =
    let taken = Atomic.make false and go = Atomic.make false in
    let sleeps () =
      ignore
        (Dromos.both
           (fun () ->
             while not (Atomic.get taken) do
               Dromos.check ()
             done;
             Atomic.set go true)
           (fun () ->
             Atomic.set taken true;
             while not (Atomic.get go) do
               Domain.cpu_relax ()
             done;
             let n, leave = crowd 1000 in
             let main = Domain.is_main_domain () in
             Dromos.sleep 0.001;
             leave ();
             Printf.printf "crowded: %b, main: %b\n" (n > 100) main))
    in
    sleeps ();
    outside_help 4
  in
  let n = Dromos.run ~workers:3 sleep in
  let m = Dromos.run ~workers:3 (fun () -> outside_help 4) in
  Printf.sprintf "%d and %d calls" n m

let many_runs () =
  let one () = Dromos.run ~workers:128 (fun () -> outside_help 3) in
  (* The runs' pool domains must not take the place of domains still to be
     made. *)
  let made = Semaphore.Counting.make 0 in
  let once_all_are_made () =
    Semaphore.Counting.acquire made;
    one ()
  in
  let domains = List.init 40 (fun _ -> Domain.spawn once_all_are_made) in
  List.iter (fun _ -> Semaphore.Counting.release made) domains;
  let threads = Atomic.make 0 in
  let on_thread () = ignore (Atomic.fetch_and_add threads (one ()) : int) in
  List.iter Thread.join (List.init 40 (fun _ -> Thread.create on_thread ()));
  let calls = List.fold_left (fun n d -> n + Domain.join d) 0 domains in
  Printf.sprintf "%d calls" (calls + Atomic.get threads)

(* The first wait for a descriptor starts the poller, whose own descriptors then take
   the numbers that were closed: a wait for such a number, and its close, still fail. *)
let closed_first () =
  let fds = List.init 6 (fun _ -> Unix.openfile "/dev/null" [ O_CLOEXEC ] 0) in
  List.iter Unix.close fds;
  let refused f fd =
    match f fd with
    | () -> false
    | exception Unix.Unix_error (EBADF, _, _) -> true
  in
  let module Io = Dromos.Io in
  let checks =
    [
      (fun fd -> Io.await_readable fd);
      (fun fd -> Io.await_writable fd);
      (fun fd -> Dromos.Event.sync (Io.readable_event fd));
      (fun fd -> Io.await_readable ~timeout:0. fd);
      (fun fd -> Io.close fd);
    ]
  in
  let each f = List.for_all (refused f) fds in
  let all = Dromos.run ~workers:1 (fun () -> List.for_all each checks) in
  let a, b = Unix.pipe () in
  let came =
    Dromos.run ~workers:1 (fun () ->
        let read = Dromos.async (fun () -> Io.await_readable a) in
        Dromos.sleep 0.002;
        Io.write_string b "x";
        Dromos.await read;
        true)
  in
  Printf.sprintf "all raised EBADF: %b, a pipe works: %b" all came

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
    | "stdin" -> standard_input
    | "most-workers" -> most_workers
    | "beside-hundred" -> beside_hundred
    | "beside-all" -> beside_all
    | "no-domain-left" -> no_domain_left
    | "lent" -> lent
    | "many-runs" -> many_runs
    | "closed-first" -> closed_first
    | other -> fun () -> "no such case: " ^ other)
