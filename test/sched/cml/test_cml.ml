module Sched = Dromos.Sched
module Cml = Sched.Cml
module Channel = Dromos.Channel
module Event = Dromos.Event

type scheduler = { name : string; run : 'a. (unit -> 'a) -> 'a }

let schedulers =
  [
    { name = "the root"; run = (fun f -> f ()) };
    { name = "round robin"; run = (fun f -> Sched.Round_robin.run f) };
    { name = "priority"; run = (fun f -> Sched.Priority.run (fun _ -> f ())) };
    {
      name = "priority in round robin, preempted";
      run =
        (fun f ->
          Sched.Round_robin.run (fun () ->
              Sched.Preemption.run ~quantum:0.001 (fun () ->
                  Sched.Priority.run (fun _ -> f ()))));
    };
  ]

(* The sieve: a chain of threads; each thread filters for the next. *)
let sieve n =
  let rec filter prime input =
    let output = Channel.create () in
    let rec go () =
      let i = Channel.recv input in
      if i mod prime <> 0 then Channel.send output i;
      go ()
    in
    ignore (Cml.spawn (fun () -> try go () with Channel.Closed -> ()));
    output
  and primes acc input k =
    if k = 0 then List.rev acc
    else
      let prime = Channel.recv input in
      primes (prime :: acc) (filter prime input) (k - 1)
  in
  Dromos.Scope.run (fun scope ->
      let numbers = Channel.create () in
      ignore
        (Cml.spawn ~name:"numbers" (fun () ->
             let rec count i =
               Channel.send numbers i;
               count (i + 1)
             in
             count 2));
      let found = primes [] numbers n in
      Dromos.Scope.cancel scope;
      found)

let test_sieve run () =
  Watch.check
    Alcotest.(list int)
    "primes"
    [ 2; 3; 5; 7; 11; 13; 17; 19; 23; 29; 31; 37; 41; 43; 47 ]
    (run (fun () -> sieve 15))

(* Clients choose between a server and a time-out. A client that the server will
   answer does not give up even on a busy machine; otherwise the server would
   wait for the client for ever. *)
let test_choice run () =
  let served, given_up =
    run (fun () ->
        let requests = Channel.create () in
        let given_up = Atomic.make 0 and served = Atomic.make 0 in
        Dromos.Scope.run (fun scope ->
            let server =
              Cml.spawn ~name:"server" (fun () ->
                  for _ = 1 to 10 do
                    let i, reply = Channel.recv requests in
                    if i mod 2 = 0 then Channel.send reply (i * i)
                  done)
            in
            let client i () =
              let reply = Channel.create () in
              Channel.send requests (i, reply);
              let patience = if i mod 2 = 0 then 1000. else 0.02 in
              Cml.select
                [
                  Event.wrap (Channel.recv_event reply) (fun v ->
                      assert (v = i * i);
                      Atomic.incr served);
                  Event.wrap (Event.timeout patience) (fun () ->
                      Atomic.incr given_up);
                ]
            in
            let clients = List.init 10 (fun i -> Cml.spawn (client i)) in
            List.iter Cml.join clients;
            Cml.join server;
            ignore scope);
        (Atomic.get served, Atomic.get given_up))
  in
  Watch.check Alcotest.int "all answered or late" 10 (served + given_up);
  Watch.check Alcotest.bool "the odd ones are late" true (given_up >= 5)

let test_identity run () =
  run (fun () ->
      Watch.check Alcotest.bool "no thread" true (Cml.self () = None);
      let seen = Dromos.Mvar.create () in
      let thread =
        Cml.spawn ~name:"me" (fun () ->
            Dromos.Mvar.put seen (Option.get (Cml.self ()));
            Cml.yield ();
            Cml.exit ())
      in
      Watch.check Alcotest.bool "self" true
        (Cml.equal thread (Dromos.Mvar.take seen));
      Watch.check Alcotest.string "name" "me" (Cml.name thread);
      Cml.join thread)

let test_failure run () =
  match
    run (fun () ->
        let thread = Cml.spawn (fun () -> failwith "thread") in
        Cml.join thread;
        Dromos.sleep 10.)
  with
  | () -> Alcotest.fail "raised"
  | exception Failure text -> Watch.check Alcotest.string "whose" "thread" text

let () =
  Watch.suite "cml" (fun () ->
      let cases workers (s : scheduler) =
        let inside : 'a. (unit -> 'a) -> 'a =
         fun f -> Dromos.run ~workers (fun () -> s.run f)
        in
        ( Printf.sprintf "%s, %d workers" s.name workers,
          [
            Watch.case "sieve" (test_sieve inside);
            Watch.case "choice" (test_choice inside);
            Watch.case "identity" (test_identity inside);
            Watch.case "failure" (test_failure inside);
          ] )
      in
      Alcotest.run "cml"
        (List.concat_map
           (fun workers -> List.map (cases workers) schedulers)
           [ 1; 2 ]))
