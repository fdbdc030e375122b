open Dromos_sync
open Step

type t = { name : string; scenarios : (string * (Env.t -> unit)) list }

let queue name kind = { name; scenarios = Queues.scenarios kind }

(* What is left, by a function that does not wait. *)
let drain try_take () =
  let rec go taken =
    match try_take () with None -> List.rev taken | Some v -> go (v :: taken)
  in
  go []

(* {1 Semaphores} *)

let semaphore =
  let make () =
    let s = Semaphore.create ~name:"matrix" 0 in
    let acquired = Event.wrap (Semaphore.acquire_event s) (fun () -> 0) in
    let acquire ?timeout () =
      Semaphore.acquire ?timeout s;
      0
    in
    let take = op ~direct:(fun () -> acquire ()) acquired in
    let try_take () = if Semaphore.try_acquire s then Some 0 else None in
    {
      Queues.put = (fun _ -> call (fun () -> Semaphore.release s));
      put_event = None;
      put_for = None;
      take;
      take_for =
        (fun seconds ->
          within seconds ~direct:(fun timeout -> acquire ~timeout ()) take);
      left = drain try_take;
      close = None;
      is_closed = (fun _ -> false);
    }
  in
  queue "Semaphore"
    { Queues.make; room = max_int; numbered = false; fair = true }

(* {1 Channels} *)

let channel name capacity =
  let make () =
    let c = Channel.create ~name:"matrix" ~capacity () in
    let send v =
      op (Channel.send_event c v) ~direct:(fun () -> Channel.send c v)
    in
    let take = op (Channel.recv_event c) ~direct:(fun () -> Channel.recv c) in
    let send_for seconds v =
      let direct timeout = Channel.send ~timeout c v in
      let* sent = wait (within seconds ~direct (send v)) in
      return (sent = Some ())
    in
    let try_take () =
      match Channel.try_recv c with v -> v | exception Channel.Closed -> None
    in
    {
      Queues.put = (fun v -> wait (send v));
      put_event = Some (Channel.send_event c);
      put_for = Some send_for;
      take;
      take_for =
        (fun seconds ->
          within seconds ~direct:(fun timeout -> Channel.recv ~timeout c) take);
      left = drain try_take;
      close = Some (fun () -> Channel.close c);
      is_closed = (fun e -> e = Channel.Closed);
    }
  in
  queue name { Queues.make; room = capacity; numbered = true; fair = true }

let all = [ semaphore; channel "Channel" 0; channel "Channel-bounded" 3 ]
