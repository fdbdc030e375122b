open Effect.Deep

type _ Effect.t += Inside : bool Effect.t

let inside () =
  match Effect.perform Inside with
  | answer -> answer
  | exception Effect.Unhandled Inside -> false

let canceled = Error (Lwt.Canceled, Printexc.get_callstack 0)

(* Only Lwt's thread touches the fields. *)
type t = {
  loop : Loop.t;
  mutable id : int;
  mutable cancelled : bool; (* cancelled, and the fiber does not know yet *)
  mutable interrupt : unit -> bool; (* ends the fiber's present wait *)
}

let no_wait () = false

let identity t =
  if t.id = 0 then t.id <- Dromos_suspend.fresh_id ();
  t.id

let resume_with k = function
  | Ok v -> continue k v
  | Error (e, bt) -> discontinue_with_backtrace k e bt

(* A shielded wait does not set [interrupt]. A cancellation during a shielded
   wait sets [cancelled], for the fiber's next wait. *)
let suspended ?(shielded = false) t block k =
  if t.cancelled && not shielded then begin
    t.cancelled <- false;
    resume_with k canceled
  end
  else
    let decided = Atomic.make false and place = Context.here () in
    let resumer result =
      (not (Atomic.exchange decided true))
      && Loop.post t.loop (fun () ->
             t.interrupt <- no_wait;
             Context.at place (fun () -> resume_with k result))
    in
    match block resumer with
    | Some v -> continue k v
    | None when shielded -> ()
    | None ->
        t.interrupt <- (fun () -> resumer canceled);
        (* [block] itself may have cancelled the fiber. *)
        if t.cancelled && t.interrupt () then t.cancelled <- false
    | exception e ->
        (* A breach of the contract; the exception must not be lost. *)
        let bt = Printexc.get_raw_backtrace () in
        if not (Atomic.exchange decided true) then
          discontinue_with_backtrace k e bt

let cancel t =
  if not (t.interrupt ()) then t.cancelled <- true;
  false

let start loop f =
  let t = { loop; id = 0; cancelled = false; interrupt = no_wait } in
  (* The fiber decides its own outcome, even when cancelled: an outcome is
     always under way. *)
  let promise, settle = Arrival.promise ~cancel:(fun () -> cancel t) in
  (* At the end of the loop, a waiting fiber is cancelled, so that no result
     goes to a fiber that will not run any more. *)
  let watch =
    Loop.watch_while_reachable loop t (fun t -> ignore (cancel t : bool))
  in
  let settle outcome =
    Loop.unwatch loop watch;
    settle outcome
  in
  let effc : type b. b Effect.t -> ((b, unit) continuation -> unit) option =
    function
    | Dromos_suspend.Suspend block -> Some (suspended t block)
    | Dromos_suspend.Shielded block -> Some (suspended ~shielded:true t block)
    | Dromos_suspend.Self -> Some (fun k -> continue k (identity t))
    | Inside -> Some (fun k -> continue k true)
    | _ -> None
  in
  (* A binding of the fiber ends with the present piece of the fiber. *)
  Context.within (Context.read ()) (fun () ->
      match_with
        (fun () -> Arrival.outcome f)
        ()
        { retc = settle; exnc = raise; effc });
  promise
