(* Graphs extended while they run, on each hub with 1, 2 and 4 workers. *)

module Dag = Dromos.Dag
module Promise = Dromos.Promise

exception Boom

let ensure text ok = if not ok then failwith text

let everywhere f =
  List.iter
    (fun hub ->
      List.iter (fun workers -> Dromos.run ~workers ~hub f) [ 1; 2; 4 ])
    Dromos.Hub.all

let invalid parts f =
  match f () with
  | () -> failwith ("no exception about " ^ String.concat ", " parts)
  | exception Invalid_argument text ->
      List.iter (fun part -> ensure text (Said.contains text part)) parts

let spin_until condition =
  while not (condition ()) do
    Dromos.yield ()
  done

(* {1 Order} *)

(* A vertex between a running vertex and a waiting one; three runs, each of
   which adds the vertex again. *)
let in_between () =
  everywhere (fun () ->
      let g = Dag.create () in
      let log = Atomic.make [] in
      let say s () = Atomic.set log (s :: Atomic.get log) in
      let last = Dag.vertex g (say "last") in
      let self = ref None in
      let first =
        Dag.vertex g (fun () ->
            Dag.extend g (fun () ->
                let a = Dag.vertex g (say "a") in
                let b = Dag.vertex g (say "b") in
                Dag.precede (Option.get !self) a;
                Dag.precede a b;
                Dag.precede b last);
            Dromos.yield ();
            say "first" ())
      in
      self := Some first;
      Dag.precede first last;
      for _ = 1 to 3 do
        Atomic.set log [];
        Dag.run g;
        ensure "order"
          (List.rev (Atomic.get log) = [ "first"; "a"; "b"; "last" ]);
        ensure "those of the run are there" (Dag.size g = 4)
      done;
      ignore (Dag.vertex g ignore);
      ensure "those of the run are gone" (Dag.size g = 3))

(* No new vertex starts before the end of the extension, with any
   predecessors. *)
let held () =
  everywhere (fun () ->
      let g = Dag.create () in
      let over = Atomic.make false and early = Atomic.make 0 in
      let look () = if not (Atomic.get over) then Atomic.incr early in
      let waits = Promise.create () in
      let front = Dag.vertex g (fun () -> Promise.await waits) in
      let waiting = Dag.vertex g look in
      Dag.precede front waiting;
      ignore
        (Dag.vertex g (fun () ->
             Dag.extend g (fun () ->
                 let done_ = Dag.vertex g look in
                 let added = Dag.vertex g look in
                 Dag.precede done_ added;
                 Dag.precede added waiting;
                 Promise.resolve waits ();
                 spin_until (fun () -> Dag.ran front);
                 for _ = 1 to 10 do
                   Dromos.yield ()
                 done;
                 Atomic.set over true)));
      Dag.run g;
      ensure "early" (Atomic.get early = 0);
      ensure "ran" (Dag.ran waiting))

(* Vertices that add vertices, down to a depth, many at once. Each new vertex
   has a random set of edges from existing vertices. Every vertex checks that
   its predecessors are over, whether an edge was added before or after the
   vertex. *)
let random_growth () =
  let random = Random.State.make [| Watch.seed |] in
  everywhere (fun () ->
      let g = Dag.create () in
      let seed = Random.State.bits random in
      let lock = Dromos.Mutex.create () in
      let all = ref [] and late = Atomic.make 0 and made = Atomic.make 0 in
      let ends = Atomic.make 0 in
      let last_preds = Atomic.make [] in
      let is_over over = Atomic.get over in
      let last =
        Dag.vertex g (fun () ->
            ensure "last" (Atomic.get ends = 3);
            ensure "last, those added"
              (List.for_all is_over (Atomic.get last_preds)))
      in
      let rec grow ?(before = []) random depth =
        let over = Atomic.make false and preds = Atomic.make before in
        let code () =
          if not (List.for_all is_over (Atomic.get preds)) then Atomic.incr late;
          if depth > 0 then begin
            let children = Random.State.int random 4 in
            Dag.extend g (fun () ->
                for _ = 1 to children do
                  let random = Random.State.split random in
                  add random (depth - 1)
                done)
          end;
          if Random.State.bool random then Dromos.yield ();
          Atomic.incr made;
          Atomic.set over true
        in
        (Dag.vertex g code, over, preds)
      and add random depth =
        Dromos.Mutex.protect lock (fun () ->
            let known = !all in
            let v, over, preds = grow random depth in
            List.iter
              (fun (p, p_over) ->
                if Random.State.int random 8 = 0 then begin
                  Dag.precede p v;
                  Atomic.set preds (p_over :: Atomic.get preds)
                end)
              known;
            (* [last] may have started. *)
            if Random.State.int random 4 = 0 then begin
              match Dag.precede v last with
              | () -> Atomic.set last_preds (over :: Atomic.get last_preds)
              | exception Invalid_argument _ -> ()
            end;
            all := (v, over) :: known)
      in
      let random = Random.State.make [| seed |] in
      for _ = 1 to 3 do
        let v, _, _ = grow (Random.State.split random) 4 in
        let tail = Dag.vertex g (fun () -> Atomic.incr ends) in
        Dag.precede v tail;
        Dag.precede tail last
      done;
      Dag.run g;
      ensure "late" (Atomic.get late = 0);
      ensure "all ran"
        (Atomic.get made = Dag.size g - 4
        && List.for_all (fun (v, _) -> Dag.ran v) !all))

