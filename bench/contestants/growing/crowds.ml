open Dromos

(* [wait] is called by each member of a crowd; [serve] by the fiber that made the
   crowd, once every member has begun. *)
type structure = { wait : unit -> unit; serve : Scope.t -> unit }

(* The result: how many members have returned from [wait], or raised. *)
let crowd make ~workers ~n ~cutoff:_ () =
  let begun = Atomic.make 0 and through = Atomic.make 0 in
  Dromos.run ~workers (fun () ->
      let { wait; serve } = make n in
      let member () =
        Atomic.incr begun;
        Fun.protect wait ~finally:(fun () -> Atomic.incr through)
      in
      Scope.run (fun s ->
          for _ = 1 to n do
            Scope.fork s member
          done;
          while Atomic.get begun < n do
            yield ()
          done;
          serve s));
  fun () -> Atomic.get through

let mutex _ =
  let m = Mutex.create () in
  Mutex.lock m;
  {
    wait =
      (fun () ->
        Mutex.lock m;
        Mutex.unlock m);
    serve = (fun _ -> Mutex.unlock m);
  }

(* The members are cancelled instead of served. *)
let leaving _ =
  let m = Mutex.create () in
  Mutex.lock m;
  { wait = (fun () -> Mutex.lock m); serve = Scope.cancel }

let senders n =
  let c = Channel.create () in
  {
    wait = (fun () -> Channel.send c 1);
    serve =
      (fun _ ->
        for _ = 1 to n do
          ignore (Channel.recv c : int)
        done);
  }

let receivers n =
  let c = Channel.create () in
  {
    wait = (fun () -> ignore (Channel.recv c : int));
    serve =
      (fun _ ->
        for _ = 1 to n do
          Channel.send c 1
        done);
  }

(* Each member waits on two channels at once, and is served on the second. *)
let choosers n =
  let a = Channel.create () and b = Channel.create () in
  {
    wait =
      (fun () -> Event.select [ Channel.recv_event a; Channel.recv_event b ]);
    serve =
      (fun _ ->
        for _ = 1 to n do
          Channel.send b ()
        done);
  }

let semaphore n =
  let s = Semaphore.create 0 in
  {
    wait = (fun () -> Semaphore.acquire s);
    serve = (fun _ -> Semaphore.release ~n s);
  }

let condition _ =
  let m = Mutex.create () and c = Condition.create () in
  let over = ref false in
  {
    wait =
      (fun () ->
        Mutex.protect m (fun () -> Condition.await c m (fun () -> !over)));
    serve =
      (fun _ ->
        Mutex.protect m (fun () ->
            over := true;
            Condition.broadcast c));
  }

let barrier n =
  let b = Barrier.create (n + 1) in
  let wait () = ignore (Barrier.wait b : bool) in
  { wait; serve = (fun _ -> wait ()) }

let promise _ =
  let p = Promise.create () in
  {
    wait = (fun () -> Promise.await p);
    serve = (fun _ -> Promise.resolve p ());
  }

let rwlock _ =
  let l = Rwlock.create () in
  Rwlock.lock_write l;
  {
    wait =
      (fun () ->
        Rwlock.lock_read l;
        Rwlock.unlock_read l);
    serve = (fun _ -> Rwlock.unlock_write l);
  }

let jobs ~workers =
  let job (name, make) = ("grow_" ^ name, crowd make ~workers) in
  List.map job
    [
      ("mutex", mutex);
      ("leaving", leaving);
      ("senders", senders);
      ("receivers", receivers);
      ("choosers", choosers);
      ("semaphore", semaphore);
      ("condition", condition);
      ("barrier", barrier);
      ("promise", promise);
      ("rwlock", rwlock);
    ]
