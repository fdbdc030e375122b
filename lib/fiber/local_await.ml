type state = Ready | Waits of unit Dromos_suspend.resumer | Released

let in_fiber () : Domain_local_await.t =
  let state = Atomic.make Ready in
  let release () =
    match Atomic.exchange state Released with
    | Waits resume -> ignore (resume (Ok ()) : bool)
    | Ready | Released -> ()
  in
  let block resume =
    if Atomic.compare_and_set state Ready (Waits resume) then None else Some ()
  in
  let await () =
    match Atomic.get state with
    | Released -> ()
    | Ready | Waits _ ->
        Dromos_suspend.suspend ~reason:"Domain_local_await" block
  in
  { release; await }

(* [in_thread] takes the thread parker, never the parker in force, which may
   call this function. *)
let in_thread () : Domain_local_await.t =
  let { Dromos_suspend.park; unpark } = Dromos_suspend.thread_parker () in
  { release = unpark; await = park }

let prepare () =
  if Fiber.current () == Fiber.nobody then in_thread () else in_fiber ()

(* Lets each thread have an answer of its own ([local_await.mli] says what an
   answer is). By default the threads of a domain share one answer. In a domain
   that Dromos did not make, another scheduler may have given the answer for
   another thread. [Failure]: another library has asked before. *)
let per_thread () =
  match Domain_local_await.per_thread (module Thread) with
  | () -> ()
  | exception Failure _ -> ()

let serving ~own_domain f =
  if not own_domain then per_thread ();
  Domain_local_await.using ~prepare_for_await:prepare ~while_running:f
