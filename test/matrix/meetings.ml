open Dromos_sync
open Step
open Env

let sides env = [ env.a; env.b; env.a; env.b ]

(* {1 Barriers} *)

(* A barrier has no event, but an arrival stands once made. *)
let meet (p : Party.t) b =
  if p.direct then plain (fun () -> ignore (Barrier.wait b : bool))
  else wait { event = (fun () -> Barrier.arrive b); direct = None }

(* No task is more than a round ahead of another. *)
let rounds_together env =
  let n = rounds env 15 in
  let b = Barrier.create ~name:"matrix" 4 in
  let at = Array.init 4 (fun _ -> Atomic.make 0) in
  let party i p =
    start env p "party"
      (repeat n (fun round ->
           let* () = call (fun () -> Atomic.set at.(i) round) in
           let* () = meet p b in
           call (fun () ->
               Array.iter
                 (fun other ->
                   let other = Atomic.get other in
                   ensure
                     (other = round || other = round + 1)
                     "in round %d one is in round %d" round other)
                 at)))
  in
  List.iter get (List.mapi party (sides env));
  ensure (Barrier.arrived b = 0) "%d have arrived" (Barrier.arrived b)

let serial env =
  both_ways env @@ fun p q ->
  if p.direct && q.direct then begin
    let n = rounds env 10 in
    let b = Barrier.create 2 and serial = Atomic.make 0 in
    let party p =
      start env p "party"
        (repeat n (fun _ ->
             plain (fun () -> if Barrier.wait b then Atomic.incr serial)))
    in
    let tasks = List.map party [ p; q ] in
    List.iter get tasks;
    ensure (Atomic.get serial = n) "%d of %d were last" (Atomic.get serial) n
  end

let barrier_late env =
  both_ways env @@ fun p q ->
  if p.direct then begin
    let b = Barrier.create 2 in
    let late =
      start env p "party"
        (plain (fun () ->
             match Barrier.wait ~timeout:0.002 b with
             | _ -> false
             | exception Event.Timeout -> true))
    in
    ensure (get late) "two came where one was";
    let others = List.map (fun p -> start env p "party" (meet p b)) [ p; q ] in
    List.iter get others;
    ensure (Barrier.arrived b = 0) "%d have arrived" (Barrier.arrived b)
  end

(* In each round exactly two calls return. *)
let cancel_party state env =
  both_ways env @@ fun other victim ->
  if victim.direct && victim.cancellable then
    for _ = 1 to rounds env 3 do
      let b = Barrier.create 2 and came = Atomic.make false in
      let program =
        let* () = meet victim b in
        call (fun () -> Atomic.set came true)
      in
      let server cancel =
        start env other "other"
          (let* () = meet other b in
           call cancel)
      in
      let cancelled, serving =
        Victim.run ~plain:true env state victim program ~server
      in
      let came = Atomic.get came in
      ensure (cancelled || came) "returned without having met";
      (match serving with
      | Some serving when came -> get serving
      | Some serving ->
          (* The task left alone is met by another task. *)
          let third = start env other "third" (meet other b) in
          get serving;
          get third
      | None -> ensure (not came) "met no task");
      ensure (Barrier.arrived b = 0) "%d have arrived" (Barrier.arrived b)
    done

let barrier =
  [
    ("rounds", rounds_together);
    ("one is last", serial);
    ("party times out", barrier_late);
  ]
  @ Victim.each "party" cancel_party

(* {1 Conditions} *)

type buffer = {
  m : Mutex.t;
  changed : Condition.t;
  room : Condition.t;
  items : int Queue.t;
}

let buffer () =
  {
    m = Mutex.create ~name:"matrix" ();
    changed = Condition.create ~name:"changed" ();
    room = Condition.create ~name:"room" ();
    items = Queue.create ();
  }

let put b v =
  Mutex.protect b.m (fun () ->
      Condition.await b.room b.m (fun () -> Queue.length b.items < 2);
      Queue.push v b.items;
      Condition.signal b.changed)

let take b =
  Mutex.protect b.m (fun () ->
      Condition.await b.changed b.m (fun () -> not (Queue.is_empty b.items));
      let v = Queue.pop b.items in
      Condition.signal b.room;
      v)

