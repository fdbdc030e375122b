(* A task keeps its identity on any fiber: on the fiber that awaits the
   unstarted task, on a fiber of its own, on another worker. *)

open With_run
module Fls = Dromos.Fls
module Mutex = Dromos.Mutex

(* The ways to await an [async] task, in place or not. *)
type way = { await : 'a. 'a Dromos.Promise.t -> 'a }

let ways =
  [
    ("at once", { await = Dromos.await });
    ( "after it has run",
      {
        await =
          (fun p ->
            while not (Dromos.Promise.is_resolved p) do
              Dromos.sleep 1e-4
            done;
            Dromos.await p);
      } );
    ( "after a yield",
      {
        await =
          (fun p ->
            Dromos.yield ();
            Dromos.await p);
      } );
    ( "in a fork",
      { await = (fun p -> fst (Dromos.both (fun () -> Dromos.await p) ignore)) }
    );
    ( "before others that were made later",
      {
        await =
          (fun p ->
            let later = Dromos.async ignore in
            let result = Dromos.await p in
            Dromos.await later;
            result);
      } );
    ( "masked",
      {
        await =
          (fun p -> Dromos.Sched.Preemption.mask (fun () -> Dromos.await p));
      } );
  ]

let refuses f =
  match f () with () -> false | exception Invalid_argument _ -> true

let key : int Fls.key = Fls.new_key ()

(* The visible properties of a task and of its parent. Each is [true] for a task
   with a fiber of its own. *)
let observations { await } =
  let child f = await (Dromos.async ~name:"child" f) in
  let own what test = (what, test ()) in
  [
    own "storage set in the child" (fun () ->
        Fls.set key 1;
        child (fun () -> Fls.set key 2);
        Fls.find_opt key = Some 1);
    own "storage inherited" (fun () ->
        Fls.set key 3;
        child (fun () -> Fls.find_opt key = Some 3));
    own "priority" (fun () ->
        child (fun () -> Dromos.Sched.Priority.set_priority 9);
        Dromos.Sched.Priority.priority () = 0);
    own "a lock that the child left" (fun () ->
        let m = Mutex.create () in
        child (fun () -> Mutex.lock m);
        refuses (fun () -> Mutex.unlock m));
    own "a lock of the parent's" (fun () ->
        let m = Mutex.create () in
        Mutex.lock m;
        child (fun () -> refuses (fun () -> Mutex.unlock m)));
    own "a lock of the parent's, tried" (fun () ->
        let m = Mutex.create () in
        Mutex.lock m;
        child (fun () -> not (Mutex.try_lock m)));
    own "two children" (fun () ->
        let m = Mutex.create () in
        child (fun () -> Mutex.lock m);
        child (fun () -> refuses (fun () -> Mutex.unlock m)));
    own "number" (fun () ->
        let mine = Dromos_suspend.self () in
        let its = child Dromos_suspend.self in
        mine > 0 && its > 0 && mine <> its && mine = Dromos_suspend.self ());
    own "number, over a wait" (fun () ->
        child (fun () ->
            let before = Dromos_suspend.self () in
            Dromos.sleep 1e-4;
            before = Dromos_suspend.self ()));
    own "name" (fun () ->
        child (fun () ->
            let file = Filename.temp_file "dromos" "dump" in
            Out_channel.with_open_bin file (fun out -> Dromos.dump ~out ());
            let text = In_channel.with_open_bin file In_channel.input_all in
            Sys.remove file;
            Said.contains text "\"child\""));
    own "Sched.exit" (fun () ->
        child (fun () ->
            match Dromos.Sched.exit () with
            | () -> false
            | exception Dromos.Misplaced text -> Said.contains text "task"));
    own "draws" (fun () ->
        Dromos.Random.run ~seed:5 (fun () ->
            let mine = Dromos.Random.bits () in
            child (fun () -> Dromos.Random.bits ()) <> mine));
  ]

let everywhere () =
  each_hub (fun hub ->
      List.iter
        (fun workers ->
          List.iter
            (fun (way, await) ->
              Dromos.run ~workers ~hub (fun () -> observations await)
              |> List.iter (fun (what, own) -> ensure (way ^ ": " ^ what) own))
            ways)
        [ 1; 2; 4 ])

(* A promise resolved by the program itself hides no failure of its task. *)
let resolved_by_hand () =
  each_hub (fun hub ->
      List.iter
        (fun workers ->
          match
            Dromos.run ~workers ~hub (fun () ->
                let go = Dromos.Promise.create () in
                let p =
                  Dromos.async (fun () ->
                      Dromos.await go;
                      failwith "lost?")
                in
                Dromos.yield ();
                Dromos.Promise.resolve p 5;
                equal "by hand" 5 (Dromos.await p);
                Dromos.Promise.resolve go ())
          with
          | () -> raise (Wrong "the failure is lost")
          | exception Failure _ -> ())
        [ 1; 2; 4 ])

let cases =
  [
    Watch.case "identities of tasks" everywhere;
    Watch.case "promises resolved by hand" resolved_by_hand;
  ]
