open Engine

type t = {
  time : float;
  busy : float;
  idle_beside : float;
  wasted : float;
  wasted_while : float;
  waits : int;
  wait_p50 : float;
  wait_p95 : float;
  wait_p99 : float;
  wait_max : float;
  migrations : int;
  stolen : int;
  switches : int;
  balancings : int;
  fairness : float;
}

(* {1 Waits} *)

let percentile sorted p =
  let n = Array.length sorted in
  if n = 0 then 0. else sorted.(Int.min (n - 1) (int_of_float (p *. float n)))

type walk = {
  woke : float array; (* nan: not waiting since then *)
  on : int array;
  mutable found : float list;
  mutable moved : int;
  mutable began : int;
  mutable taken : int;
  mutable balanced : int;
}

let walk (r : Engine.result) =
  let n = Array.length r.names in
  let w =
    {
      woke = Array.make n nan;
      on = Array.make n (-1);
      found = [];
      moved = 0;
      began = 0;
      taken = 0;
      balanced = 0;
    }
  in
  List.iter
    (function
      | Woke { thread; at } -> w.woke.(thread) <- at
      | Began { thread; core; at } ->
          w.began <- w.began + 1;
          if w.on.(thread) >= 0 && w.on.(thread) <> core then
            w.moved <- w.moved + 1;
          w.on.(thread) <- core;
          if not (Float.is_nan w.woke.(thread)) then begin
            w.found <- (at -. w.woke.(thread)) :: w.found;
            w.woke.(thread) <- nan
          end
      | Stolen _ -> w.taken <- w.taken + 1
      | Balanced _ -> w.balanced <- w.balanced + 1
      | Ran _ | Placed _ | Left _ -> ())
    r.happenings;
  w

(* {1 Fairness} *)

(* What each thread ran of the time for which it could. *)
let shares (r : Engine.result) =
  let n = Array.length r.names in
  let since = Array.make n nan and could = Array.make n 0. in
  List.iter
    (function
      | Woke { thread; at } -> since.(thread) <- at
      | Left { thread; at; _ } ->
          could.(thread) <- could.(thread) +. at -. since.(thread)
      | Ran _ | Began _ | Placed _ | Stolen _ | Balanced _ -> ())
    r.happenings;
  List.filter_map
    (fun i ->
      if could.(i) > 0. then Some (r.computed.(i) /. could.(i)) else None)
    (List.init n Fun.id)

let jain shares =
  let sum f = List.fold_left (fun s x -> s +. f x) 0. shares in
  let squares = sum (fun x -> x *. x) in
  if squares = 0. then 1.
  else (sum Fun.id ** 2.) /. (float (List.length shares) *. squares)

let of_result ~cores (r : Engine.result) =
  let w = walk r in
  let waits = Array.of_list w.found in
  Array.sort Float.compare waits;
  let waste = Occupancy.totals ~cores r in
  {
    time = r.finished;
    busy =
      (if r.finished = 0. then 0.
       else Array.fold_left ( +. ) 0. r.computed /. (r.finished *. float cores));
    idle_beside = waste.idle_beside;
    wasted = waste.usable;
    wasted_while = waste.at_all;
    waits = Array.length waits;
    wait_p50 = percentile waits 0.5;
    wait_p95 = percentile waits 0.95;
    wait_p99 = percentile waits 0.99;
    wait_max = percentile waits 1.;
    migrations = w.moved;
    stolen = w.taken;
    switches = w.began;
    balancings = w.balanced;
    fairness = jain (shares r);
  }

(* {1 For people and tools} *)

let pp_time ppf us =
  if us < 1e3 then Fmt.pf ppf "%.0f us" us
  else if us < 1e6 then Fmt.pf ppf "%.2f ms" (us /. 1e3)
  else Fmt.pf ppf "%.3f s" (us /. 1e6)

let pp ppf t =
  let row name pp v = Fmt.pf ppf "  %-28s %a@." name pp v in
  let percent ppf x = Fmt.pf ppf "%.1f %%" (100. *. x) in
  row "time" pp_time t.time;
  row "cores busy" percent t.busy;
  row "idle while another had two" pp_time t.wasted_while;
  row "core time wasted so" pp_time t.wasted;
  Fmt.pf ppf "  %-28s p50 %a, p95 %a, p99 %a, longest %a (%d)@."
    "from runnable to running" pp_time t.wait_p50 pp_time t.wait_p95 pp_time
    t.wait_p99 pp_time t.wait_max t.waits;
  row "migrations" Fmt.int t.migrations;
  row "threads stolen" Fmt.int t.stolen;
  row "context switches" Fmt.int t.switches;
  row "balancings" Fmt.int t.balancings;
  row "fairness (Jain)" (fun ppf -> Fmt.pf ppf "%.3f") t.fairness

let to_json t =
  `Assoc
    [
      ("time_us", `Float t.time);
      ("busy", `Float t.busy);
      ("idle_beside_core_us", `Float t.idle_beside);
      ("wasted_core_us", `Float t.wasted);
      ("wasted_while_us", `Float t.wasted_while);
      ("waits", `Int t.waits);
      ("wait_p50_us", `Float t.wait_p50);
      ("wait_p95_us", `Float t.wait_p95);
      ("wait_p99_us", `Float t.wait_p99);
      ("wait_max_us", `Float t.wait_max);
      ("migrations", `Int t.migrations);
      ("stolen", `Int t.stolen);
      ("switches", `Int t.switches);
      ("balancings", `Int t.balancings);
      ("fairness", `Float t.fairness);
    ]
