(* The program's own effects: every run has the same answers, whichever worker
   runs a branch. *)

open With_run
open Effect.Deep

type _ Effect.t += Fresh : int Effect.t | Note : int -> unit Effect.t

let with_fresh f =
  let n = ref 0 in
  match_with f ()
    {
      retc = Fun.id;
      exnc = raise;
      effc =
        (fun (type a) (eff : a Effect.t) ->
          match eff with
          | Fresh ->
              Some
                (fun (k : (a, _) continuation) ->
                  incr n;
                  continue k !n)
          | _ -> None);
    }

exception Refused of int

(* Notes even numbers; with [refuse], refuses odd numbers. *)
let noting ?(refuse = false) f =
  let notes = ref [] in
  let v =
    match_with f ()
      {
        retc = Fun.id;
        exnc = raise;
        effc =
          (fun (type a) (eff : a Effect.t) ->
            match eff with
            | Note i when refuse && i land 1 = 1 ->
                Some
                  (fun (k : (a, _) continuation) -> discontinue k (Refused i))
            | Note i ->
                Some
                  (fun (k : (a, _) continuation) ->
                    notes := i :: !notes;
                    continue k ())
            | _ -> None);
      }
  in
  (v, List.rev !notes)

let everywhere f =
  each_hub (fun hub -> List.iter (fun workers -> f ~workers ~hub) [ 1; 2; 4 ])

let work () =
  let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2) in
  ignore (Sys.opaque_identity (fib 10))

let body () = work (); Effect.perform Fresh [@@ocamlformat "disable"]

let always what expected f =
  everywhere (fun ~workers ~hub ->
      times 20 (fun _ ->
          match Dromos.run ~workers ~hub (fun () -> with_fresh f) with
          | v when v = expected -> ()
          | _ -> raise (Wrong (what ^ ": another answer"))
          | exception Effect.Unhandled Fresh ->
              raise (Wrong (what ^ ": unhandled"))))

let never what f =
  everywhere (fun ~workers ~hub ->
      times 20 (fun _ ->
          match Dromos.run ~workers ~hub (fun () -> with_fresh f) with
          | _ -> raise (Wrong (what ^ ": handled"))
          | exception (Effect.Unhandled Fresh as e) ->
              let text = Printexc.to_string e in
              ensure text (contains text "Fresh" && contains text "install it")))

let in_branches () =
  always "both" [ 1; 2 ] (fun () ->
      let a, b = Dromos.both body body in
      [ a; b ]);
  always "all" [ 1; 2; 3; 4; 5 ] (fun () ->
      Dromos.all [ body; body; body; body; body ]);
  let numbers = List.init 40 succ in
  always "Par.List.map" numbers (fun () ->
      Dromos.Par.List.map ~grain:1 (fun _ -> body ()) numbers);
  always "map_reduce" [ 820 ] (fun () ->
      [
        Dromos.Par.map_reduce 0 40
          ~map:(fun _ -> body ())
          ~combine:( + ) ~init:0;
      ])

(* A branch of a branch of a branch. *)
let deep () =
  let rec tree n =
    if n = 0 then [ body () ]
    else
      let a, b =
        Dromos.both (fun () -> tree (n - 1)) (fun () -> tree (n - 1))
      in
      a @ b
  in
  always "a tree" (List.init 64 succ) (fun () -> tree 6)

let in_calls () =
  always "Scope.run" [ 1 ] (fun () -> Dromos.Scope.run (fun _ -> [ body () ]));
  always "timeout" [ 1 ] (fun () -> Dromos.timeout 60. (fun () -> [ body () ]));
  always "run" [ 1 ] (fun () -> Dromos.run (fun () -> [ body () ]));
  always "yield" [ 1; 2 ] (fun () ->
      let a = body () in
      Dromos.yield ();
      [ a; body () ])