(* Each vertex adds the next: a chain whose length is a number. *)
let chain () =
  everywhere (fun () ->
      let g = Dag.create () in
      let count = ref 0 in
      let rec step () =
        incr count;
        if !count < 2_000 then
          Dag.extend g (fun () -> ignore (Dag.vertex g step))
      in
      ignore (Dag.vertex g step);
      Dag.run g;
      ensure "all" (!count = 2_000 && Dag.size g = 2_000);
      count := 0;
      Dag.run g;
      ensure "all again" (!count = 2_000 && Dag.size g = 2_000))

(* {1 Values, branches, parts} *)

let values () =
  everywhere (fun () ->
      let g = Dag.create () in
      let n = Dag.node g (fun () -> 30) in
      let sum = ref None in
      let grows =
        Dag.map
          (fun n ->
            Dag.extend g (fun () ->
                let squares =
                  List.init n (fun i ->
                      Dag.map
                        (fun n -> n - n + (i * i))
                        (Dag.node g (fun () -> i)))
                in
                let all = Dag.all g squares in
                sum :=
                  Some (Dag.map2 (fun l _ -> List.fold_left ( + ) 0 l) all all)))
          n
      in
      ignore grows;
      Dag.run g;
      ensure "sum" (Dag.value (Option.get !sum) = 8555))

let branches () =
  everywhere (fun () ->
      let g = Dag.create () in
      let ran = Atomic.make [] in
      let say s () = Atomic.set ran (s :: Atomic.get ran) in
      let self = ref None in
      let late = ref [] in
      let asks =
        Dag.branch g (fun () ->
            let yes, no =
              Dag.extend g (fun () ->
                  let yes = Dag.vertex g (say "yes")
                  and no = Dag.vertex g (say "no") in
                  Dag.precede (Option.get !self) yes;
                  Dag.precede (Option.get !self) no;
                  (yes, no))
            in
            late := [ no ];
            [ yes ])
      in
      self := Some asks;
      let after =
        Dag.vertex g (fun () ->
            Dag.extend g (fun () ->
                let unchosen = Dag.vertex g (say "unchosen") in
                Dag.precede asks unchosen))
      in
      let joins = Dag.branch g (fun () -> [ after ]) in
      Dag.precede joins after;
      let wait = Dag.vertex g (fun () -> spin_until (fun () -> Dag.ran asks)) in
      Dag.precede wait after;
      Dag.run g;
      ensure "ran" (Atomic.get ran = [ "yes" ]);
      ensure "left out" (not (Dag.ran (List.hd !late))))

let partial () =
  everywhere (fun () ->
      let g = Dag.create () in
      let count = Atomic.make 0 in
      let node v =
        Dag.node g (fun () ->
            Atomic.incr count;
            v)
      in
      let a = node 1 and b = node 2 in
      let ab = Dag.map2 ( + ) a b in
      let other = node 5 in
      let no_part = Dag.vertex g (fun () -> Atomic.incr count) in
      let result = ref None in
      let grows =
        Dag.vertex g (fun () ->
            Dag.extend g (fun () ->
                result := Some (Dag.map2 ( + ) ab other);
                let v = Dag.vertex g ignore in
                Dag.precede v no_part))
      in
      Dag.run ~only:[ grows ] g;
      ensure "value" (Dag.value (Option.get !result) = 8);
      ensure "the vertices that lead to it" (Atomic.get count = 3);
      ensure "no part" (not (Dag.ran no_part)))

