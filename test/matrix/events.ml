open Dromos_sync
open Step
open Env

let sync event = wait { event; direct = None }

(* {1 Swapping: both sides choose between sending and receiving} *)

type swap = Sent | Received of int | Over

let swap c v =
  [
    Event.wrap (Channel.send_event c v) (fun () -> Sent);
    Event.wrap (Channel.recv_event c) (fun v -> Received v);
  ]

let swap_two env =
  let c = Channel.create () and n = rounds env 30 in
  let put = Account.create () and taken = Account.create () in
  let task id p =
    start env p "swapping"
      (repeat n (fun i ->
           let v = Account.message id i in
           let* swapped = sync (fun () -> Event.choose (swap c v)) in
           call (fun () ->
               match swapped with
               | Sent -> Account.note put v
               | Received v -> Account.note taken v
               | Over -> ())))
  in
  let tasks = List.mapi task [ env.a; env.b ] in
  List.iter get tasks;
  let put = Account.entries put and taken = Account.entries taken in
  Account.conserved ~numbered:true ~put ~taken;
  ensure (List.length put = n) "%d swaps of %d" (List.length put) n

(* Several tasks swap until they are stopped; some are cancelled. *)
let swap_crowd env =
  let c = Channel.create () and over = Gate.create () in
  let put = Account.create () and taken = Account.create () in
  let rec go id i =
    let v = Account.message id i in
    let stop = Event.wrap ((Gate.pass over).event ()) (fun () -> Over) in
    let* swapped = sync (fun () -> Event.choose (stop :: swap c v)) in
    match swapped with
    | Over -> return ()
    | Sent ->
        Account.note put v;
        go id (i + 1)
    | Received v ->
        Account.note taken v;
        go id (i + 1)
  in
  let task id p = start_cancellable env p "swapping" (fun _ -> go id 1) in
  let tasks = List.mapi task [ env.a; env.b; env.a; env.b; env.a ] in
  let gone = List.filteri (fun i _ -> i > 2) tasks in
  for _ = 1 to rounds env 2 do
    settle env
  done;
  List.iter
    (fun task ->
      jitter env;
      cancel task)
    gone;
  List.iter
    (fun task -> ensure (cancelled task (join task)) "was not cancelled")
    gone;
  settle env;
  Gate.open_ over;
  List.iter (fun task -> if not (List.memq task gone) then get task) tasks;
  Account.conserved ~numbered:true ~put:(Account.entries put)
    ~taken:(Account.entries taken);
  ensure (Account.entries put <> []) "no task swapped"

(* {1 Choosing between structures}

   A structure that is not chosen stays as it was. *)

let mixed env =
  both_ways env @@ fun serving choosing ->
  let n = rounds env 15 in
  let c = Channel.create () and s = Semaphore.create 0 in
  let b = Channel.create ~capacity:2 () in
  let taken = Account.create () and patience = short env in
  let choice () =
    Event.choose
      [
        Event.wrap (Channel.recv_event c) (fun v -> Some v);
        Event.wrap (Semaphore.acquire_event s) (fun () -> Some 0);
        Event.wrap (Channel.recv_event b) (fun v -> Some v);
        Event.wrap (Event.timeout patience) (fun () -> None);
      ]
  in
  let rec choose left =
    if left = 0 then return ()
    else
      let* v = sync choice in
      match v with
      | None -> choose left
      | Some v ->
          Account.note taken v;
          choose (left - 1)
  in
  let serve =
    repeat n (fun i ->
        let* () =
          wait
            (op
               (Channel.send_event c (Account.message 1 i))
               ~direct:(fun () -> Channel.send c (Account.message 1 i)))
        in
        let* () = call (fun () -> Semaphore.release s) in
        let v = Account.message 2 i in
        wait (op (Channel.send_event b v) ~direct:(fun () -> Channel.send b v)))
  in
  let two = [ choosing; choosing ] in
  let choosers =
    List.mapi
      (fun i p ->
        let share = if i = 0 then n else 2 * n in
        start env p "choosing" (choose share))
      two
  in
  get (start env serving "serving" serve);
  List.iter get choosers;
  let put =
    List.concat_map
      (fun i -> [ Account.message 1 (i + 1); 0; Account.message 2 (i + 1) ])
      (List.init n Fun.id)
  in
  Account.conserved ~numbered:true ~put ~taken:(Account.entries taken);
  ensure (Semaphore.permits s = 0) "%d permits are left" (Semaphore.permits s);
  ensure (Channel.length b = 0) "%d messages are left" (Channel.length b)

(* {1 Withdrawn requests}

   A client asks and waits for its answer, for a while, or until the client is
   cancelled. The server answers, or learns that the request was withdrawn. Each
   request ends in one way, and both sides agree about it. *)

type request = { id : int; answer : int Channel.t; nack : unit Event.t }

