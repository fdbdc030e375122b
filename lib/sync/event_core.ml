type 'a t =
  | Source : 'a Waiter.source -> 'a t
  | Never : 'a t
  | Choose : 'a t list -> 'a t
  | Wrap : 'b t * ('b -> 'a) -> 'a t
  | Wrap_error : 'a t * (exn -> 'a) -> 'a t
  | Guard : (unit -> 'a t) -> 'a t
  | With_nack : (unit t -> 'a t) -> 'a t
  | On_nack : 'a t * (unit -> unit) -> 'a t

let of_source source = Source source
let choose events = Choose events
let wrap event f = Wrap (event, f)
let wrap_error event f = Wrap_error (event, f)
let guard f = Guard f
let with_nack f = With_nack f
let on_nack event f = On_nack (event, f)
let never = Never

let always v =
  let attempt ~self:_ _ = Waiter.Done (Ok v) in
  Source { attempt; enlist = (fun _ -> ignore); reason = "Event.always" }

(* {1 Nacks and times} *)

(* A source that, once the cell is closed, serves every waiter. The listener
   offers after the closing is visible. A registering select refuses the offer,
   tries again, and sees the value then. *)
let once_source ~reason cell outcome =
  let attempt ~self:_ _ =
    match Once.peek cell with
    | Some v -> Waiter.Done (outcome v)
    | None -> Waiter.Nothing
  in
  let enlist waiter =
    let tell v = ignore (Waiter.offer ~self:Waiter.nobody waiter (outcome v)) in
    let listener = Once.listen cell tell in
    fun () -> Once.leave listener
  in
  { Waiter.attempt; enlist; reason }

let of_once ~reason cell outcome = Source (once_source ~reason cell outcome)

(* The time runs from the beginning of the synchronization. The timer is set
   only if the select has to wait. *)
let timed ~timer seconds =
  if Float.is_nan seconds then invalid_arg "Event.timeout: not a number";
  if seconds <= 0. then always ()
  else
    Guard
      (fun () ->
        let start = Mtime_clock.counter () in
        let span = Dromos_service.Timer.span ~call:"Event.timeout" seconds in
        Dromos_service.Timer.start ();
        let left () =
          let gone = Mtime_clock.count start in
          if Mtime.Span.compare gone span >= 0 then None
          else Some (Mtime.Span.abs_diff span gone)
        in
        let attempt ~self:_ _ =
          match left () with
          | None -> Waiter.Done (Ok ())
          | Some _ -> Waiter.Nothing
        in
        let enlist waiter =
          let ring () =
            ignore (Waiter.offer ~self:Waiter.nobody waiter (Ok ()))
          in
          match left () with None -> ignore | Some span -> timer span ring
        in
        Source { attempt; enlist; reason = "Event.timeout" })

let timeout seconds = timed ~timer:Dromos_service.Timer.after seconds

let within_as ~timer seconds event =
  Choose
    [
      Wrap (event, fun v -> Some v); Wrap (timed ~timer seconds, fun () -> None);
    ]

let within seconds event =
  within_as ~timer:Dromos_service.Timer.after seconds event

(* {1 Synchronizing} *)

(* A [with_nack] covers the branches from [first] to before [last]. *)
type nack = { first : int; last : int; cell : unit Once.t }

type 'c plan = {
  mutable branches : 'c Waiter.branch list; (* last first *)
  mutable count : int;
  mutable nacks : nack list;
}

let nack_chosen plan chosen =
  List.iter
    (fun { first; last; cell } ->
      if chosen < first || chosen >= last then ignore (Once.close cell ()))
    plan.nacks

let nack_all plan = nack_chosen plan (-1)

let rec flatten : type a c. c plan -> a t -> (a Waiter.outcome -> c) -> unit =
 fun plan event finish ->
  match event with
  | Never -> ()
  | Source source ->
      plan.branches <- Waiter.Branch (source, finish) :: plan.branches;
      plan.count <- plan.count + 1
  | Choose events -> List.iter (fun event -> flatten plan event finish) events
  | Wrap (event, f) ->
      flatten plan event (function
        | Error _ as error -> finish error
        | Ok v -> (
            match f v with
            | v -> finish (Ok v)
            | exception e -> finish (Error (e, Printexc.get_raw_backtrace ()))))
  | Wrap_error (event, f) ->
      flatten plan event (function
        | Ok _ as ok -> finish ok
        | Error (e, _) -> (
            match f e with
            | v -> finish (Ok v)
            | exception e -> finish (Error (e, Printexc.get_raw_backtrace ()))))
  | Guard f -> flatten plan (f ()) finish
  | With_nack f ->
      let cell = Once.create () in
      let nack = of_once ~reason:"Event.with_nack" cell (fun () -> Ok ()) in
      covered plan cell (fun () -> flatten plan (f nack) finish)
  | On_nack (event, f) ->
      let cell = Once.create () in
      ignore (Once.listen cell f : unit Once.listener);
      covered plan cell (fun () -> flatten plan event finish)

(* The branches added by [add] belong to [cell]. The cell is registered before
   [add] runs, because [add] may raise; the cell then covers no branch. *)
and covered : 'c. 'c plan -> unit Once.t -> (unit -> unit) -> unit =
 fun plan cell add ->
  let first = plan.count in
  plan.nacks <- { first; last = first; cell } :: plan.nacks;
  add ();
  let cover ({ cell = other; _ } as nack) =
    if other == cell then { nack with last = plan.count } else nack
  in
  plan.nacks <- List.map cover plan.nacks

let plan event =
  let plan = { branches = []; count = 0; nacks = [] } in
  match flatten plan event Waiter.deliver with
  | () -> (plan, Array.of_list (List.rev plan.branches))
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      nack_all plan;
      Printexc.raise_with_backtrace e bt

let sync event =
  Dromos_service.Stack_room.ensure 2;
  match event with
  | Source source -> Waiter.wait source
  | _ -> (
      let plan, branches = plan event in
      match Waiter.choose branches with
      | chosen, result ->
          nack_chosen plan chosen;
          result ()
      | exception e ->
          let bt = Printexc.get_raw_backtrace () in
          nack_all plan;
          Printexc.raise_with_backtrace e bt)

let select events = sync (Choose events)

let poll event =
  Dromos_service.Stack_room.ensure 2;
  let plan, branches = plan event in
  match Waiter.poll branches with
  | Some (chosen, result) ->
      nack_chosen plan chosen;
      Some (result ())
  | None ->
      nack_all plan;
      None

let start event f =
  Dromos_service.Stack_room.ensure 2;
  let plan, branches = plan event in
  let decided (chosen, result) =
    nack_chosen plan chosen;
    Dromos_suspend.Callback.call
      ~what:(fun () -> "The function of Event.start")
      f result
  in
  let cancel = Waiter.start branches decided in
  fun () ->
    let cancelled = cancel () in
    if cancelled then nack_all plan;
    cancelled

(* {1 For structures} *)

exception Timeout

let () =
  Printexc.register_printer (function
    | Timeout -> Some "Dromos.Timeout"
    | _ -> None)

(* A possible operation is tried before the select, even if the time is up: in
   the select it could lose to the timeout. *)
let wait ?timeout:seconds source =
  Dromos_service.Stack_room.ensure 2;
  match seconds with
  | None -> Waiter.wait source
  | Some seconds -> (
      let bounded =
        within_as ~timer:Dromos_service.Timer.limit seconds (Source source)
      in
      match source.attempt ~self:Waiter.nobody None with
      | Done outcome -> Waiter.deliver outcome
      | Enlisted | Nothing -> (
          match sync bounded with Some v -> v | None -> raise Timeout))

let reason operation = function
  | None -> operation
  | Some name -> operation ^ " on " ^ name
