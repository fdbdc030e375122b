(* Linearizability on real domains: the results of random parallel programs
   agree with a sequential model under some order of the calls. A rendezvous has
   no operation to try alone: its pairs are in the model checker's scenarios. *)

open QCheck
open STM
open Dromos_sync

module type Queue = sig
  type t

  val name : string
  val capacity : int
  val closes : bool
  val create : unit -> t
  val put : t -> int -> bool
  val take : t -> int option
  val look : (t -> int option) option
  val close : t -> unit
end

module Spec (Q : Queue) = struct
  type cmd = Put of int | Take | Look | Close
  type state = { items : int list; closed : bool }
  type sut = Q.t

  let show_cmd = function
    | Put v -> Printf.sprintf "Put %d" v
    | Take -> "Take"
    | Look -> "Look"
    | Close -> "Close"

  let init_state = { items = []; closed = false }
  let init_sut = Q.create
  let cleanup _ = ()
  let precond _ _ = true

  let arb_cmd _ =
    make ~print:show_cmd
      (Gen.frequency
         ([ (4, Gen.map (fun v -> Put v) Gen.small_nat); (4, Gen.return Take) ]
         @ (if Option.is_some Q.look then [ (2, Gen.return Look) ] else [])
         @ if Q.closes then [ (1, Gen.return Close) ] else []))

  let full state = List.length state.items >= Q.capacity

  let next_state cmd state =
    match (cmd, state.items) with
    | Put v, items ->
        if state.closed || full state then state
        else { state with items = items @ [ v ] }
    | Take, _ :: rest -> { state with items = rest }
    | Take, [] | Look, _ -> state
    | Close, _ -> { state with closed = true }

  (* The structures below report closed like full, and like empty. *)
  let run cmd q =
    match cmd with
    | Put v -> Res (bool, Q.put q v)
    | Take -> Res (option int, Q.take q)
    | Look -> Res (option int, (Option.get Q.look) q)
    | Close -> Res (unit, Q.close q)

  let postcond cmd state result =
    match (cmd, result) with
    | Put _, Res ((Bool, _), put) -> put = not (state.closed || full state)
    | (Take | Look), Res ((Option Int, _), got) ->
        (got : int option) = List.nth_opt state.items 0
    | Close, Res ((Unit, _), ()) -> true
    | _ -> false
end

module Check (Q : Queue) = struct
  module Spec = Spec (Q)
  module Sequential = STM_sequential.Make (Spec)
  module Parallel = STM_domain.Make (Spec)

  let tests =
    [
      Sequential.agree_test ~count:300 ~name:(Q.name ^ ", sequentially");
      Test.make ~retries:10 ~count:40 ~name:(Q.name ^ ", two domains")
        (Parallel.arb_cmds_triple 8 8)
        (Util.repeat 10 Parallel.agree_prop_par);
    ]
end

module Of_channel (C : sig
  val capacity : int
end) =
Check (struct
  type t = int Channel.t

  let name = Printf.sprintf "channel of %d" C.capacity
  let capacity = C.capacity
  let closes = true
  let create () = Channel.create ~capacity ()
  let put c v = try Channel.try_send c v with Channel.Closed -> false
  let take c = try Channel.try_recv c with Channel.Closed -> None
  let look = None
  let close = Channel.close
end)

module One = Of_channel (struct
  let capacity = 1
end)

module Two = Of_channel (struct
  let capacity = 2
end)

module Unbounded = Of_channel (struct
  let capacity = max_int
end)

module Of_stream = Check (struct
  type t = int Stream.t

  let name = "stream of 3"
  let capacity = 3
  let closes = true
  let create () = Stream.create capacity
  let put s v = try Stream.try_add s v with Stream.Closed -> false
  let take = Stream.try_take
  let look = None
  let close = Stream.close
end)

module Of_mvar = Check (struct
  type t = int Mvar.t

  let name = "variable"
  let capacity = 1
  let closes = false
  let create () = Mvar.create ()
  let put = Mvar.try_put
  let take = Mvar.try_take
  let look = Some Mvar.peek
  let close _ = ()
end)

(* The operations through choices. *)
module Events = struct
  type t = { a : int Channel.t; never : int Channel.t }

  let name = "channel of 1, by choices"
  let capacity = 1
  let closes = false

  let create () =
    { a = Channel.create ~capacity:1 (); never = Channel.create () }

  let possible t event =
    Event.poll
      (Event.choose
         [ event; Event.wrap (Channel.recv_event t.never) (fun _ -> None) ])

  let put t v =
    Option.is_some
      (possible t (Event.wrap (Channel.send_event t.a v) (fun () -> Some v)))

  let take t =
    Option.join (possible t (Event.wrap (Channel.recv_event t.a) Option.some))

  let look = None
  let close _ = ()
end

module Of_events = Check (Events)

(* Permits, several at a time, of at most eight. *)
module Permits = struct
  type cmd = Acquire of int | Release of int | Permits
  type state = int
  type sut = Semaphore.t

  let most = 8

  let show_cmd = function
    | Acquire n -> Printf.sprintf "Acquire %d" n
    | Release n -> Printf.sprintf "Release %d" n
    | Permits -> "Permits"

  let init_state = 4
  let init_sut () = Semaphore.create ~max:most init_state
  let cleanup _ = ()
  let precond _ _ = true

  let arb_cmd _ =
    let n = Gen.int_bound 4 in
    make ~print:show_cmd
      (Gen.frequency
         [
           (4, Gen.map (fun n -> Acquire n) n);
           (4, Gen.map (fun n -> Release n) n);
           (1, Gen.return Permits);
         ])

  let next_state cmd free =
    match cmd with
    | Acquire n when n <= free -> free - n
    | Release n when free + n <= most -> free + n
    | Acquire _ | Release _ | Permits -> free

  let run cmd s =
    match cmd with
    | Acquire n -> Res (bool, Semaphore.try_acquire ~n s)
    | Release n ->
        let released =
          match Semaphore.release ~n s with
          | () -> true
          | exception Invalid_argument _ -> false
        in
        Res (bool, released)
    | Permits -> Res (int, Semaphore.permits s)

  let postcond cmd free result =
    match (cmd, result) with
    | Acquire n, Res ((Bool, _), got) -> got = (n <= free)
    | Release n, Res ((Bool, _), released) -> released = (free + n <= most)
    | Permits, Res ((Int, _), permits) -> permits = free
    | _ -> false
end

module Of_permits = struct
  module Sequential = STM_sequential.Make (Permits)
  module Parallel = STM_domain.Make (Permits)

  let tests =
    [
      Sequential.agree_test ~count:300 ~name:"permits, sequentially";
      Test.make ~retries:10 ~count:40 ~name:"permits, two domains"
        (Parallel.arb_cmds_triple 8 8)
        (Util.repeat 10 Parallel.agree_prop_par);
    ]
end

let () =
  QCheck_base_runner.run_tests_main
    (List.concat
       [
         One.tests;
         Two.tests;
         Unbounded.tests;
         Of_stream.tests;
         Of_mvar.tests;
         Of_events.tests;
         Of_permits.tests;
       ])
