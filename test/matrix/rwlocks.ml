open Dromos_sync
open Step
open Env

let read l =
  op (Rwlock.lock_read_event l) ~direct:(fun () -> Rwlock.lock_read l)

let write l =
  op (Rwlock.lock_write_event l) ~direct:(fun () -> Rwlock.lock_write l)

(* Readers of both kinds are inside at the same time. *)
let together env =
  let l = Rwlock.create ~name:"matrix" () in
  let arrived = [| Gate.create (); Gate.create () |] in
  let reader i p =
    start env p "reader"
      (let* () = wait (read l) in
       let* () = call (fun () -> Gate.open_ arrived.(i)) in
       let* () = wait (Gate.pass arrived.(1 - i)) in
       call (fun () -> Rwlock.unlock_read l))
  in
  let readers = List.mapi reader [ env.a; env.b ] in
  List.iter get readers;
  ensure (Rwlock.try_lock_write l) "a reader is left";
  Rwlock.unlock_write l

(* One writer, or readers; each writer's change is seen whole. *)
type room = {
  readers : int Atomic.t;
  writers : int Atomic.t;
  mutable x : int;
  mutable y : int;
}

let reading l room =
  let* () = wait (read l) in
  finally
    (fun () ->
      Atomic.decr room.readers;
      Rwlock.unlock_read l)
    (let* x =
       call (fun () ->
           Atomic.incr room.readers;
           ensure (Atomic.get room.writers = 0) "a reader beside a writer";
           room.x)
     in
     let* () = yield in
     call (fun () -> ensure (room.y = x) "read %d and %d" x room.y))

let writing l room =
  let* () = wait (write l) in
  finally
    (fun () ->
      room.y <- room.x;
      Atomic.decr room.writers;
      Rwlock.unlock_write l)
    (let* () =
       call (fun () ->
           let others = Atomic.fetch_and_add room.writers 1 in
           ensure (others = 0) "two writers";
           ensure (Atomic.get room.readers = 0) "a writer beside a reader";
           room.x <- room.x + 1)
     in
     yield)

let make_room () =
  { readers = Atomic.make 0; writers = Atomic.make 0; x = 0; y = 0 }

let crowd env =
  let l = Rwlock.create ~name:"matrix" () and room = make_room () in
  let n = rounds env 15 in
  let task i p =
    let visit = if i < 2 then writing else reading in
    start env p "visitor" (repeat n (fun _ -> visit l room))
  in
  let tasks = List.mapi task [ env.a; env.b; env.a; env.b; env.b; env.a ] in
  List.iter get tasks;
  ensure (room.x = 2 * n) "%d writes counted %d" (2 * n) room.x;
  ensure (Rwlock.try_lock_write l) "a holder is left"

let storm env =
  let l = Rwlock.create ~name:"matrix" () and room = make_room () in
  let n = rounds env 15 in
  let task i p =
    let visit = if i land 2 = 0 then writing else reading in
    start_cancellable env p "visitor" (fun _ ->
        repeat n (fun _ -> visit l room))
  in
  let tasks =
    List.mapi task [ env.a; env.b; env.a; env.b; env.a; env.b; env.a; env.b ]
  in
  let half = List.filteri (fun i _ -> i < 4) tasks in
  List.iter
    (fun task ->
      jitter env;
      cancel task)
    half;
  List.iter
    (fun task ->
      match join task with
      | Ok () -> ()
      | r ->
          ensure (cancelled task r && List.memq task half) "was not cancelled")
    tasks;
  ensure (Rwlock.try_lock_write l) "a holder is left"

(* A cancelled writer between readers lets the readers behind it continue. *)
let cancel_writer state env =
  both_ways env @@ fun reader writer ->
  for _ = 1 to rounds env 2 do
    let l = Rwlock.create ~name:"matrix" () and gate = Gate.create () in
    let room = make_room () and inside = Gate.create () in
    let what_then = ref ignore in
    let first =
      start env reader "first reader"
        (let* () = wait (read l) in
         let* () = call (fun () -> Gate.open_ inside) in
         let* () = wait (Gate.pass gate) in
         call (fun () ->
             Rwlock.unlock_read l;
             !what_then ()))
    in
    get (start env reader "inside" (wait (Gate.pass inside)));
    let behind = ref None in
    let server cancel =
      what_then := cancel;
      behind := Some (start env reader "behind" (reading l room));
      Gate.open_ gate
    in
    let got = Atomic.make false in
    let program =
      let* () = wait (write l) in
      call (fun () ->
          Atomic.set got true;
          Rwlock.unlock_write l)
    in
    let cancelled, _ = Victim.run env state writer program ~server in
    ensure (cancelled || Atomic.get got) "returned without having it";
    (* The first reader may still be inside: the new reader joins it. *)
    get (start env (either env) "another reader" (reading l room));
    Gate.open_ gate;
    get first;
    Option.iter get !behind;
    ensure (Rwlock.try_lock_write l) "a holder is left"
  done

let downgrade env =
  both_ways env @@ fun writer reader ->
  let l = Rwlock.create ~name:"matrix" () and gate = Gate.create () in
  let downgraded = Gate.create () in
  let writing =
    start env writer "writer"
      (let* () = wait (write l) in
       let* () =
         call (fun () ->
             Rwlock.downgrade l;
             Gate.open_ downgraded)
       in
       let* () = wait (Gate.pass gate) in
       call (fun () -> Rwlock.unlock_read l))
  in
  let reading =
    start env reader "reader"
      (let* () = wait (Gate.pass downgraded) in
       let* () = wait (read l) in
       call (fun () -> Rwlock.unlock_read l))
  in
  get reading;
  Gate.open_ gate;
  get writing

let scenarios =
  [
    ("readers together", together);
    ("crowd", crowd);
    ("storm", storm);
    ("downgrade", downgrade);
  ]
  @ Victim.each "writer" cancel_writer
