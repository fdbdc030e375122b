(* Random schedules: every access to an atomic of lib/sync is a step, before
   which any task may continue; thousands of random draws. One thread, so that a
   seed repeats a schedule exactly. The test reaches further than dscheck, whose
   scenarios must be small, and proves less. *)

open Sync_stepped
module Shadow = Sync_shadow.Shadow

(* {1 Tasks} *)

(* The tasks that can continue, in no order. *)
type ready = { mutable tasks : (unit -> unit) array; mutable count : int }

let add ready f =
  if ready.count = Array.length ready.tasks then
    ready.tasks <- Array.append ready.tasks (Array.make 8 ignore);
  ready.tasks.(ready.count) <- f;
  ready.count <- ready.count + 1

let draw chance ready =
  let i = Random.State.int chance ready.count in
  let f = ready.tasks.(i) in
  ready.count <- ready.count - 1;
  ready.tasks.(i) <- ready.tasks.(ready.count);
  f

let rec task : (unit -> unit) -> ready -> unit -> unit =
 fun f ready () ->
  let open Effect.Deep in
  let suspend (type a) (block : a Dromos_suspend.resumer -> a option)
      (k : (a, unit) continuation) =
    let resumed = ref false in
    let resume result =
      let first = not !resumed in
      resumed := true;
      (if first then
         let go () =
           match result with
           | Ok v -> continue k v
           | Error (e, bt) -> discontinue_with_backtrace k e bt
         in
         add ready go);
      first
    in
    (* [block] takes steps too. *)
    let block () =
      match block resume with None -> () | Some v -> continue k v
    in
    task block ready ()
  in
  let effc (type a) (e : a Effect.t) =
    match e with
    | Shadow.Step ->
        Some (fun (k : (a, unit) continuation) -> add ready (continue k))
    | Dromos_suspend.Suspend block -> Some (fun k -> suspend block k)
    | _ -> None
  in
  match_with f () { retc = Fun.id; exnc = raise; effc }

(* Runs the tasks, in one schedule, until no task can continue. *)
let schedule chance tasks =
  let ready = { tasks = Array.make 8 ignore; count = 0 } in
  List.iter (fun f -> add ready (task f ready)) tasks;
  Shadow.active := true;
  Fun.protect
    ~finally:(fun () -> Shadow.active := false)
    (fun () ->
      while ready.count > 0 do
        (draw chance ready) ()
      done)

(* {1 Scenarios} *)

(* Senders send in order; receivers choose between the channel and a silent
   channel, so that receivers are registering now and then. *)
let in_order capacity chance =
  let c = Channel.create ~capacity () and other = Channel.create () in
  let sent = ref 0 and received = ref 0 in
  let sender id () =
    for i = 1 to 2 do
      Channel.send c ((id * 10) + i);
      incr sent
    done
  in
  let receiver () =
    let last = Array.make 3 0 in
    for _ = 1 to 2 do
      let v = Event.select [ Channel.recv_event c; Channel.recv_event other ] in
      incr received;
      let id = v / 10 in
      if last.(id) >= v then
        failwith (Printf.sprintf "%d was received after %d" v last.(id));
      last.(id) <- v
    done
  in
  schedule chance [ sender 0; sender 1; sender 2; receiver; receiver; receiver ];
  if !sent <> 6 || !received <> 6 then
    failwith
      (Printf.sprintf "%d sent, %d received of 6, %d in the channel" !sent
         !received (Channel.length c))

(* Every task sends or receives, whichever comes first. *)
let swaps chance =
  let c = Channel.create () in
  let sent = ref 0 and received = ref 0 in
  let swap () =
    Event.select
      [
        Event.wrap (Channel.send_event c 1) (fun () -> incr sent);
        Event.wrap (Channel.recv_event c) (fun _ -> incr received);
      ]
  in
  schedule chance [ swap; swap; swap; swap ];
  if !sent <> 2 || !received <> 2 then
    failwith (Printf.sprintf "%d sent, %d received of 2" !sent !received)

let permits chance =
  let s = Semaphore.create 0 and s' = Semaphore.create 0 in
  let taken = ref 0 in
  let take () =
    Event.select [ Semaphore.acquire_event s; Semaphore.acquire_event s' ];
    incr taken
  in
  let release s () = Semaphore.release s in
  schedule chance [ take; take; take; release s; release s'; release s ];
  let left = Semaphore.permits s + Semaphore.permits s' in
  if !taken <> 3 || left <> 0 then
    failwith (Printf.sprintf "%d taken, %d left of 3" !taken left)

let repeat n scenario () =
  for i = 1 to n do
    let chance = Random.State.make [| Watch.seed; i |] in
    try scenario chance
    with Failure text ->
      Alcotest.failf "schedule %d (DROMOS_TEST_SEED=%d): %s" i Watch.seed text
  done

let n =
  match Option.bind (Sys.getenv_opt "SCHEDULES") int_of_string_opt with
  | Some n -> n
  | None -> 5_000

let two_and_two chance =
  let c = Channel.create ~capacity:1 () in
  let received = ref 0 in
  let receive () =
    ignore (Event.select [ Channel.recv_event c ] : int);
    incr received
  in
  let send v () = Channel.send c v in
  schedule chance [ send 1; send 2; receive; receive ];
  if !received <> 2 then
    failwith
      (Printf.sprintf "%d received of 2, %d in the channel" !received
         (Channel.length c))

let main () =
  let case name scenario = Watch.case name (repeat n scenario) in
  Alcotest.run "schedules"
    [
      ( "random",
        [
          case "rendezvous: order of each sender" (in_order 0);
          case "one place: order of each sender" (in_order 1);
          case "no bound: order of each sender" (in_order max_int);
          case "one place: two and two" two_and_two;
          case "swaps" swaps;
          case "permits" permits;
        ] );
    ]

let () = Watch.suite "schedules" main
