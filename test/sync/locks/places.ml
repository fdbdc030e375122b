type t = {
  name : string;
  at_once : (unit -> unit) list -> unit;
  pause : unit -> unit;
}

let fail format = Printf.ksprintf failwith format

let equal what expected got =
  if expected <> got then fail "%s: %d expected, %d got" what expected got

let ensure what ok = if not ok then failwith what

let fibers hub =
  {
    name = "fibers, " ^ Dromos.Hub.name hub;
    at_once =
      (fun parties ->
        Dromos.run ~workers:2 ~hub (fun () ->
            Dromos.Scope.run (fun s -> List.iter (Dromos.Scope.fork s) parties)));
    pause = Dromos.yield;
  }

(* The first exception of the parties that ran elsewhere. *)
let collect start join parties =
  let failure = Atomic.make None in
  let guarded party () =
    try party ()
    with e -> ignore (Atomic.compare_and_set failure None (Some e))
  in
  List.iter join (List.map (fun party -> start (guarded party)) parties);
  Option.iter raise (Atomic.get failure)

let in_threads = collect (fun f -> Thread.create f ()) Thread.join
let in_domains = collect Domain.spawn Domain.join
let threads = { name = "threads"; at_once = in_threads; pause = Thread.yield }

let domains =
  { name = "domains"; at_once = in_domains; pause = Domain.cpu_relax }

(* A party in a domain, a party in a thread, and the rest in a run. *)
let mixed =
  let pause () =
    if Dromos.inside () then Dromos.yield () else Thread.yield ()
  in
  let at_once parties =
    match parties with
    | a :: b :: others ->
        let run () =
          Dromos.run ~workers:1 (fun () ->
              Dromos.Scope.run (fun s -> List.iter (Dromos.Scope.fork s) others))
        in
        in_threads [ (fun () -> in_domains [ a ]); b; run ]
    | few -> in_threads few
  in
  { name = "everywhere"; at_once; pause }

let all = List.map fibers Dromos.Hub.all @ [ threads; domains; mixed ]

let each what f =
  List.map
    (fun place -> Watch.case (what ^ ": " ^ place.name) (fun () -> f place))
    all

let contains = Said.contains

let raises_text what parts f =
  match f () with
  | _ -> fail "%s: no exception" what
  | exception Invalid_argument text ->
      let missing part = not (contains text part) in
      List.iter
        (fun part ->
          if missing part then fail "%s: %S has no %S" what text part)
        parts
  | exception e -> fail "%s: %s" what (Printexc.to_string e)

let times_out what f =
  match f () with
  | _ -> fail "%s: no time-out" what
  | exception Dromos_sync.Event.Timeout -> ()
