open Dromos_sync
open Step
open Env

type t = {
  put : int -> unit Step.t;
  put_event : (int -> unit Event.t) option;
  put_for : (float -> int -> bool Step.t) option;
  take : int Step.op;
  take_for : float -> int option Step.op;
  left : unit -> int list;
  close : (unit -> unit) option;
  is_closed : exn -> bool;
}

type kind = { make : unit -> t; room : int; numbered : bool; fair : bool }

let note = Account.note
let entries = Account.entries
let message = Account.message
let account = Account.create
let conserved kind = Account.conserved ~numbered:kind.numbered
let in_order kind taken = if kind.numbered then Account.in_order taken

let empty q =
  let left = q.left () in
  ensure (left = []) "%s is left" (Account.show left)

(* {1 Programs} *)

let put_one log q v =
  let* () = q.put v in
  call (fun () -> note log v)

let put_all log q sender n =
  repeat n (fun i -> put_one log q (message sender i))

let take_one log q =
  let* v = wait q.take in
  call (fun () ->
      note log v;
      v)

let take_n log q n =
  repeat n (fun _ ->
      let* _ = take_one log q in
      return ())

(* {1 Without cancellation} *)

let hand_over kind env =
  both_ways env @@ fun giver taker ->
  let q = kind.make () and n = rounds env 40 in
  let put = account () and taken = account () in
  let taking = start env taker "taker" (take_n taken q n) in
  get (start env giver "giver" (put_all put q 1 n));
  get taking;
  conserved kind ~put:(entries put) ~taken:(entries taken);
  in_order kind (entries taken);
  empty q

let ping_pong kind env =
  let there = kind.make () and back = kind.make () and n = rounds env 30 in
  let ping =
    repeat n (fun i ->
        let* () = there.put i in
        let* v = wait back.take in
        call (fun () ->
            if kind.numbered then ensure (v = i) "%d came back for %d" v i))
  and pong =
    repeat n (fun _ ->
        let* v = wait there.take in
        back.put v)
  in
  let ping = start env env.a "ping" ping in
  let pong = start env env.b "pong" pong in
  get ping;
  get pong;
  empty there;
  empty back

let first_comes ~taker kind env =
  both_ways env @@ fun giver taking ->
  for i = 1 to rounds env 3 do
    let q = kind.make () in
    let take () = start env taking "taker" (wait q.take) in
    let put () = start env giver "giver" (q.put i) in
    let settled () = settle env in
    let take, put =
      if taker then
        let take = take () in
        let () = settled () in
        (take, put ())
      else
        let put = put () in
        let () = settled () in
        (take (), put)
    in
    let v = get take in
    get put;
    if kind.numbered then ensure (v = i) "%d came for %d" v i;
    empty q
  done

(* Waiting takers are served in the order of arrival. *)
let fairness kind env =
  let in_turn delay =
    let q = kind.make () and served = account () in
    let who i = if i land 1 = 0 then env.a else env.b in
    let taker i =
      queue_up env delay (who i) "taker"
        (let* _ = wait q.take in
         call (fun () -> note served i))
    in
    let takers = List.init 4 taker in
    let give i =
      get (start env (who (i + 1)) "giver" (q.put i));
      while List.length (entries served) <= i do
        if Unix.gettimeofday () > env.deadline then raise (Hang "a taker");
        Thread.delay 0.0001
      done
    in
    List.iter give [ 0; 1; 2; 3 ];
    List.iter get takers;
    ensure
      (entries served = [ 0; 1; 2; 3 ])
      "they were served in the order %s"
      (Account.show (entries served));
    empty q
  in
  if kind.fair then patiently in_turn

let crowd kind env =
  let q = kind.make () and n = rounds env 12 in
  let sides = [ env.a; env.b; env.a; env.b ] in
  let put = account () in
  let taker p =
    let log = account () in
    (start env p "taker" (take_n log q n), log)
  in
  let takers = List.map taker sides in
  let givers =
    List.mapi (fun i p -> start env p "giver" (put_all put q i n)) sides
  in
  List.iter get givers;
  List.iter (fun (task, _) -> get task) takers;
  let taken = List.map (fun (_, log) -> entries log) takers in
  List.iter (in_order kind) taken;
  conserved kind ~put:(entries put) ~taken:(List.concat taken);
  empty q

