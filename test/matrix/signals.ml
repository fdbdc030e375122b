open Step
open Env

exception Boom of int

type t = {
  wait : int Step.op;
  wait_for : (float -> int option Step.op) option;
  fire : int -> unit Step.t;
  fail : (int -> unit Step.t) option;
}

type kind = { make : unit -> t; valued : bool }

let right kind v got =
  if kind.valued then ensure (got = v) "%d came for %d" got v

let sides env = [ env.a; env.b; env.a; env.b ]
let waiter env s p = start env p "waiter" (wait s.wait)

type order = First | Race | After

(* Waiters of both kinds come before, during, or after the signal. *)
let broadcast order kind env =
  both_ways env @@ fun firing _ ->
  for i = 1 to rounds env 5 do
    let s = kind.make () in
    let fire () = start env firing "firing" (s.fire i) in
    let come () = List.map (waiter env s) (sides env) in
    let firing, waiters =
      match order with
      | First ->
          let waiters = come () in
          settle env;
          List.iter (fun t -> ensure (not (ended t)) "went too early") waiters;
          (fire (), waiters)
      | Race ->
          let some = come () in
          let firing = fire () in
          let more = come () in
          (firing, some @ more)
      | After ->
          let firing = fire () in
          get firing;
          (firing, come ())
    in
    get firing;
    List.iter (fun task -> right kind i (get task)) waiters
  done

(* Two tasks signal each other in turn. *)
let relay kind env =
  let n = rounds env 20 in
  let there = Array.init n (fun _ -> kind.make ()) in
  let back = Array.init n (fun _ -> kind.make ()) in
  let ping =
    repeat n (fun i ->
        let* () = there.(i - 1).fire i in
        let* v = wait back.(i - 1).wait in
        call (fun () -> right kind i v))
  and pong =
    repeat n (fun i ->
        let* v = wait there.(i - 1).wait in
        let* () = call (fun () -> right kind i v) in
        back.(i - 1).fire v)
  in
  let ping = start env env.a "ping" ping in
  let pong = start env env.b "pong" pong in
  get ping;
  get pong

let failing kind env =
  both_ways env @@ fun firing _ ->
  let s = kind.make () in
  match s.fail with
  | None -> ()
  | Some fail ->
      let waiters = List.map (waiter env s) (sides env) in
      if Random.State.bool env.chance then settle env;
      get (start env firing "failing" (fail 7));
      let later = waiter env s (either env) in
      List.iter
        (fun task ->
          match join task with
          | Error (Boom 7) -> ()
          | Ok v -> wrong "%d came for an exception" v
          | Error e -> wrong "%s for Boom 7" (Printexc.to_string e))
        (later :: waiters)

let late kind env =
  both_ways env @@ fun firing waiting ->
  let s = kind.make () in
  match s.wait_for with
  | None -> ()
  | Some wait_for ->
      let try_for t = start env waiting "waiter" (wait (wait_for t)) in
      ensure (get (try_for 0.002) = None) "came before it happened";
      let patient = try_for 30. in
      settle env;
      get (start env firing "firing" (s.fire 5));
      (match get patient with
      | Some v -> right kind 5 v
      | None -> wrong "a timeout of 30 s passed at once");
      (* Short timeouts, around the time of the signal. *)
      let s = kind.make () in
      let rec insist n =
        let* v = wait ((Option.get s.wait_for) 0.0003) in
        match v with Some v -> return (n, v) | None -> insist (n + 1)
      in
      let insisting =
        List.map (fun p -> start env p "insisting" (insist 0)) (sides env)
      in
      settle env;
      get (start env firing "firing" (s.fire 6));
      List.iter (fun task -> right kind 6 (snd (get task))) insisting

let cancel_waiter state kind env =
  both_ways env @@ fun firing waiting ->
  for i = 1 to rounds env 3 do
    let s = kind.make () in
    let others = List.map (waiter env s) [ env.a; env.b ] in
    let server cancel =
      start env firing "firing"
        (let* () = s.fire i in
         call cancel)
    in
    let got = Atomic.make false in
    let program =
      let* v = wait s.wait in
      call (fun () ->
          right kind i v;
          Atomic.set got true)
    in
    let cancelled, fired = Victim.run env state waiting program ~server in
    ensure (cancelled || Atomic.get got) "returned without a value";
    if fired = None then begin
      ensure (not (Atomic.get got)) "came before it happened";
      get (start env firing "firing" (s.fire i))
    end;
    Option.iter get fired;
    List.iter (fun task -> right kind i (get task)) others;
    right kind i (get (waiter env s (either env)))
  done

let storm kind env =
  for i = 1 to rounds env 3 do
    let s = kind.make () in
    let task p = start_cancellable env p "waiter" (fun _ -> wait s.wait) in
    let tasks = List.map task (sides env @ sides env) in
    let half = List.filteri (fun i _ -> i land 2 = 0) tasks in
    jitter env;
    let firing = start env (either env) "firing" (s.fire i) in
    List.iter cancel half;
    get firing;
    List.iter
      (fun task ->
        match join task with
        | Ok v -> right kind i v
        | r ->
            ensure (cancelled task r && List.memq task half) "was not cancelled")
      tasks
  done

let scenarios kind =
  [
    ("waiters first", broadcast First kind);
    ("at the same time", broadcast Race kind);
    ("waiters come later", broadcast After kind);
    ("relay", relay kind);
    ("failure", failing kind);
    ("waiter times out", late kind);
    ("storm", storm kind);
  ]
  @ Victim.each "waiter" (fun state -> cancel_waiter state kind)
