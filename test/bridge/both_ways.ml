module Promise = Dromos_sync.Promise
module Runtime = Dromos.Runtime

type ways = {
  name : string;
  main : 'a. (unit -> 'a) -> 'a;
  together : (unit -> unit) list -> unit;
  offload : 'a. ?pool:Runtime.t -> (unit -> 'a) -> 'a;
  inside : 'a. (unit -> 'a) -> 'a;
  with_loop : ((unit -> unit) -> unit) option;
  has_domains : bool;
}

let int = Watch.check Alcotest.int
let bool = Watch.check Alcotest.bool
let contains = Said.contains

let rec fib n =
  if n < 2 then n
  else
    let a, b = Dromos.both (fun () -> fib (n - 1)) (fun () -> fib (n - 2)) in
    a + b

(* Twenty tasks ask first: they make the pool, and wait meanwhile. *)
let first w () =
  w.main (fun () -> w.together (List.init 20 (fun _ () -> w.offload ignore)))

let values w () =
  w.main (fun () ->
      int "a fork" 6765 (w.offload (fun () -> fib 20));
      int "and back" 42 (w.offload (fun () -> 1 + w.inside (fun () -> 41)));
      int "and there again" 55
        (w.offload (fun () ->
             w.inside (fun () ->
                 w.offload (fun () -> w.inside (fun () -> fib 10))))))

(* The domain's other tasks continue while a task waits for its function. *)
let others_go_on w () =
  w.main (fun () ->
      let go = Promise.create () in
      w.together
        [
          (fun () -> w.offload (fun () -> Promise.await go));
          (fun () -> Promise.resolve go ());
        ])

(* Host tasks of an offload wait for each other. *)
let tasks_of_one w () =
  w.main (fun () ->
      w.offload (fun () ->
          let a = Promise.create () and b = Promise.create () in
          let x, y =
            Dromos.both
              (fun () ->
                w.inside (fun () ->
                    let x = Promise.await a in
                    Promise.resolve b (x + 1);
                    x))
              (fun () ->
                w.inside (fun () ->
                    Promise.resolve a 1;
                    Promise.await b))
          in
          int "sum" 3 (x + y)))

let many w () =
  let n = 200 in
  let sum = Atomic.make 0 in
  w.main (fun () ->
      w.together
        (List.init n (fun i () ->
             let one () =
               let answers =
                 Dromos.Par.List.map ~grain:1
                   (fun k -> w.inside (fun () -> i + k))
                   [ 0; 1; 2 ]
               in
               List.fold_left ( + ) 0 answers
             in
             ignore (Atomic.fetch_and_add sum (w.offload one)))));
  int "every answer" ((3 * n * (n - 1) / 2) + (3 * n)) (Atomic.get sum)

let raised f =
  match f () with
  | () -> Alcotest.fail "no exception"
  | exception Bridged.Boom n ->
      let bt = Printexc.get_raw_backtrace () in
      (n, contains (Printexc.raw_backtrace_to_string bt) "Bridged.raising")

(* The pool begins while backtraces are recorded. *)
let exceptions w () =
  Bridged.backtraces @@ fun () ->
  let outcome = Alcotest.(pair int bool) in
  Runtime.with_ ~workers:1 @@ fun pool ->
  w.main (fun () ->
      Watch.check outcome "an error of Dromos, with its backtrace" (7, true)
        (raised (fun () -> w.offload ~pool (fun () -> Bridged.raising 7)));
      w.offload ~pool (fun () ->
          Watch.check outcome "an error of the host, with its backtrace"
            (8, true)
            (raised (fun () -> w.inside (fun () -> Bridged.raising 8))));
      Watch.check outcome "there and back" (9, true)
        (raised (fun () ->
             w.offload ~pool (fun () -> w.inside (fun () -> Bridged.raising 9)))))

let pools w () =
  Runtime.with_ ~name:"own" ~workers:1 ~queue:1 (fun pool ->
      w.main (fun () ->
          w.together
            (List.init 20 (fun _ () ->
                 w.offload ~pool (fun () ->
                     bool "in that pool" true (Runtime.inside pool);
                     Dromos.yield ()))));
      int "all of them" 20 (Runtime.stats pool).finished);
  let stopped = Runtime.create ~name:"stopped" ~workers:1 () in
  Runtime.stop stopped;
  w.main (fun () ->
      match w.offload ~pool:stopped ignore with
      | () -> Alcotest.fail "ran in a pool that was stopped"
      | exception Runtime.Stopped _ -> ())

let refused what f =
  match f () with
  | () -> Alcotest.failf "%s: not refused" what
  | exception Dromos.Misplaced text ->
      bool (what ^ ": says where: " ^ text) true (contains text "offload")

let misplaced w () =
  refused "outside" (fun () -> w.inside ignore);
  Dromos.run ~workers:1 (fun () ->
      refused "in a run" (fun () -> w.inside ignore));
  let late = Promise.create () and over = Promise.create () in
  Runtime.with_ ~workers:1 (fun other ->
      w.main (fun () ->
          w.offload (fun () ->
              let later () =
                Promise.await over;
                refused "after the end" (fun () -> w.inside ignore)
              in
              Promise.resolve late (Runtime.submit other later));
          Promise.resolve over ());
      Promise.await (Promise.await late))

let loops with_loop w () =
  for _ = 1 to 3 do
    with_loop (fun () ->
        int "from a thread" 1 (w.inside (fun () -> 1));
        let domain = Domain.spawn (fun () -> w.inside (fun () -> 2)) in
        int "from a run" 6
          (Dromos.run ~workers:2 (fun () ->
               List.fold_left ( + ) 0
                 (Dromos.Par.List.map ~grain:1
                    (fun i -> w.inside (fun () -> i))
                    [ 1; 2; 3 ])));
        int "from a domain" 2 (Domain.join domain);
        match with_loop ignore with
        | () -> Alcotest.fail "a second loop"
        | exception Dromos.Misplaced _ -> ())
  done;
  Bridged.backtraces @@ fun () ->
  with_loop (fun () ->
      let recorded = ref false in
      let raising () =
        recorded := Printexc.backtrace_status () || w.has_domains;
        (* A domain made by the host need not record backtraces by itself. *)
        Printexc.record_backtrace true;
        Bridged.raising 3
      in
      Watch.check
        Alcotest.(pair int bool)
        "an exception, with its backtrace" (3, true)
        (raised (fun () -> w.inside raising));
      bool "which the loop's domain records" true !recorded)

let cases w =
  let case name f = Watch.case (w.name ^ ": " ^ name) (f w) in
  [
    case "the first offloads" first;
    case "offload, and back" values;
    case "the host's other tasks go on" others_go_on;
    case "host tasks of one offload" tasks_of_one;
    case "two hundred at once" many;
    case "exceptions of both sides" exceptions;
    case "pools" pools;
    case "where there is no host" misplaced;
  ]
  @
  match w.with_loop with
  | None -> []
  | Some with_loop -> [ case "a loop of its own" (loops with_loop) ]