let bounded_buffer env =
  let b = buffer () and n = rounds env 12 in
  let put_log = Account.create () in
  let giver i p =
    start env p "giver"
      (repeat n (fun j ->
           let v = Account.message i j in
           let* () = plain (fun () -> put b v) in
           call (fun () -> Account.note put_log v)))
  in
  let taker p =
    let log = Account.create () in
    let take =
      repeat n (fun _ ->
          let* v = plain (fun () -> take b) in
          call (fun () -> Account.note log v))
    in
    (start env p "taker" take, log)
  in
  let takers = List.map taker (sides env) in
  let givers = List.mapi giver (sides env) in
  List.iter get givers;
  List.iter (fun (task, _) -> get task) takers;
  let taken = List.map (fun (_, log) -> Account.entries log) takers in
  List.iter Account.in_order taken;
  Account.conserved ~numbered:true ~put:(Account.entries put_log)
    ~taken:(List.concat taken)

(* Waits with the mutex held, after counting itself in [inside]. *)
let waiting b inside ready =
  plain (fun () ->
      Mutex.protect b.m (fun () ->
          Atomic.incr inside;
          Condition.await b.changed b.m (fun () -> !ready)))

(* The mutex is free, so the waiters wait. *)
let until_waiting env b inside n =
  let all () = Atomic.get inside = n in
  while not (all ()) do
    if Unix.gettimeofday () > env.deadline then raise (Hang "a waiter");
    Thread.delay 0.0002
  done;
  Mutex.protect b.m ignore

let broadcast env =
  both_ways env @@ fun p _ ->
  let b = buffer () and inside = Atomic.make 0 and ready = ref false in
  let tasks =
    List.map
      (fun p -> start env p "waiter" (waiting b inside ready))
      (sides env)
  in
  until_waiting env b inside 4;
  let tell () =
    Mutex.protect b.m (fun () -> ready := true);
    Condition.broadcast b.changed
  in
  get (start env p "telling" (plain tell));
  List.iter get tasks

let condition_late env =
  both_ways env @@ fun p _ ->
  let b = buffer () in
  let late =
    plain (fun () ->
        Mutex.lock b.m;
        let out =
          match Condition.wait ~timeout:0.002 b.changed b.m with
          | () -> false
          | exception Event.Timeout -> true
        in
        (* The waiter holds the mutex; otherwise the unlock fails. *)
        Mutex.unlock b.m;
        out)
  in
  ensure (get (start env p "waiter" late)) "woken by no task"

let wait_once b inside woken =
  plain (fun () ->
      Mutex.protect b.m (fun () ->
          Atomic.incr inside;
          Condition.wait b.changed b.m);
      Atomic.incr woken)

(* A cancelled waiter holds the mutex on its way out; otherwise [protect] would
   raise. A signal meant for the cancelled waiter wakes another waiter. *)
let cancel_waiter state env =
  both_ways env @@ fun other victim ->
  if victim.cancellable then
    for _ = 1 to rounds env 3 do
      let b = buffer () and woken = Atomic.make 0 and behind = ref ignore in
      let signal () =
        start env other "signalling"
          (plain (fun () -> Condition.signal b.changed))
      in
      let server cancel =
        let inside = Atomic.make 0 in
        let second =
          start env other "behind" (wait_once b inside (Atomic.make 0))
        in
        until_waiting env b inside 1;
        let signalling =
          start env other "signalling"
            (let* () = plain (fun () -> Condition.signal b.changed) in
             call cancel)
        in
        behind :=
          fun () ->
            get signalling;
            (* The signal went to the victim or to the second waiter. *)
            if Atomic.get woken = 1 then get (signal ());
            get second
      in
      let program = wait_once b (Atomic.make 0) woken in
      let cancelled, _ =
        Victim.run ~plain:true env state victim program ~server
      in
      ensure (cancelled || Atomic.get woken = 1) "returned without a signal";
      !behind ();
      ensure (Mutex.try_lock b.m) "the mutex is held";
      Mutex.unlock b.m
    done

let condition =
  [
    ("bounded buffer", bounded_buffer);
    ("broadcast", broadcast);
    ("waiter times out", condition_late);
  ]
  @ Victim.each "waiter" cancel_waiter
