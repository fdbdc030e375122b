(* Events of one domain arrive in order, events of different domains do not. So [t] keeps
   intervals, and [summary] cuts them to the runs at the end. *)

type interval = { from : int64; upto : int64 }

type domain = {
  mutable depth : int;
  mutable since : int64;
  mutable stops : interval list;  (** last first *)
}

type t = {
  domains : (int, domain) Hashtbl.t;
  mutable began : int64 list;
  mutable ended : int64 list;
}

type summary = {
  stops : int;
  longest_ms : float;
  together_s : float;
  runs_s : float;
}

let create () = { domains = Hashtbl.create 16; began = []; ended = [] }

let domain t i =
  match Hashtbl.find_opt t.domains i with
  | Some d -> d
  | None ->
      let d = { depth = 0; since = 0L; stops = [] } in
      Hashtbl.add t.domains i d;
      d

let phase_begins t ~domain:i ~at =
  let d = domain t i in
  if d.depth = 0 then d.since <- at;
  d.depth <- d.depth + 1

let close = 20_000L

let add (d : domain) ({ from; upto } as stop) =
  match d.stops with
  | last :: before when Int64.sub from last.upto < close ->
      d.stops <- { last with upto } :: before
  | stops -> d.stops <- stop :: stops

(* An end without a beginning belongs to a phase that began before the observation. *)
let phase_ends t ~domain:i ~at =
  let d = domain t i in
  if d.depth > 0 then (
    d.depth <- d.depth - 1;
    if d.depth = 0 then add d { from = d.since; upto = at })

let run_begins t ~at = t.began <- at :: t.began
let run_ends t ~at = t.ended <- at :: t.ended

(* Runs do not overlap, so the sorted beginnings and ends form pairs. *)
let runs t =
  let sorted l = List.sort Int64.compare l in
  let rec pair = function
    | from :: began, upto :: ended -> { from; upto } :: pair (began, ended)
    | _ -> []
  in
  pair (sorted t.began, sorted t.ended)

let seconds { from; upto } = 1e-9 *. Int64.to_float (Int64.sub upto from)
let cut a b = { from = Int64.max a.from b.from; upto = Int64.min a.upto b.upto }

let summary t =
  let runs = runs t in
  let inside stop =
    List.filter (fun i -> i.from < i.upto) (List.map (cut stop) runs)
  in
  let of_domain _ (d : domain) all = List.concat_map inside d.stops @ all in
  let lengths = List.map seconds (Hashtbl.fold of_domain t.domains []) in
  {
    stops = List.length lengths;
    longest_ms = 1e3 *. List.fold_left Float.max 0. lengths;
    together_s = List.fold_left ( +. ) 0. lengths;
    runs_s = List.fold_left (fun sum run -> sum +. seconds run) 0. runs;
  }
