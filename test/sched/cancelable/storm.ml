(* Stress: many fibers on more workers than cores, under cancelables of a tree.
   Meanwhile the cancelables are cancelled, several times each. *)

module Sched = Dromos.Sched
module Cancelable = Sched.Cancelable

type node = { c : Cancelable.t; running : int Atomic.t; parent : node option }

let draw n = Random.State.int Watch.chance n

(* Made by a fiber that is over when the cancelable is used. *)
let make_below parent =
  let made = ref None in
  Cancelable.wrap parent.c
    (fun () ->
      made :=
        Some
          {
            c = Cancelable.make ();
            running = Atomic.make 0;
            parent = Some parent;
          })
    ();
  Option.get !made

let rec up node f =
  f node.running;
  Option.iter (fun parent -> up parent f) node.parent

let live node pieces () =
  up node Atomic.incr;
  Fun.protect
    (fun () ->
      for i = 1 to pieces do
        if i mod 3 = 0 then Dromos.sleep 1e-4
        else ignore (Dromos.both Sched.yield ignore : unit * unit)
      done)
    ~finally:(fun () -> up node Atomic.decr)

let once () =
  let workers = 4 + draw 5 and left = Atomic.make 0 in
  Dromos.run ~workers (fun () ->
      let top =
        { c = Cancelable.make (); running = Atomic.make 0; parent = None }
      in
      let children = List.init 3 (fun _ -> make_below top) in
      let below =
        List.concat_map (fun n -> List.init 2 (fun _ -> make_below n)) children
      in
      let all = Array.of_list ((top :: children) @ below) in
      let any () = all.(1 + draw (Array.length all - 1)) in
      let cancel node () =
        Cancelable.cancel node.c;
        if Atomic.get node.running > 0 then Atomic.incr left
      in
      for i = 1 to 200 do
        let node = any () in
        Sched.spawn (Cancelable.wrap node.c (live node (draw 10)));
        if i mod 25 = 0 then Sched.spawn (cancel (any ()))
      done;
      Sched.spawn (cancel top);
      cancel top ();
      Array.iter (fun node -> cancel node ()) all);
  Watch.check Alcotest.int "still running" 0 (Atomic.get left)

let case =
  Watch.case "a storm" (fun () ->
      for _ = 1 to 150 do
        once ()
      done)