(* {1 Failures} *)

let failures () =
  everywhere (fun () ->
      let g = Dag.create () in
      let started = Atomic.make false in
      let go () = Atomic.set started true in
      let self = ref None in
      let fails =
        Dag.vertex g (fun () ->
            Dag.extend g (fun () ->
                let after = Dag.vertex g go in
                Dag.precede (Option.get !self) after);
            raise Boom)
      in
      self := Some fails;
      (match Dag.run g with
      | () -> failwith "no exception"
      | exception Boom -> ());
      ensure "not started" (not (Atomic.get started));
      (* A vertex added by the extension fails; the vertex after it was there
         before. *)
      let g = Dag.create () in
      let last = Dag.vertex g go in
      let first =
        Dag.vertex g (fun () ->
            Dag.extend g (fun () ->
                let bad = Dag.vertex g (fun () -> raise Boom) in
                Dag.precede bad last))
      in
      Dag.precede first last;
      (match Dag.run g with
      | () -> failwith "no exception"
      | exception Boom -> ());
      ensure "not started either" (not (Atomic.get started)))

(* An extension with an exception, or with a cycle, leaves no vertex in the
   graph. *)
let taken_back () =
  everywhere (fun () ->
      let g = Dag.create () in
      let started = Atomic.make 0 and gone = ref None in
      let last = Dag.vertex g ~name:"omega" (fun () -> Atomic.incr started) in
      let middle = Dag.vertex g ~name:"mu" ignore in
      Dag.precede middle last;
      let bad () = failwith "started" in
      let first =
        Dag.vertex g (fun () ->
            (match
               Dag.extend g (fun () ->
                   let v = Dag.vertex g bad in
                   gone := Some v;
                   Dag.precede v last;
                   Dag.precede v middle;
                   raise Boom)
             with
            | () -> failwith "no exception"
            | exception Boom -> ());
            ensure "size" (Dag.size g = 3);
            invalid [ "cycle"; "alpha"; "beta"; "->" ] (fun () ->
                Dag.extend g (fun () ->
                    let a = Dag.vertex g ~name:"alpha" bad in
                    let b = Dag.vertex g ~name:"beta" bad in
                    Dag.precede a b;
                    Dag.precede b a));
            invalid [ "cycle"; "alpha" ] (fun () ->
                Dag.extend g (fun () ->
                    let a = Dag.vertex g ~name:"alpha" bad in
                    Dag.precede a a));
            invalid [ "cycle"; "omega"; "mu"; "alpha" ] (fun () ->
                Dag.extend g (fun () ->
                    let a = Dag.vertex g ~name:"alpha" bad in
                    Dag.precede last a;
                    Dag.precede a middle));
            invalid [ "extension that failed" ] (fun () ->
                Dag.extend g (fun () -> Dag.precede (Option.get !gone) last)))
      in
      Dag.precede first middle;
      Dag.run g;
      ensure "last" (Atomic.get started = 1);
      ensure "nothing was added" (Dag.size g = 3))

let misuse () =
  everywhere (fun () ->
      let g = Dag.create () in
      let first = Dag.vertex g ~name:"alpha" ignore in
      let added = ref None in
      let second =
        Dag.vertex g ~name:"beta" (fun () ->
            invalid [ "Dag.vertex"; "running" ] (fun () ->
                ignore (Dag.vertex g ignore));
            invalid [ "Dag.run"; "running already" ] (fun () -> Dag.run g);
            Dag.extend g (fun () ->
                let v = Dag.vertex g ~name:"gamma" ignore in
                added := Some v;
                invalid [ "precede"; "alpha"; "gamma"; "started" ] (fun () ->
                    Dag.precede v first);
                (* An extension by another task. *)
                Dromos.Scope.run (fun scope ->
                    Dromos.Scope.fork scope (fun () ->
                        invalid [ "running" ] (fun () ->
                            ignore (Dag.vertex g ignore))));
                (* An extension inside an extension. *)
                Dag.extend g (fun () ->
                    Dag.precede v (Dag.vertex g ~name:"delta" ignore))))
      in
      Dag.precede first second;
      Dag.run g;
      ensure "four" (Dag.size g = 4);
      let gone = Option.get !added in
      ensure "ran" (Dag.ran gone);
      invalid [ "gamma"; "over" ] (fun () -> Dag.precede first gone);
      invalid [ "gamma"; "over" ] (fun () -> Dag.run ~only:[ gone ] g);
      Dag.run g)

