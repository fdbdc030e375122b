module Promise = Dromos_sync.Promise

type host = {
  name : string;
  main : 'a. (unit -> 'a) -> 'a;
  together : (unit -> unit) list -> unit;
}

exception Boom of int

let[@inline never] raising n = if n >= 0 then raise (Boom n) else assert false
let contains = Said.contains

let names_raising bt =
  contains (Printexc.raw_backtrace_to_string bt) "Bridged.raising"

let misplaced word () =
  match Dromos.run ignore with
  | () -> Alcotest.fail "Dromos.run ran inside"
  | exception Dromos.Misplaced text ->
      Watch.check Alcotest.bool
        (text ^ ": names " ^ word)
        true (contains text word)

let waiting cell =
  Dromos_suspend.suspend (fun resume ->
      Atomic.set cell (Some resume);
      None)

let rec resumer cell =
  match Atomic.get cell with
  | Some resume -> resume
  | None ->
      Domain.cpu_relax ();
      resumer cell

let int = Watch.check Alcotest.int
let bool = Watch.check Alcotest.bool

let backtraces f =
  let before = Printexc.backtrace_status () in
  Printexc.record_backtrace true;
  Fun.protect ~finally:(fun () -> Printexc.record_backtrace before) f

(* Four values: available at once, from a plain domain, from a Dromos task, and
   for a Dromos task. *)
let values host () =
  let from_host = Promise.create () and to_host = Promise.create () in
  let plain = Promise.create () in
  let other =
    Domain.spawn (fun () ->
        Promise.resolve plain 1;
        Dromos.run ~workers:1 (fun () ->
            let n = Promise.await from_host in
            Promise.resolve to_host (n + 1);
            n))
  in
  host.main (fun () ->
      int "there" 0 (Promise.await (Promise.return 0));
      int "plain domain" 1 (Promise.await plain);
      Promise.resolve from_host 2;
      int "Dromos task" 3 (Promise.await to_host));
  int "in the Dromos task" 2 (Domain.join other)

(* If a wait blocked more than its task, the second task would never run. *)
let only_its_task host () =
  let rounds = 200 in
  let ball () = Array.init rounds (fun _ -> Promise.create ()) in
  let a = ball () and b = ball () in
  let seen = Atomic.make 0 in
  host.main (fun () ->
      host.together
        [
          (fun () ->
            for i = 0 to rounds - 1 do
              Promise.resolve a.(i) i;
              ignore (Atomic.fetch_and_add seen (Promise.await b.(i)))
            done);
          (fun () ->
            for i = 0 to rounds - 1 do
              Promise.resolve b.(i) (Promise.await a.(i))
            done);
        ]);
  int "all came back" (rounds * (rounds - 1) / 2) (Atomic.get seen)

let exceptions host () =
  backtraces @@ fun () ->
  let p = Promise.create () in
  let other =
    Domain.spawn (fun () ->
        Printexc.record_backtrace true;
        match raising 7 with
        | () -> ()
        | exception e -> Promise.fail p e (Printexc.get_raw_backtrace ()))
  in
  host.main (fun () ->
      match Promise.await p with
      | () -> Alcotest.fail "no exception"
      | exception Boom n ->
          let bt = Printexc.get_raw_backtrace () in
          int "the exception" 7 n;
          bool "its backtrace" true (names_raising bt));
  Domain.join other;
  match host.main (fun () -> raising 8) with
  | () -> Alcotest.fail "no exception out of main"
  | exception Boom n -> int "out of main" 8 n

let first_call_wins host () =
  for _ = 1 to 100 do
    let cell = Atomic.make None in
    let call n =
      Domain.spawn (fun () ->
          let resume = resumer cell in
          resume (Ok n))
    in
    let one = call 1 and two = call 2 in
    let got = host.main (fun () -> waiting cell) in
    let one = Domain.join one and two = Domain.join two in
    bool "exactly one won" true (one <> two);
    int "and gave the result" (if one then 1 else 2) got
  done

let immediate host () =
  host.main (fun () ->
      int "Some v" 5 (Dromos_suspend.suspend (fun _ -> Some 5));
      let called = ref false in
      int "resumed inside block" 6
        (Dromos_suspend.suspend (fun resume ->
             called := resume (Ok 6);
             None));
      bool "and it had won" true !called)

let identity host () =
  host.main (fun () ->
      let ids = Atomic.make [] in
      let rec add id =
        let old = Atomic.get ids in
        if not (Atomic.compare_and_set ids old (id :: old)) then add id
      in
      let gate = Promise.create () in
      let one () =
        let id = Dromos_suspend.self () in
        Promise.await gate;
        int "kept over a wait" id (Dromos_suspend.self ());
        add id
      in
      let id = Dromos_suspend.self () in
      host.together [ one; one; one; Promise.resolve gate ];
      let all = id :: Atomic.get ids in
      int "all different" 4 (List.length (List.sort_uniq compare all));
      bool "all positive" true (List.for_all (fun id -> id > 0) all))

let crossings = 10_000

(* Two tasks of the host and a Dromos run count up in turn. *)
let many host () =
  let width = 50 in
  let requests =
    Array.init crossings (fun _ -> (Promise.create (), Promise.create ()))
  in
  let server =
    Domain.spawn (fun () ->
        Dromos.run ~workers:2 (fun () ->
            Array.iter
              (fun (question, answer) ->
                ignore
                  (Dromos.async (fun () ->
                       Promise.resolve answer (1 + Promise.await question))))
              requests))
  in
  let sum = Atomic.make 0 in
  host.main (fun () ->
      host.together
        (List.init width (fun task () ->
             for i = 0 to (crossings / width) - 1 do
               let question, answer = requests.((i * width) + task) in
               Promise.resolve question i;
               ignore (Atomic.fetch_and_add sum (Promise.await answer))
             done)));
  Domain.join server;
  let each = crossings / width in
  int "every answer" (width * (each * (each + 1) / 2)) (Atomic.get sum)

let cases host =
  let case name f = Watch.case (host.name ^ ": " ^ name) (f host) in
  [
    case "values" values;
    case "only its task waits" only_its_task;
    case "exceptions and backtraces" exceptions;
    case "the first call wins" first_call_wins;
    case "answers at once" immediate;
    case "identity" identity;
    case (Printf.sprintf "%d crossings" crossings) many;
  ]