(* Takers with a choice of two queues, beside plain takers. *)
let select kind env =
  let q = kind.make () and q' = kind.make () and n = rounds env 12 in
  let put = account () in
  let from_either () =
    Event.choose
      [
        Event.wrap (q.take.event ()) (fun v -> (0, v));
        Event.wrap (q'.take.event ()) (fun v -> (1, v));
      ]
  in
  let choosing logs =
    repeat n (fun _ ->
        let* from, v = wait { event = from_either; direct = None } in
        call (fun () -> note logs.(from) v))
  in
  let chooser p =
    let logs = [| account (); account () |] in
    (start env p "chooser" (choosing logs), logs)
  in
  let choosers = List.map chooser [ env.a; env.b ] in
  let plain p q =
    let log = account () in
    (start env p "plain taker" (take_n log q n), log)
  in
  let plains = [ plain env.b q; plain env.a q' ] in
  let giver i (p, q) = start env p "giver" (put_all put q i n) in
  (* Three givers for each queue: enough for any choices. *)
  let givers =
    List.mapi giver
      [
        (env.a, q); (env.b, q); (env.a, q'); (env.b, q'); (env.a, q); (env.b, q');
      ]
  in
  List.iter (fun (task, _) -> get task) plains;
  List.iter (fun (task, _) -> get task) choosers;
  let chosen = List.concat_map (fun (_, logs) -> Array.to_list logs) choosers in
  let count i =
    let of_chooser (_, logs) = List.length (entries logs.(i)) in
    List.fold_left (fun sum c -> sum + of_chooser c) 0 choosers
  in
  let rest i q =
    let log = account () in
    let left = (3 * n) - n - count i in
    get (start env (either env) "taker of the rest" (take_n log q left));
    log
  in
  let rests = [ rest 0 q; rest 1 q' ] in
  List.iter get givers;
  let logs = List.map snd plains @ chosen @ rests in
  let taken = List.map entries logs in
  List.iter (in_order kind) taken;
  conserved kind ~put:(entries put) ~taken:(List.concat taken);
  empty q;
  empty q'

(* Givers with a choice of two queues. *)
let select_put kind env =
  match (kind.make ()).put_event with
  | None -> ()
  | Some _ ->
      let q = kind.make () and q' = kind.make () and n = rounds env 12 in
      let put = account () and log = account () and log' = account () in
      let give q v = (Option.get q.put_event) v in
      let choose v () = Event.choose [ give q v; give q' v ] in
      let giving sender =
        repeat n (fun i ->
            let v = message sender i in
            let* () = wait { event = choose v; direct = None } in
            call (fun () -> note put v))
      in
      let givers =
        List.mapi
          (fun i p -> start env p "choosing giver" (giving i))
          [ env.a; env.b ]
      in
      let patience = short env in
      (* Takes from both queues until all messages have come. *)
      let rec take () =
        if List.length (entries log) + List.length (entries log') = 2 * n then
          return ()
        else
          let* v = wait (q.take_for patience) in
          Option.iter (note log) v;
          let* v = wait (q'.take_for patience) in
          Option.iter (note log') v;
          take ()
      in
      let taking = start env (either env) "taker" (take ()) in
      List.iter get givers;
      get taking;
      in_order kind (entries log);
      in_order kind (entries log');
      conserved kind ~put:(entries put) ~taken:(entries log @ entries log');
      empty q;
      empty q'

(* {1 Timeouts} *)

let late_taker kind env =
  both_ways env @@ fun giver taker ->
  let q = kind.make () in
  (match get (start env taker "taker" (wait (q.take_for 0.002))) with
  | None -> ()
  | Some v -> wrong "took %d out of nothing" v);
  let put = start env giver "giver" (q.put 7) in
  (match get (start env taker "taker" (wait (q.take_for 30.))) with
  | Some v -> if kind.numbered then ensure (v = 7) "%d came for 7" v
  | None -> wrong "a timeout of 30 s passed at once");
  get put;
  empty q

let late_giver kind env =
  both_ways env @@ fun giver taker ->
  let q = kind.make () in
  match q.put_for with
  | None -> ()
  | Some put_for ->
      let log = account () in
      get (start env giver "filler" (repeat kind.room q.put));
      let sent = get (start env giver "giver" (put_for 0.002 77)) in
      ensure (not sent) "put although there was no room";
      let taking = start env taker "taker" (take_n log q (kind.room + 1)) in
      let sent = get (start env giver "giver" (put_for 30. 78)) in
      ensure sent "a timeout of 30 s passed at once";
      get taking;
      ensure (not (List.mem 77 (entries log))) "77 timed out, and was put";
      empty q

(* Timeouts that end at about the time of the awaited event. *)
let timeout_race kind env =
  both_ways env @@ fun giver taker ->
  let q = kind.make () and n = rounds env 15 in
  let put = account () and log = account () in
  let chance = Random.State.copy env.chance in
  let rec take left =
    if left = 0 then return ()
    else
      let* v = wait (q.take_for (Random.State.float chance 0.001)) in
      match v with
      | None -> take left
      | Some v ->
          note log v;
          take (left - 1)
  in
  let giving =
    repeat n (fun i ->
        let* () = put_one put q (message 1 i) in
        yield)
  in
  let taking = start env taker "taker" (take n) in
  get (start env giver "giver" giving);
  get taking;
  in_order kind (entries log);
  conserved kind ~put:(entries put) ~taken:(entries log);
  empty q

(* {1 Cancellation} *)

let cancel_taker state kind env =
  both_ways env @@ fun giver taker ->
  for _ = 1 to rounds env 3 do
    let q = kind.make () in
    let put = account () and log = account () and third = account () in
    let server cancel =
      start env giver "giver"
        (let* () = put_one put q 1 in
         call cancel)
    in
    let take =
      let* _ = take_one log q in
      return ()
    in
    let cancelled, giving = Victim.run env state taker take ~server in
    let served = entries log <> [] in
    ensure (cancelled || served) "returned without having taken";
    (* Another taker gets the present or the next message. *)
    let next = start env (either env) "third" (take_one third q) in
    if served || giving = None then
      get (start env giver "second giver" (put_one put q 2));
    ignore (get next : int);
    Option.iter get giving;
    conserved kind ~put:(entries put) ~taken:(entries log @ entries third);
    empty q
  done

let cancel_giver state kind env =
  both_ways env @@ fun giver taker ->
  if (kind.make ()).put_event <> None then
    for _ = 1 to rounds env 3 do
      let q = kind.make () in
      let put = account () and log = account () and rest = account () in
      get (start env giver "filler" (put_all put q 0 kind.room));
      let server cancel =
        start env taker "taker"
          (let* _ = take_one log q in
           call cancel)
      in
      let program = put_one put q (message 1 1) in
      let cancelled, taking = Victim.run env state giver program ~server in
      let sent = List.mem (message 1 1) (entries put) in
      ensure (cancelled || sent) "returned without having put";
      (* Another giver's message comes through, and no message put is lost. *)
      let third =
        start env (either env) "third" (put_one put q (message 2 1))
      in
      let all = kind.room + 1 + Bool.to_int sent in
      let others = if taking = None then all else all - 1 in
      get (start env taker "taker of the rest" (take_n rest q others));
      get third;
      Option.iter get taking;
      conserved kind ~put:(entries put) ~taken:(entries log @ entries rest);
      empty q
    done

(* Givers and takers of both kinds; any may be cancelled at any time. Each
   message noted as put was taken once. *)
let storm kind env =
  let q = kind.make () and n = rounds env 10 in
  let put = account () in
  let sides = [ env.a; env.b; env.a; env.b ] in
  let stop_message = -1 in
  let rec take log =
    let* v = take_one log q in
    if v = stop_message then return () else take log
  in
  (* A message without a number cannot stop a taker: a flag is set by then. *)
  let over = Atomic.make false in
  let rec take_plain log =
    let* v = wait q.take in
    if Atomic.get over then return ()
    else begin
      note log v;
      take_plain log
    end
  in
  let taking log = if kind.numbered then take log else take_plain log in
  let taker p =
    let log = account () in
    (start_cancellable env p "taker" (fun _ -> taking log), log)
  in
  let takers = List.map taker sides in
  let giver i p =
    start_cancellable env p "giver" (fun _ ->
        repeat n (fun j ->
            let* () = put_one put q (message i j) in
            yield))
  in
  let givers = List.mapi giver sides in
  jitter env;
  let gone = List.filteri (fun i _ -> i < 2) takers in
  let half = List.filteri (fun i _ -> i land 1 = 0) givers in
  List.iter
    (fun (task, _) ->
      jitter env;
      cancel task)
    gone;
  List.iter
    (fun task ->
      jitter env;
      cancel task)
    half;
  List.iter
    (fun (task, _) ->
      ensure (cancelled task (join task)) "a taker ended by itself")
    gone;
  List.iter
    (fun task ->
      match join task with
      | Ok () -> ()
      | r -> ensure (cancelled task r && List.memq task half) "not cancelled")
    givers;
  (* The remaining takers take all messages before they are stopped. *)
  let stays = List.filteri (fun i _ -> i >= 2) takers in
  let rec drained () =
    let taken = List.concat_map (fun (_, log) -> entries log) takers in
    if List.length taken < List.length (entries put) then begin
      if Unix.gettimeofday () > env.deadline then
        raise (Hang "takers of a storm");
      Thread.delay 0.0005;
      drained ()
    end
  in
  drained ();
  Atomic.set over true;
  List.iter
    (fun _ -> get (start env (either env) "stopper" (q.put stop_message)))
    stays;
  List.iter (fun (task, _) -> get task) stays;
  let real = List.filter (fun v -> v <> stop_message) in
  let taken = List.map (fun (_, log) -> real (entries log)) takers in
  List.iter (in_order kind) taken;
  conserved kind ~put:(entries put) ~taken:(List.concat taken);
  empty q

(* {1 Closing} *)

let is_closed q what = function
  | Error e when q.is_closed e -> ()
  | Error e -> wrong "%s raised %s" what (Printexc.to_string e)
  | Ok _ -> wrong "%s went through" what

(* Waiting tasks get an exception. *)
let close_waiting kind env =
  let q = kind.make () in
  match q.close with
  | None -> ()
  | Some close ->
      let takers =
        List.map (fun p -> start env p "taker" (wait q.take)) [ env.a; env.b ]
      in
      settle env;
      get (start env (either env) "closer" (call close));
      List.iter (fun task -> is_closed q "a taker" (join task)) takers;
      is_closed q "a later put" (join (start env env.a "late" (q.put 1)));
      let q = kind.make () in
      let log = account () in
      if q.put_event <> None then
        get (start env env.a "filler" (put_all log q 0 kind.room));
      let waiting =
        if q.put_event = None then []
        else List.map (fun p -> start env p "giver" (q.put 1)) [ env.a; env.b ]
      in
      settle env;
      get (start env (either env) "closer" (call (Option.get q.close)));
      List.iter (fun task -> is_closed q "a giver" (join task)) waiting;
      (* Messages put before can still be taken. *)
      let room = List.length (entries log) in
      get (start env env.b "taker" (take_n (account ()) q room));
      is_closed q "a take at the end"
        (join (start env env.b "taker" (wait q.take)))

(* Closes a queue in use: all messages put are taken. *)
let close_race kind env =
  both_ways env @@ fun giver taker ->
  let q = kind.make () in
  match q.close with
  | None -> ()
  | Some close ->
      let put = account () and log = account () in
      let rec forever f i =
        let* r = catch (f i) in
        match r with
        | Ok () -> forever f (i + 1)
        | Error e when q.is_closed e -> return ()
        | Error e -> raise e
      in
      let giving =
        forever
          (fun i ->
            let* () = put_one put q (message 1 i) in
            yield)
          1
      in
      let taking = forever (fun _ -> take_n log q 1) 1 in
      let giving = start env giver "giver" giving in
      let taking = start env taker "taker" taking in
      jitter env;
      jitter env;
      get (start env (either env) "closer" (call close));
      get giving;
      get taking;
      in_order kind (entries log);
      conserved kind ~put:(entries put) ~taken:(entries log)

let scenarios kind =
  [
    ("hand-over", hand_over kind);
    ("ping-pong", ping_pong kind);
    ("taker first", first_comes ~taker:true kind);
    ("giver first", first_comes ~taker:false kind);
    ("fairness", fairness kind);
    ("crowd", crowd kind);
    ("choosing takers", select kind);
    ("choosing givers", select_put kind);
    ("taker times out", late_taker kind);
    ("giver times out", late_giver kind);
    ("timeouts race", timeout_race kind);
    ("storm", storm kind);
    ("close while they wait", close_waiting kind);
    ("close in use", close_race kind);
  ]
  @ Victim.each "taker" (fun state -> cancel_taker state kind)
  @ Victim.each "giver" (fun state -> cancel_giver state kind)
