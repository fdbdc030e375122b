module Signals = Dromos_service.Signals

type failure = exn * Printexc.raw_backtrace

let most = 100
let most_entries = 1000

type kept = {
  failure : failure;
  shown : bool; (* when the exception is printed *)
}

(* Newest first. The table compares by identity: an exception's contents may
   change, so a hash of the contents would lose the exception. *)
type entry = {
  alive : exn Weak.t; (* tells whether the program still has the exception *)
  failures : (exn, kept list) Ephemeron.K1.t;
}

let lock = Mutex.create ()
let entries : entry list ref = ref []

(* Set by the first [attach]. A program without suppressed failures prints its
   exceptions without the lock. *)
let used = ref false

(* An exception without arguments is represented by its constructor. *)
let is_constant e = Obj.tag (Obj.repr e) = Obj.object_tag

(* {1 Control exceptions} *)

let controls = Atomic.make []

let rec not_a_failure is_control =
  let all = Atomic.get controls in
  if not (Atomic.compare_and_set controls all (is_control :: all)) then
    not_a_failure is_control

let is_failure e =
  not
    (Dromos_suspend.is_cancellation e
    || List.exists (fun is_control -> is_control e) (Atomic.get controls))

(* {1 The table} *)

let known e =
  List.find_map (fun entry -> Ephemeron.K1.query entry.failures e) !entries
  |> Option.value ~default:[]

let kept e =
  if !used && not (is_constant e) then Signals.protect lock (fun () -> known e)
  else []

let of_exn e = List.map (fun { failure; _ } -> failure) (kept e)

(* Adds each new failure to the known failures once. The same failure comes
   several times if several tasks awaited the failed task and raised the failure
   again. *)
let distinct e known failures =
  let add all ({ failure = e', _; _ } as kept) =
    if e' == e || List.exists (fun k -> fst k.failure == e') all then all
    else kept :: all
  in
  List.rev (List.fold_left add (List.rev known) failures)

let first n = List.filteri (fun i _ -> i < n)

(* The other entries; entries whose exception was collected are dropped. *)
let others e =
  let lives { alive; failures } =
    Weak.check alive 0 && Option.is_none (Ephemeron.K1.query failures e)
  in
  List.filter lives !entries

let add e failures =
  let all = first most (distinct e (known e) (first most failures)) in
  let alive = Weak.create 1 in
  Weak.set alive 0 (Some e);
  let entry = { alive; failures = Ephemeron.K1.make e all } in
  entries := entry :: first (most_entries - 1) (others e)

(* {1 Messages} *)

let shown = 3

(* Set while the exception itself is printed, by the program's other printers. *)
let printing = Domain.DLS.new_key (fun () -> false)

let alone e =
  Domain.DLS.set printing true;
  Fun.protect
    (fun () -> Printexc.to_string e)
    ~finally:(fun () -> Domain.DLS.set printing false)

let print e failures =
  let others = first shown failures in
  let rest = List.length failures - List.length others in
  String.concat ""
    [
      alone e;
      " (then also failed: ";
      String.concat "; " (List.map (fun (e, _) -> alone e) others);
      (if rest > 0 then Printf.sprintf "; and %d more" rest else "");
      ")";
    ]

(* The printer that was registered last runs first; the program has registered
   its own printers before the first failure. *)
let first_use () =
  used := true;
  Printexc.register_printer (fun e ->
      if Domain.DLS.get printing then None
      else
        match List.filter (fun { shown; _ } -> shown) (kept e) with
        | [] -> None
        | kept -> Some (print e (List.map (fun k -> k.failure) kept)))

(* {1 Attaching} *)

let attach ?(shown = true) e failures =
  match List.filter (fun (e', _) -> e' != e && is_failure e') failures with
  | [] -> []
  | failures when is_constant e -> failures
  | failures ->
      let kept = List.map (fun failure -> { failure; shown }) failures in
      Signals.protect lock (fun () ->
          if not !used then first_use ();
          add e kept);
      []

let follow ~what e failure =
  List.iter
    (fun (e, bt) -> Dromos_service.Message.failure ~what e bt)
    (attach e [ failure ])
