(* Linearizability on real domains and threads: the results of random concurrent
   programs are also results of some sequential order. The judge is the
   structure itself, in one thread; the tests with models show that the
   structure is right there.

   In each program some calls do not wait ([try_], or a time-out of 0), and some
   calls wait, in two halves ([Calls]). No call leaves the structure a choice,
   such as between two messages for one [Event.choose]: the replay could choose
   otherwise. *)

open Lin
open Dromos_sync

let value = nat_small
let place () = int_bound (Calls.places - 1)

(* Closing reaches the waiting calls in turn, so a call may still be cancelled
   after an earlier call has been closed. *)
let same reply reply' =
  match (reply, reply') with
  | Calls.(Cancelled, Raised _ | Raised _, Cancelled) -> true
  | _ -> reply = reply'

let reply () = returning (deconstructible Calls.show same)

type 'a with_calls = { it : 'a; calls : Calls.t }

let make create () = { it = create (); calls = Calls.create () }
let cleanup t = Calls.finish_all t.calls
let call f t place = Calls.start t.calls place (fun () -> f t.it)

let done_ f it v =
  f it v;
  v

let call_with f t place v = Calls.start t.calls place (fun () -> done_ f t.it v)
let finish t place = Calls.finish t.calls place

(* {1 The entries of an interface} *)

let starts name f = val_freq 4 name (call f) (t @-> place () @-> reply ())

let starts_with name f =
  val_freq 4 name (call_with f) (t @-> place () @-> value @-> reply ())

let finishes () = val_freq 4 "finish" finish (t @-> place () @-> reply ())

let tries name f =
  val_freq 3 name (fun t -> f t.it) (t @-> returning_or_exc (option int))

let tries_with name f =
  val_freq 3 name (fun t v -> f t.it v) (t @-> value @-> returning_or_exc bool)

let at_once name f =
  val_freq 2 name (fun t -> f t.it) (t @-> returning_or_exc int)

let at_once_with name f =
  val_freq 2 name (fun t v -> f t.it v) (t @-> value @-> returning_or_exc unit)

let closes f = val_ "close" (fun t -> f t.it) (t @-> returning unit)
let asks name f = val_ name (fun t -> f t.it) (t @-> returning bool)

(* {1 The structures} *)

module type Place = sig
  val capacity : int
end

module Of_channel (P : Place) = struct
  type t = int Channel.t with_calls

  let name = Printf.sprintf "channel of %d" P.capacity
  let init = make (fun () -> Channel.create ~capacity:P.capacity ())
  let cleanup = cleanup

  let api =
    [
      starts_with "send" (fun t v -> Channel.send t v);
      starts "recv" (fun t -> Channel.recv t);
      finishes ();
      tries_with "try_send" Channel.try_send;
      tries "try_recv" Channel.try_recv;
      at_once_with "send ~timeout:0." (Channel.send ~timeout:0.);
      at_once "recv ~timeout:0." (Channel.recv ~timeout:0.);
      closes Channel.close;
      asks "is_closed" Channel.is_closed;
    ]
end

(* No waiting [read]: just after a put, the value is shown to waiting readers,
   and between two readers the value's taker, or the next value, is visible. *)
module Of_mvar = struct
  type t = int Mvar.t with_calls

  let name = "variable"
  let init = make (fun () -> Mvar.create ())
  let cleanup = cleanup

  let api =
    [
      starts_with "put" (fun t v -> Mvar.put t v);
      starts "take" (fun t -> Mvar.take t);
      finishes ();
      tries_with "try_put" Mvar.try_put;
      tries "try_take" Mvar.try_take;
      tries "peek" Mvar.peek;
      at_once_with "put ~timeout:0." (Mvar.put ~timeout:0.);
      at_once "take ~timeout:0." (Mvar.take ~timeout:0.);
      at_once "read ~timeout:0." (Mvar.read ~timeout:0.);
      asks "is_empty" Mvar.is_empty;
    ]
end

module Of_stream = struct
  type t = int Stream.t with_calls

  let name = "stream of 2"
  let init = make (fun () -> Stream.create 2)
  let cleanup = cleanup
  let or_end = function Some v -> v | None -> raise End_of_file

  let api =
    [
      starts_with "add" (fun t v -> Stream.add t v);
      starts "take" (fun t -> Stream.take t);
      starts "next" (fun s -> or_end (Stream.next s));
      finishes ();
      tries_with "try_add" Stream.try_add;
      tries "try_take" Stream.try_take;
      at_once_with "add ~timeout:0." (Stream.add ~timeout:0.);
      tries "next ~timeout:0." (Stream.next ~timeout:0.);
      closes Stream.close;
      asks "is_closed" Stream.is_closed;
    ]
end

(* Choices that meet choices. Senders wait at [a] and [b], receivers at [a] and
   [c]; at [b] and [c] no call waits on the other side, so a choice can only
   meet a choice at [a]. *)
module Of_choices = struct
  type abc = { a : int Channel.t; b : int Channel.t; c : int Channel.t }
  type t = abc with_calls

  let name = "choices of rendezvous"

  let init =
    make (fun () ->
        let channel () = Channel.create () in
        { a = channel (); b = channel (); c = channel () })

  let cleanup = cleanup
  let send { a; b; _ } v = Channel.[ send_event a v; send_event b (v + 100) ]
  let recv { a; c; _ } = Channel.[ recv_event a; recv_event c ]
  let poll event = Event.poll event

  let api =
    [
      starts_with "send to a or b" (fun t v -> Event.select (send t v));
      starts "recv from a or c" (fun t -> Event.select (recv t));
      starts_with "send to a" (fun t v -> Channel.send t.a v);
      starts "recv from a" (fun t -> Channel.recv t.a);
      finishes ();
      tries_with "try_send to c" (fun t v -> Channel.try_send t.c v);
      tries "try_recv from b" (fun t -> Channel.try_recv t.b);
      tries "poll recv from a or c" (fun t -> poll (Event.choose (recv t)));
      tries_with "poll send to a or b" (fun t v ->
          Option.is_some (poll (Event.choose (send t v))));
    ]
end

(* {1 The tests} *)

module type Structure = sig
  include Spec

  val name : string
end

(* Lin's own lengths, 20 and 12, have far more orders than can be tried in time.
   Threads switch only between calls and at allocations. *)
let tests (module S : Structure) =
  let open struct
    module Cmd = MakeCmd (S)
    module Domains = Lin_domain.Make_internal (Cmd) [@alert "-internal"]
    module Threads = Lin_thread.Make_internal (Cmd) [@alert "-internal"]
  end in
  let test ~count ~repeat prop kind =
    QCheck.Test.make ~count ~retries:3
      ~name:(S.name ^ ", two " ^ kind)
      (Domains.arb_cmds_triple 8 8)
      (Util.repeat repeat prop)
  in
  [
    test ~count:30 ~repeat:30 Domains.lin_prop "domains";
    test ~count:10 ~repeat:30 Threads.lin_prop "threads";
  ]

module Rendezvous = Of_channel (struct
  let capacity = 0
end)

module One = Of_channel (struct
  let capacity = 1
end)

module Two = Of_channel (struct
  let capacity = 2
end)

let () =
  Watch.suite "lin" @@ fun () ->
  QCheck_base_runner.set_seed Watch.seed;
  Watch.during ~limit:240. "linearizability" @@ fun () ->
  QCheck_base_runner.run_tests_main
    (List.concat_map tests
       [
         (module Rendezvous);
         (module One);
         (module Two);
         (module Of_mvar);
         (module Of_stream);
         (module Of_choices);
       ])
