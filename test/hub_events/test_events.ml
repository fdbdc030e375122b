(* A hub that numbers each new task and notes the events of each number. A fiber
   must keep its number over suspensions and yields, be new once, blocked at
   each wait, and finished once. *)

module Hub = Dromos_hub.Hub

type event = Pushed of Hub.reason | Blocked | Finished

let hub () =
  let next = Atomic.make 0 in
  let lock = Stdlib.Mutex.create () in
  let events : (int, event list) Hashtbl.t = Hashtbl.create 64 in
  let note (task : _ Hub.task) event =
    Stdlib.Mutex.protect lock (fun () ->
        if task.attrs = [||] then
          task.attrs <- [| Atomic.fetch_and_add next 1 |];
        let id = task.attrs.(0) in
        let before = Option.value (Hashtbl.find_opt events id) ~default:[] in
        Hashtbl.replace events id (event :: before))
  in
  let make : 'ctx. workers:int -> 'ctx Hub.t =
   fun ~workers ->
    let below = Dromos_hub.Fifo.maker.make ~workers in
    {
      below with
      name = "noting";
      push =
        (fun i reason task ->
          note task (Pushed reason);
          below.push i reason task);
      submit =
        (fun reason task ->
          note task (Pushed reason);
          below.submit reason task);
      submit_to =
        (fun i reason task ->
          note task (Pushed reason);
          below.submit_to i reason task);
      (* A task taken back runs as a plain call, and the hub gets no further
         event. *)
      retract =
        (fun i task ->
          let taken = below.retract i task in
          if taken then note task Finished;
          taken);
      blocked = (fun _ task -> note task Blocked);
      finished = (fun _ task -> note task Finished);
    }
  in
  let all () =
    Stdlib.Mutex.protect lock (fun () ->
        Hashtbl.fold (fun _ seen all -> List.rev seen :: all) events [])
  in
  (Dromos.Hub.v ~name:"noting" { Hub.make }, all)

(* Another worker may wake the fiber while the first worker is still leaving it.
   Then the unblocking may be reported before the blocking, and the end of the
   run before both. *)
let balanced seen =
  let count p = List.length (List.filter p seen) in
  count (( = ) Blocked) = count (( = ) (Pushed Unblock))
  && count (( = ) (Pushed New)) = 1
  && count (( = ) Finished) = 1
  && List.hd seen = Pushed Hub.New

let rec in_the_end tries events =
  let bad = List.find_opt (Fun.negate balanced) (events ()) in
  if bad <> None && tries > 0 then begin
    Unix.sleepf 0.01;
    in_the_end (tries - 1) events
  end
  else bad

let name = function
  | Pushed Hub.New -> "new"
  | Pushed Unblock -> "unblock"
  | Pushed Yield -> "yield"
  | Pushed Preempt -> "preempt"
  | Blocked -> "block"
  | Finished -> "end"

let check_balanced events =
  match in_the_end 1000 events with
  | None -> ()
  | Some seen ->
      Alcotest.failf "a fiber's events: %s"
        (String.concat " " (List.map name seen))

let fibers workers () =
  let hub, events = hub () in
  let n = 20 and waits = 7 and yields = 5 in
  Dromos.run ~workers ~hub (fun () ->
      let fiber k () =
        for i = 1 to waits do
          let answer = Dromos_sync.Ivar.create () in
          let asked =
            Dromos.async (fun () ->
                if (i + k) mod 2 = 0 then Dromos.yield ();
                Dromos_sync.Ivar.fill answer i)
          in
          Watch.check Alcotest.int "the answer" i (Dromos_sync.Ivar.read answer);
          Dromos.await asked
        done;
        for _ = 1 to yields do
          Dromos.yield ()
        done
      in
      Dromos.all (List.init n (fun k -> fiber k)) |> ignore);
  check_balanced events;
  (* A branch taken back yields under the number of the running task. *)
  let yielded seen =
    List.length (List.filter (( = ) (Pushed Hub.Yield)) seen)
  in
  let told =
    List.fold_left (fun sum seen -> sum + yielded seen) 0 (events ())
  in
  Alcotest.(check int) "yields" ((n * (yields + (waits / 2))) + (n / 2)) told

(* Tasks submitted from outside keep their numbers. *)
let of_runtime workers () =
  let hub, events = hub () in
  let runtime = Dromos.Runtime.create ~workers ~hub () in
  let task k () =
    let answer = Dromos.Ivar.create () in
    let asked = Dromos.async (fun () -> Dromos.Ivar.fill answer k) in
    Dromos.yield ();
    let k = Dromos.Ivar.read answer in
    Dromos.await asked;
    k
  in
  let submit k = Dromos.Runtime.submit runtime (task k) in
  List.iteri
    (fun k answer ->
      Watch.check Alcotest.int "the answer" k (Dromos.Promise.await answer))
    (List.init 50 submit);
  Dromos.Runtime.stop runtime;
  check_balanced events

let () =
  Watch.suite "hub events" @@ fun () ->
  Alcotest.run "hub events"
    [
      ( "fibers",
        [
          Watch.case "on 1 worker" (fibers 1);
          Watch.case "on 2 workers" (fibers 2);
          Watch.case "on 4 workers" (fibers 4);
        ] );
      ( "tasks of a runtime",
        [
          Watch.case "on 1 worker" (of_runtime 1);
          Watch.case "on 2 workers" (of_runtime 2);
        ] );
    ]
