open Dromos_fiber

(* The instances are tasks of an outer scope, and the body's fibers are tasks of
   an inner scope. When the inner scope is over, [run] cancels the outer scope,
   and the instances end. *)

let start ~name ~under ~ends instance vproc =
  under vproc
    (Core.scheduler ~name
       ~ends:(fun () -> ends vproc)
       (fun () -> instance vproc))

let run ~name ?vprocs ?(under = Vproc.enq_on) ?(ends = ignore) ?give instance
    body =
  Dromos_service.Stack_room.ensure 4;
  let vprocs = match vprocs with Some l -> l | None -> Vproc.all () in
  let call = Printf.sprintf "Sched: the scheduler %S" name in
  if vprocs = [] then invalid_arg (call ^ ": ~vprocs is empty");
  List.iter (Vproc.check ~call) vprocs;
  Scope.run (fun outer ->
      List.iter (start ~name ~under ~ends instance) vprocs;
      let body () =
        match give with
        | None -> body ()
        | Some give -> Core.with_spawner give body
      in
      let v = Scope.run (fun _ -> body ()) in
      Scope.cancel outer;
      v)
