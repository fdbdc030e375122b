type structures = {
  mutex : unit -> (unit -> unit) * (unit -> unit);
  channel : int -> (int -> unit) * (unit -> int);
  semaphore : int -> (unit -> unit) * (unit -> unit);
  barrier : int -> unit -> unit;
}

let elsewhere () =
  for i = 1 to 100 do
    ignore (Sys.opaque_identity i : int)
  done

(* Deals [n] operations to the tasks; counts the operations that took place. *)
let dealt ~together ~n ~tasks operation =
  let done_ = Array.make tasks 0 in
  let party i () =
    for _ = 1 to n / tasks do
      operation ();
      elsewhere ();
      done_.(i) <- done_.(i) + 1
    done
  in
  together (List.init tasks party);
  fun () -> Array.fold_left ( + ) 0 done_

let mutex s ~together ~n ~cutoff:tasks () =
  let lock, unlock = s.mutex () in
  let count = ref 0 in
  let operation () =
    lock ();
    incr count;
    unlock ()
  in
  let (_ : unit -> int) = dealt ~together ~n ~tasks operation in
  fun () -> !count

let channel s ~together ~n ~cutoff:tasks () =
  let send, receive = s.channel 16 in
  let operation () =
    send 1;
    ignore (receive () : int)
  in
  dealt ~together ~n ~tasks operation

let semaphore s ~together ~n ~cutoff:tasks () =
  let acquire, release = s.semaphore 4 in
  let count = Atomic.make 0 in
  let operation () =
    acquire ();
    Atomic.incr count;
    release ()
  in
  let (_ : unit -> int) = dealt ~together ~n ~tasks operation in
  fun () -> Atomic.get count

let barrier s ~together ~n ~cutoff:tasks () =
  let wait = s.barrier tasks in
  dealt ~together ~n ~tasks wait

let jobs s ~together =
  [
    ("contend_mutex", mutex s ~together);
    ("contend_channel", channel s ~together);
    ("contend_semaphore", semaphore s ~together);
    ("contend_barrier", barrier s ~together);
  ]