(* {1 From outside} *)

(* Fibers and threads that are no vertices add to a graph, which an open vertex
   keeps running. *)
let from_outside () =
  everywhere (fun () ->
      let g = Dag.create () in
      let count = Atomic.make 0 in
      let feeders = Promise.create () and started = Promise.create () in
      ignore
        (Dag.vertex g (fun () ->
             Promise.resolve started ();
             Promise.await feeders));
      let feed () =
        for _ = 1 to 50 do
          Dag.extend g (fun () ->
              let a = Dag.vertex g (fun () -> Atomic.incr count) in
              let b = Dag.vertex g (fun () -> Atomic.incr count) in
              Dag.precede a b)
        done
      in
      Dromos.Scope.run (fun scope ->
          Dromos.Scope.fork scope (fun () -> Dag.run g);
          Promise.await started;
          let thread_over = Promise.create () in
          ignore
            (Thread.create
               (fun () ->
                 feed ();
                 Promise.resolve thread_over ())
               ());
          ignore
            (Dromos.both
               (fun () -> feed ())
               (fun () ->
                 Dromos.Scope.run (fun scope ->
                     Dromos.Scope.fork scope feed;
                     Dromos.Scope.fork scope feed)));
          Promise.await thread_over;
          Promise.resolve feeders ());
      ensure "all" (Atomic.get count = 400))

(* Extensions from outside against the end of the run: each extension either
   takes part or is refused. *)
let against_the_end () =
  everywhere (fun () ->
      for _ = 1 to 30 do
        let g = Dag.create () in
        let count = Atomic.make 0 and accepted = Atomic.make 0 in
        ignore (Dag.vertex g ignore);
        let feed () =
          for _ = 1 to 5 do
            match
              Dag.extend g (fun () ->
                  ignore (Dag.vertex g (fun () -> Atomic.incr count)))
            with
            | () -> Atomic.incr accepted
            | exception Invalid_argument text ->
                ensure text (Said.contains text "not running")
          done
        in
        let feeder = Dromos.async feed in
        Dag.run g;
        Dromos.await feeder;
        ensure "those accepted ran" (Atomic.get count = Atomic.get accepted)
      done)

(* Cancelled while extensions are under way: all vertices end. *)
let cancelled () =
  everywhere (fun () ->
      for round = 1 to 20 do
        let g = Dag.create () in
        let running = Atomic.make 0 and seen = Atomic.make 0 in
        let rec step () =
          Atomic.incr running;
          Fun.protect
            (fun () ->
              Atomic.incr seen;
              Dag.extend g (fun () ->
                  ignore (Dag.vertex g step);
                  Dromos.yield ();
                  if Atomic.get seen land 3 = 0 then ignore (Dag.vertex g step));
              Dromos.yield ())
            ~finally:(fun () -> Atomic.decr running)
        in
        for _ = 1 to 3 do
          ignore (Dag.vertex g step)
        done;
        (match
           Dromos.Scope.run (fun scope ->
               Dromos.Scope.fork scope (fun () ->
                   spin_until (fun () -> Atomic.get seen > round);
                   Dromos.Scope.cancel scope);
               Dag.run g)
         with
        | () -> failwith "not cancelled"
        | exception Dromos.Cancelled -> ());
        ensure "none is left" (Atomic.get running = 0);
        ensure "not running any more"
          (match Dag.extend g ignore with
          | () -> false
          | exception Invalid_argument _ -> true)
      done)

let () =
  Watch.suite "dynamic" (fun () ->
      let case = Watch.case in
      Alcotest.run ~and_exit:false "dynamic"
        [
          ( "Dag.extend",
            [
              case "in between" in_between;
              case "held back" held;
              case "random growth" random_growth;
              case "a chain that grows" chain;
              case "values" values;
              case "branches" branches;
              case "partial runs" partial;
              case "failures" failures;
              case "taken back" taken_back;
              case "misuse" misuse;
              case "from outside" from_outside;
              case "against the end" against_the_end;
              case "cancelled" cancelled;
            ] );
        ])
