(* Handlers that begin on one domain and end on another: the other domain keeps
   their stacks, and must not keep them all. *)

open Effect.Deep

type _ Effect.t += Leave : unit Effect.t

(* A handler that is suspended at once. *)
let suspended () =
  let result = ref None in
  match_with
    (fun () -> Effect.perform Leave)
    ()
    {
      retc = ignore;
      exnc = raise;
      effc =
        (fun (type a) (eff : a Effect.t) ->
          match eff with
          | Leave ->
              Some
                (fun (k : (a, unit) continuation) ->
                  result := Some (fun () -> continue k ()))
          | _ -> None);
    };
  Option.get !result

let collections n =
  for _ = 1 to n do
    Gc.minor ()
  done

let ended_elsewhere () =
  Dromos.run ignore;
  let all = List.init 100_000 (fun _ -> suspended ()) in
  let kept =
    Domain.join
      (Domain.spawn (fun () ->
           List.iter (fun go -> go ()) all;
           let before = Dromos_fiber.Stack_cache.kept () in
           collections 20;
           (before, Dromos_fiber.Stack_cache.kept ())))
  in
  match kept with
  | before, after ->
      if before < 10_000 then
        Alcotest.failf "%d stacks kept before a collection: no force" before;
      if after > 5_000 then Alcotest.failf "%d stacks kept of %d" after before

let () =
  Watch.suite "stacks" @@ fun () ->
  Alcotest.run "stacks"
    [ ("stacks", [ Watch.case "ended elsewhere" ended_elsewhere ]) ]