let requests env =
  both_ways env @@ fun serving asking ->
  let n = rounds env 12 in
  let desk = Channel.create ~capacity:max_int () in
  let made = Account.create () in
  let answered = Account.create () and received = Account.create () in
  let withdrawn = Account.create () and patience = short env in
  let ask id =
    Event.with_nack (fun nack ->
        Account.note made id;
        let answer = Channel.create () in
        ignore (Channel.try_send desk { id; answer; nack } : bool);
        Channel.recv_event answer)
  in
  let client sender =
    repeat n (fun i ->
        let id = Account.message sender i in
        let request () =
          Event.choose
            [
              Event.wrap (ask id) Option.some;
              Event.wrap (Event.timeout patience) (fun () -> None);
            ]
        in
        let* got = sync request in
        call (fun () ->
            match got with Some v -> Account.note received v | None -> ()))
  in
  let reply { id; answer; nack } =
    let* given =
      sync (fun () ->
          Event.choose
            [
              Event.wrap (Channel.send_event answer id) (fun () -> true);
              Event.wrap nack (fun () -> false);
            ])
    in
    call (fun () -> Account.note (if given then answered else withdrawn) id)
  in
  let rec serve () =
    let* request =
      catch
        (wait
           (op (Channel.recv_event desk) ~direct:(fun () -> Channel.recv desk)))
    in
    match request with
    | Error Channel.Closed -> return ()
    | Error e -> raise e
    | Ok request ->
        let* () = yield in
        let* () = reply request in
        serve ()
  in
  let server = start env serving "server" (serve ()) in
  let clients =
    List.init 3 (fun i ->
        start_cancellable env asking "client" (fun _ -> client i))
  in
  jitter env;
  let gone = List.hd clients in
  cancel gone;
  List.iter
    (fun task ->
      match join task with
      | Ok () -> ()
      | r -> ensure (cancelled task r && task == gone) "was not cancelled")
    clients;
  Channel.close desk;
  get server;
  Account.conserved ~numbered:true ~put:(Account.entries answered)
    ~taken:(Account.entries received);
  Account.conserved ~numbered:true ~put:(Account.entries made)
    ~taken:(Account.entries answered @ Account.entries withdrawn)

(* {1 Time, and functions around an operation} *)

let timeouts env =
  both_ways env @@ fun p _ ->
  let s = 0.003 in
  let start_ = Unix.gettimeofday () in
  get (start env p "sleeping" (sync (fun () -> Event.timeout s)));
  let gone = Unix.gettimeofday () -. start_ in
  (* Two clocks may disagree a little. *)
  ensure (gone > s *. 0.9) "a timeout of %.4f s took %.4f s" s gone;
  let never =
    get (start env p "waiting" (sync (fun () -> Event.within s Event.never)))
  in
  ensure (never = None) "never happened"

exception Boom

let functions env =
  both_ways env @@ fun serving choosing ->
  let c = Channel.create () in
  let recv = Channel.recv_event c in
  let send v =
    start env serving "sender" (sync (fun () -> Channel.send_event c v))
  in
  let take event = start env choosing "receiver" (sync event) in
  (* An exception behind the operation belongs to the operation's task alone. *)
  let task = take (fun () -> Event.wrap recv (fun _ -> raise Boom)) in
  get (send 1);
  (match join task with
  | Error Boom -> ()
  | Error e -> wrong "%s for Boom" (Printexc.to_string e)
  | Ok () -> wrong "an exception was lost");
  let task =
    take (fun () ->
        Event.wrap_error
          (Event.wrap recv (fun _ -> raise Boom))
          (function Boom -> 17 | e -> raise e))
  in
  get (send 2);
  ensure (get task = 17) "wrap_error was passed over";
  (* A guard is called once for each synchronization. *)
  let guarded = Atomic.make 0 in
  let guard () =
    Event.guard (fun () ->
        Atomic.incr guarded;
        Event.choose [ recv; Event.never ])
  in
  let task = take guard in
  settle env;
  get (send 3);
  ensure (get task = 3) "another message";
  ensure (Atomic.get guarded = 1) "guarded %d times" (Atomic.get guarded)

(* {1 Cancellation} *)

let cancel_chooser state env =
  both_ways env @@ fun serving choosing ->
  for _ = 1 to rounds env 3 do
    let c = Channel.create () and s = Semaphore.create 0 in
    let nacked = Gate.create () and got = Atomic.make 0 in
    let nacks nack = Event.wrap nack (fun () -> Gate.open_ nacked) in
    let asked = Channel.create ~capacity:1 () in
    let choice () =
      Event.choose
        [
          Channel.recv_event c;
          Event.wrap (Semaphore.acquire_event s) (fun () -> 2);
          Event.with_nack (fun nack ->
              ignore (Channel.try_send asked nack : bool);
              Event.never);
        ]
    in
    let program =
      let* v = sync choice in
      call (fun () -> Atomic.set got v)
    in
    let server cancel =
      start env serving "serving"
        (let* () = sync (fun () -> Channel.send_event c 1) in
         call cancel)
    in
    let cancelled, sending = Victim.run env state choosing program ~server in
    let served = Atomic.get got <> 0 in
    ensure (cancelled || served) "returned without a choice";
    (* The asking side learns that the operation was not chosen. *)
    (match Channel.try_recv asked with
    | None -> ()
    | Some nack ->
        get (start env serving "nacked" (sync (fun () -> nacks nack))));
    let third =
      start env (either env) "third" (sync (fun () -> Channel.recv_event c))
    in
    if served || sending = None then
      get (start env serving "second" (sync (fun () -> Channel.send_event c 1)));
    ensure (get third = 1) "another message";
    Option.iter get sending;
    (* No task that has left takes the permit. *)
    Semaphore.release s;
    ensure (Semaphore.try_acquire s) "a permit was lost"
  done

let scenarios =
  [
    ("swapping", swap_two);
    ("swapping crowd", swap_crowd);
    ("choice of structures", mixed);
    ("requests withdrawn", requests);
    ("timeouts", timeouts);
    ("functions", functions);
  ]
  @ Victim.each "choosing task" cancel_chooser
