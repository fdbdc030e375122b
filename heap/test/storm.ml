(* Signals at every moment: handlers allocate, collect, publish and raise, while domains
   and threads collect, publish, stop the world, start and end. After each signal the data
   is as before. *)

open Check

let right what l = List.iteri (fun i s -> must what (s = string_of_int i)) l
let strings n = List.init n string_of_int

(* Runs [f] again whenever a signal raises in [f]. *)
let rec guarded f =
  match Alarm.interrupted f with Some x -> x | None -> guarded f

(* {1 Publication} *)

let places = Array.init 4 (fun _ -> Atomic.make (strings 10))

(* Domains read whole lists that other domains have published. *)
let publish i =
  Atomic.set places.(i land 3) (strings 500);
  right "another domain's" (Atomic.get places.((i + 1) land 3))

let published () =
  Alarm.during (fun () ->
      Atomic.set Alarm.also (fun () -> publish (Atomic.get Alarm.hits));
      in_all 3 (fun i () -> repeat 60 (fun () -> publish i)))

(* {1 Collections, also with the world stopped} *)

let collect i =
  match i land 3 with
  | 0 -> Gc.full_major ()
  | 1 -> Gc.minor ()
  | 2 -> Gc.major ()
  | _ -> garbage 2_000

let collected () =
  Alarm.during (fun () ->
      Atomic.set Alarm.also (fun () ->
          if Atomic.get Alarm.hits land 31 = 0 then Gc.full_major ());
      in_all 3 (fun i () ->
          let mine = strings 1_000 in
          for n = 0 to 15 do
            collect (i + n);
            publish (i + n)
          done;
          right "its own" mine))

(* {1 Raising} *)

let raised () =
  Alarm.during (fun () ->
      let mine = strings 1_000 and kept = Array.make 50 [] in
      for n = 0 to 49 do
        guarded (fun () ->
            publish n;
            collect (n lor 1);
            kept.(n) <- strings n)
      done;
      right "its own" mine;
      Array.iter (right "the kept values") kept)

(* A signal may end a domain with an exception; joins that a signal interrupts are
   repeated. *)
let ended () =
  let run () =
    Option.value (Alarm.interrupted (fun () -> strings 3_000)) ~default:[ "0" ]
  in
  Alarm.during (fun () ->
      repeat 10 (fun () ->
          let ds =
            List.init 3 (fun _ -> guarded (fun () -> Domain.spawn run))
          in
          List.iter
            (fun d -> right "a domain's" (guarded (fun () -> Domain.join d)))
            ds))

(* {1 Threads}, in several domains; every thread gets signals. *)

let threads () =
  let run i () =
    let mine = strings 500 in
    for n = 0 to 10 do
      guarded (fun () ->
          publish (i + n);
          Thread.yield ();
          collect (i + n));
      right "a thread's" mine
    done
  in
  Alarm.during (fun () ->
      in_all 2 (fun d () ->
          let ts = List.init 3 (fun i -> Thread.create (run (d + i)) ()) in
          run d ();
          List.iter (fun t -> guarded (fun () -> Thread.join t)) ts))

let lock = Mutex.create ()
let changed = Condition.create ()
let queue = Queue.create ()

(* Each signal wakes the waiting thread, and the thread waits again. *)
let waiting () =
  let n = 300 in
  let put () =
    for i = 1 to n do
      Mutex.protect lock (fun () -> Queue.push (strings i) queue);
      Condition.signal changed
    done
  in
  let take i =
    Mutex.protect lock (fun () ->
        while Queue.is_empty queue do
          Condition.wait changed lock
        done;
        let l = Queue.pop queue in
        right "handed over" l;
        must "in order" (List.length l = i))
  in
  Alarm.during (fun () ->
      let d = Domain.spawn put in
      for i = 1 to n do
        take i
      done;
      Domain.join d)

(* {1 Fibers}. An exception raised in a handler leaves a suspended fiber behind. *)

type _ Effect.t += Pass : string list -> string list Effect.t

let fibers () =
  let handle f =
    let effc : type a.
        a Effect.t -> ((a, unit) Effect.Deep.continuation -> unit) option =
      function
      | Pass l ->
          Some
            (fun (k : (string list, unit) Effect.Deep.continuation) ->
              Effect.Deep.continue k (List.rev l))
      | _ -> None
    in
    Effect.Deep.try_with f () { effc }
  in
  let body () =
    right "there and back" (List.rev (Effect.perform (Pass (strings 100))));
    Gc.minor ();
    right "and again" (List.rev (Effect.perform (Pass (strings 10))))
  in
  Alarm.during (fun () ->
      in_all 2 (fun _ () ->
          repeat 50 (fun () ->
              guarded (fun () -> handle (fun () -> handle body)))))

(* {1 Finalisers} that signals interrupt, and that raise. *)

let finalised () =
  let called = Atomic.make 0 and n = 100 in
  Alarm.during (fun () ->
      in_all 2 (fun _ () ->
          let attach i =
            Gc.finalise
              (fun l ->
                Atomic.incr called;
                right "to be finalised" l;
                garbage 200)
              (strings (i + 1))
          in
          for i = 1 to n do
            attach i;
            if i land 15 = 0 then guarded Gc.full_major
          done));
  repeat 3 Gc.full_major;
  must
    (Printf.sprintf "%d called" (Atomic.get called))
    (Atomic.get called = 2 * n)

(* {1 The end}: a program in the storm ends with the status that it asked for. *)

let busy () =
  while true do
    publish 1;
    Gc.minor ()
  done

let exits () =
  at_exit Gc.full_major;
  let others = List.init 2 (fun _ -> Domain.spawn busy) in
  ignore (others : unit Domain.t list);
  Alarm.during (fun () ->
      garbage 10_000;
      exit 7)

let the_end () =
  repeat 3 (fun () ->
      let status, text = Child.again "exits" in
      must (Child.said status ^ text) (status = WEXITED 7))

let () =
  match Sys.argv with
  | [| _; "exits" |] -> exits ()
  | _ ->
      case "signals and publications" published;
      case "signals and collections of all" collected;
      case "signals that raise in both" raised;
      case "signals in domains that end" ended;
      case "signals in threads of domains" threads;
      case "signals while waiting" waiting;
      case "signals in fibers" fibers;
      case "signals in finalisers" finalised;
      case "signals at the end" the_end
