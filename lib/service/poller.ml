include Watches
module System = Polling

let number = System.number
let bit = function Read -> System.readable | Write -> System.writable
let both = System.(readable lor writable)
let is_closed bits = bits land System.closed > 0

(* {1 The system} *)

type poller = {
  backend : System.backend;
  wake_out : Unix.file_descr;
  wake_in : Unix.file_descr;
}

let poller : poller option Atomic.t = Atomic.make None

(* [true] while the thread sleeps without a time-out. *)
let asleep = Atomic.make false

(* A number that was closed may now belong to a descriptor of the poller. *)
let is_own p n =
  n = number p.wake_out
  || n = number p.wake_in
  || match p.backend with Epoll ep -> n = number ep | Poll -> false

let poke p =
  match Unix.write p.wake_in (Bytes.make 1 '!') 0 1 with
  | _ -> ()
  (* The pipe is full: the thread has been poked often enough. *)
  | exception Unix.Unix_error ((EAGAIN | EWOULDBLOCK | EINTR), _, _) -> ()

let rec drain p =
  match Unix.read p.wake_out (Bytes.create 64) 0 64 with
  | 64 -> drain p
  | _ -> ()
  | exception Unix.Unix_error ((EAGAIN | EWOULDBLOCK | EINTR), _, _) -> ()

(* {1 Telling} *)

(* Called when epoll does not know the descriptor. If epoll had been told of a
   watch before [start], the watch belongs to a file closed since. *)
let tell_stale s start =
  let stale w =
    let armed = Atomic.get w.armed in
    armed > 0 && armed < start
  in
  List.iter (fun w -> if stale w then ignore (tell Closed w : bool)) (all s)