let in_tasks () =
  never "async" (fun () -> Dromos.await (Dromos.async body));
  never "async in a branch" (fun () ->
      fst (Dromos.both (fun () -> Dromos.await (Dromos.async body)) work));
  never "async in the right branch" (fun () ->
      snd (Dromos.both work (fun () -> Dromos.await (Dromos.async body))));
  never "Scope.async" (fun () ->
      Dromos.Scope.run (fun s -> Dromos.await (Dromos.Scope.async s body)));
  never "Dag" (fun () ->
      let g = Dromos.Dag.create () in
      ignore (Dromos.Dag.vertex g (fun () -> ignore (body () : int)));
      Dromos.Dag.run g;
      0);
  never "blocking" (fun () -> Dromos.blocking body);
  (* A handler around the run. *)
  everywhere (fun ~workers ~hub ->
      match with_fresh (fun () -> Dromos.run ~workers ~hub body) with
      | _ -> raise (Wrong "handled outside the run")
      | exception Effect.Unhandled Fresh -> ())

let in_order () =
  everywhere (fun ~workers ~hub ->
      times 10 (fun _ ->
          let (), notes =
            Dromos.run ~workers ~hub (fun () ->
                noting (fun () ->
                    Dromos.Par.for_ ~grain:1 0 60 (fun i ->
                        work ();
                        Effect.perform (Note i))))
          in
          ensure "the order of the sequential loop" (notes = List.init 60 Fun.id)))

(* An exception of the handler is raised where the branch performs the
   effect. *)
let refused () =
  everywhere (fun ~workers ~hub ->
      times 10 (fun _ ->
          let found, notes =
            Dromos.run ~workers ~hub (fun () ->
                noting ~refuse:true (fun () ->
                    Dromos.Par.List.map ~grain:1
                      (fun i ->
                        work ();
                        match Effect.perform (Note i) with
                        | () -> i
                        | exception Refused j -> -j)
                      (List.init 40 Fun.id)))
          in
          let expected i = if i land 1 = 1 then -i else i in
          ensure "values" (found = List.init 40 expected);
          ensure "notes" (notes = List.init 20 (fun i -> 2 * i));
          match
            Dromos.run ~workers ~hub (fun () ->
                noting ~refuse:true (fun () ->
                    Dromos.Par.for_ ~grain:1 0 40 (fun i ->
                        work ();
                        Effect.perform (Note i))))
          with
          | _ -> raise (Wrong "no exception")
          | exception Refused 1 -> ()))

(* A branch that waits for the handler is cancelled. *)
let cancelled () =
  parallel (fun () ->
      times 50 (fun _ ->
          let asks = Atomic.make false and stopped = ref false in
          let (), notes =
            noting (fun () ->
                match
                  Dromos.both
                    (fun () ->
                      spin_until "the right branch" asks;
                      raise Exit)
                    (fun () ->
                      Atomic.set asks true;
                      try Effect.perform (Note 1)
                      with Dromos.Cancelled as e ->
                        stopped := true;
                        raise e)
                with
                | _ -> raise (Wrong "no exception")
                | exception Exit -> ())
          in
          ensure "nothing was handled" (notes = []);
          ensure "it was cancelled" !stopped))

(* If the handler never continues the branch, the branch stays where it is. *)
let dropped () =
  everywhere (fun ~workers ~hub ->
      let stop f =
        match_with f ()
          {
            retc = (fun _ -> "returned");
            exnc = raise;
            effc =
              (fun (type a) (eff : a Effect.t) ->
                match eff with
                | Fresh -> Some (fun (_ : (a, _) continuation) -> "stopped")
                | _ -> None);
          }
      in
      let found =
        Dromos.run ~workers ~hub (fun () ->
            stop (fun () -> Dromos.both work (fun () -> ignore (body ()))))
      in
      ensure found (found = "stopped"))

let cases =
  [
    case "in branches" in_branches;
    case "in branches of branches" deep;
    case "in calls" in_calls;
    case "in tasks, never" in_tasks;
    case "in order" in_order;
    case "exceptions of handlers" refused;
    case "cancelled branches" cancelled;
    case "handlers that stop" dropped;
  ]