(* The same for [poll], which knows nothing of files: tells the watches whose file is
   not the number's present file. *)
let tell_others n slot =
  sweep slot;
  match all (Atomic.get slot) with
  | [] -> ()
  | watches ->
      let file = System.file n in
      let other w = w.file <> file in
      List.iter (fun w -> if other w then ignore (tell Closed w : bool)) watches;
      sweep slot

(* Takes the watches with an interest in [bits] out of the slot, and tells
   them. *)
let rec tell_ready p n slot bits outcome =
  let has interest = bits land bit interest > 0 in
  let before =
    change slot (fun s ->
        {
          readers = (if has Read then no_line else s.readers);
          writers = (if has Write then no_line else s.writers);
        })
  in
  let again interest line =
    if has interest then
      List.filter (tell outcome) (oldest_first line)
      |> List.iter (fun w ->
             Atomic.set w.armed 0;
             put w interest slot)
  in
  again Read before.readers;
  again Write before.writers;
  (* The event has used up epoll's one-shot interest, whatever the event was:
     arm the rest. *)
  if wanted (Atomic.get slot) > 0 then arm p n slot

(* The watches of [s] were set before the number was found closed. Later watches
   may belong to a file that has got the number since. *)
and tell_closed p n slot s =
  List.iter (fun w -> ignore (tell Closed w : bool)) (all s);
  sweep slot;
  if wanted (Atomic.get slot) > 0 then arm p n slot

(* Tells epoll the wanted bits. Another thread may tell epoll older bits at the
   same time; that thread then finds the slot changed, and tells epoll again.
   The last bits told to epoll are therefore those of the present slot. *)
and arm p n slot =
  match p.backend with
  | Poll -> poke p
  | Epoll ep -> (
      let start = tick () in
      let s = Atomic.get slot in
      let bits = wanted s in
      if bits > 0 then
        match System.arm ep n bits ~add:true with
        | (Known | Added) as answer ->
            if answer = Added then tell_stale s start;
            armed p n slot s
        | Always -> tell_ready p n slot both Ready
        | Not_open -> tell_closed p n slot s
        | Unknown -> arm p n slot
        | Refused e -> tell_ready p n slot both (Failed e))

and armed p n slot s =
  let at = tick () in
  let mark w = if Atomic.get w.armed = 0 then Atomic.set w.armed at in
  (* The newest watches are first. Behind a marked watch, all watches are
     marked, or another thread is marking them. *)
  let rec mark_new = function
    | w :: rest when Atomic.get w.armed = 0 ->
        mark w;
        mark_new rest
    | _ -> ()
  in
  mark_new s.readers.watches;
  mark_new s.writers.watches;
  if wanted (Atomic.get slot) <> wanted s then arm p n slot

(* The event may belong to a file that is closed here but open in another
   process, while another file has the number now. Ask the descriptor itself. *)
let happened p n =
  let slot = slot_of n in
  (match p.backend with Poll -> tell_others n slot | Epoll _ -> ());
  let s = Atomic.get slot in
  let bits = wanted s in
  if bits > 0 then
    match System.poll_one n bits with
    | answer when is_closed answer -> tell_closed p n slot s
    | answer -> tell_ready p n slot answer Ready

(* Tells the watches whose file was closed. [true] if the slot has any
   watches. *)
let look_at p ep n slot =
  sweep slot;
  let start = tick () in
  let s = Atomic.get slot in
  let bits = wanted s in
  bits > 0
  && begin
       (match System.arm ep n bits ~add:false with
       | Unknown | Not_open -> tell_stale s start
       | Known -> armed p n slot s
       | Added | Always | Refused _ -> ());
       true
     end

(* Adds a watch. First tells the watches of a file that had the number before:
   otherwise they would be told of the new file. *)
let enter p n slot w interest =
  match p.backend with
  | Epoll ep ->
      if wanted (Atomic.get slot) > 0 then ignore (look_at p ep n slot : bool);
      put w interest slot;
      arm p n slot
  | Poll ->
      tell_others n slot;
      w.file <- System.file n;
      if w.file < 0 then ignore (tell Closed w : bool)
      else begin
        put w interest slot;
        arm p n slot
      end

(* {1 The look at what was closed} *)

let look_every = 1000 (* ms *)
let most_at_a_time = 1000
let next_to_look = ref 0 (* of the poller's thread *)

(* Looks at up to [most_at_a_time] watched descriptors. The next call goes on
   from the last place. *)
let look_for_closed p =
  let slots = Atomic.get table in
  let look n slot =
    match p.backend with
    | Epoll ep -> look_at p ep n slot
    | Poll ->
        tell_others n slot;
        wanted (Atomic.get slot) > 0
  in
  let length = Array.length slots in
  let rec go steps left =
    if steps > 0 && left > 0 then begin
      let n = if !next_to_look < length then !next_to_look else 0 in
      next_to_look := n + 1;
      go (steps - 1) (if look n slots.(n) then left - 1 else left)
    end
  in
  go length most_at_a_time

(* {1 The thread} *)

let numbers = Array.make 256 0

let arm_wake p =
  match p.backend with
  | Epoll ep ->
      ignore
        (System.arm ep (number p.wake_out) System.readable ~add:true
          : System.arming)
  | Poll -> ()

let wait_epoll p ep ms =
  let count = System.epoll_wait ep numbers ms in
  for i = 0 to count - 1 do
    if numbers.(i) = number p.wake_out then begin
      drain p;
      arm_wake p
    end
    else happened p numbers.(i)
  done

let wait_poll p ms =
  let slots = Atomic.get table in
  let pairs = ref [ number p.wake_out; bit Read ] in
  Array.iteri
    (fun n slot ->
      sweep slot;
      let bits = wanted (Atomic.get slot) in
      if bits > 0 then pairs := n :: bits :: !pairs)
    slots;
  let pairs = Array.of_list !pairs in
  System.poll_many pairs ms;
  for i = 0 to (Array.length pairs / 2) - 1 do
    let n = pairs.(2 * i) in
    if pairs.((2 * i) + 1) > 0 then
      if n = number p.wake_out then drain p else happened p n
  done

let wait p ms =
  match p.backend with Epoll ep -> wait_epoll p ep ms | Poll -> wait_poll p ms

let rounds_before_sleep = 5

let rec run p ~idle ~looked =
  if idle >= rounds_before_sleep then begin
    (* [set] first counts its watch, and then reads [asleep] to decide whether
       to poke. This thread writes [asleep], and then reads the count: one of
       the two sees the other. *)
    Atomic.set asleep true;
    wait p (if pending () = 0 then -1 else 0);
    Atomic.set asleep false
  end
  else wait p look_every;
  let now = Mtime_clock.elapsed () in
  let due = Mtime.Span.(compare (abs_diff now looked) (look_every * ms)) >= 0 in
  if due then look_for_closed p;
  let idle = if pending () > 0 then 0 else if due then idle + 1 else idle in
  run p ~idle ~looked:(if due then now else looked)

(* The first caller asks for the thread. *)
let start () =
  if Option.is_none (Atomic.get poller) then begin
    Host.start ();
    let wake_out, wake_in = Unix.pipe ~cloexec:true () in
    Unix.set_nonblock wake_in;
    Unix.set_nonblock wake_out;
    let p = { backend = System.backend (); wake_out; wake_in } in
    arm_wake p;
    if Atomic.compare_and_set poller None (Some p) then
      let looked = Mtime_clock.elapsed () in
      Host.thread_for_all ~what:"the thread of the descriptors" (fun () ->
          run p ~idle:0 ~looked)
    else begin
      Unix.close wake_in;
      Unix.close wake_out;
      match p.backend with Epoll ep -> Unix.close ep | Poll -> ()
    end
  end

(* {1 From outside} *)

let set w fd interest f =
  match Atomic.get poller with
  | None -> invalid_arg "Poller.set: not started"
  | Some p ->
      Atomic.incr unfinished;
      if Atomic.compare_and_set w.state New (Waiting f) then begin
        if Atomic.get asleep then poke p;
        let n = number fd in
        if is_own p n then ignore (tell Closed w : bool)
        else enter p n (slot_of n) w interest
      end
      else Atomic.decr unfinished

let own n = match Atomic.get poller with None -> false | Some p -> is_own p n

let now fd interest =
  let n = number fd in
  if own n then Some Closed
  else
    match System.poll_one n (bit interest) with
    | 0 -> None
    | bits when is_closed bits -> Some Closed
    | _ -> Some Ready

let watched n =
  let slots = Atomic.get table in
  if n < Array.length slots then all (Atomic.get slots.(n)) else []

let close fd =
  if own (number fd) then raise (Unix.Unix_error (EBADF, "close", ""));
  let watches = watched (number fd) in
  Fun.protect
    (fun () -> Unix.close fd)
    ~finally:(fun () ->
      List.iter (fun w -> ignore (tell Closed w : bool)) watches)
