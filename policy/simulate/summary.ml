open Engine
open Figures

(* {1 Waits} *)

let percentile sorted p =
  let n = Array.length sorted in
  if n = 0 then 0. else sorted.(Int.min (n - 1) (int_of_float (p *. float n)))

type walk = {
  ready : float array;
      (* the time at which the thread became ready; nan: not ready *)
  woken : bool array; (* the thread became ready by a wake-up, or is new *)
  on : int array;
  mutable found : wait list;
  mutable moved : int;
  mutable began : int;
  mutable taken : int;
  mutable balanced : int;
}

let becomes_ready w thread at ~woken =
  w.ready.(thread) <- at;
  w.woken.(thread) <- woken

(* A thread that is chosen again at once has not waited. *)
let ready_until w names thread at ~runs ~over =
  let since = w.ready.(thread) in
  if not (Float.is_nan since) then begin
    let lasted = at -. since in
    if w.woken.(thread) || lasted > 0. then
      w.found <-
        {
          thread = names.(thread);
          since;
          lasted;
          over;
          woken = w.woken.(thread);
          ran = runs;
        }
        :: w.found;
    w.ready.(thread) <- nan
  end

let begins w names thread core at =
  w.began <- w.began + 1;
  if w.on.(thread) >= 0 && w.on.(thread) <> core then w.moved <- w.moved + 1;
  w.on.(thread) <- core;
  ready_until w names thread at ~runs:true ~over:true

let walk (r : Engine.result) =
  let n = Array.length r.names in
  let w =
    {
      ready = Array.make n nan;
      woken = Array.make n false;
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
      | Woke { thread; at } -> becomes_ready w thread at ~woken:true
      | Requeued { thread; at; _ } -> becomes_ready w thread at ~woken:false
      | Began { thread; core; at } -> begins w r.names thread core at
      | Left { thread; at; _ } ->
          ready_until w r.names thread at ~runs:false ~over:true
      | Stolen _ -> w.taken <- w.taken + 1
      | Balanced _ -> w.balanced <- w.balanced + 1
      | Ran { thread; core; _ } -> w.on.(thread) <- core
      | Placed _ -> ())
    r.happenings;
  Array.iteri
    (fun thread _ ->
      ready_until w r.names thread r.finished ~runs:false ~over:false)
    r.names;
  w

let waits r = (walk r).found

(* The first of the longest waits. *)
let longest waits =
  List.fold_left
    (fun best wait ->
      match best with
      | Some best when best.lasted > wait.lasted -> Some best
      | Some _ | None -> Some wait)
    None waits

(* {1 Fairness} *)

(* The time for which each thread was runnable: from a wake-up, or from a
   placement without a wake-up before, until the thread sleeps or ends. *)
let runnable (r : Engine.result) =
  let n = Array.length r.names in
  let since = Array.make n nan and could = Array.make n 0. in
  let until thread at =
    if not (Float.is_nan since.(thread)) then
      could.(thread) <- could.(thread) +. at -. since.(thread);
    since.(thread) <- nan
  in
  List.iter
    (function
      | (Woke { thread; at } | Placed { thread; at; _ })
        when Float.is_nan since.(thread) ->
          since.(thread) <- at
      | Left { thread; at; _ } -> until thread at
      | Ran _ | Woke _ | Requeued _ | Began _ | Placed _ | Stolen _ | Balanced _
        ->
          ())
    r.happenings;
  Array.iteri (fun thread _ -> until thread r.finished) since;
  could

(* Each thread's share of its runnable time. *)
let shares computed could =
  List.filter_map
    (fun i -> if could.(i) > 0. then Some (computed.(i) /. could.(i)) else None)
    (List.init (Array.length could) Fun.id)

let fairness computed could =
  let shares = shares computed could in
  let sum f = List.fold_left (fun s x -> s +. f x) 0. shares in
  let squares = sum (fun x -> x *. x) in
  if squares = 0. then 1.
  else (sum Fun.id ** 2.) /. (float (List.length shares) *. squares)

let sorted waits =
  let times = Array.of_list (List.map (fun wait -> wait.lasted) waits) in
  Array.stable_sort Float.compare times;
  times

let of_result ~cores (r : Engine.result) =
  let w = walk r in
  let waste = Occupancy.totals ~cores r in
  let waits = sorted w.found
  and wakes =
    sorted (List.filter (fun (wait : wait) -> wait.woken && wait.ran) w.found)
  in
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
    longest = longest w.found;
    still_waiting =
      List.length (List.filter (fun wait -> not wait.over) w.found);
    wake_p50 = percentile wakes 0.5;
    wake_p95 = percentile wakes 0.95;
    wake_p99 = percentile wakes 0.99;
    wake_max = percentile wakes 1.;
    migrations = w.moved;
    stolen = w.taken;
    switches = w.began;
    balancings = w.balanced;
    fairness = fairness r.computed (runnable r);
  }

(* {1 For people and tools} *)

let pp_time ppf us =
  if us < 1e3 then Fmt.pf ppf "%.0f us" us
  else if us < 1e6 then Fmt.pf ppf "%.2f ms" (us /. 1e3)
  else Fmt.pf ppf "%.3f s" (us /. 1e6)

let longest_wait t =
  match t.longest with
  | None -> "none"
  | Some w ->
      Fmt.str "%a, of %s from %a on%s" pp_time w.lasted w.thread pp_time w.since
        (if w.over then "" else ", and it still waits at the end")

let pp ppf t =
  let row name pp v = Fmt.pf ppf "  %-28s %a@." name pp v in
  let percent ppf x = Fmt.pf ppf "%.1f %%" (100. *. x) in
  let times name p50 p95 p99 most count =
    Fmt.pf ppf "  %-28s p50 %a, p95 %a, p99 %a, longest %a%s@." name pp_time p50
      pp_time p95 pp_time p99 pp_time most count
  in
  row "time" pp_time t.time;
  row "cores busy" percent t.busy;
  row "idle while another had two" pp_time t.wasted_while;
  row "core time wasted so" pp_time t.wasted;
  times "from waking to running" t.wake_p50 t.wake_p95 t.wake_p99 t.wake_max "";
  times "every wait of ready threads" t.wait_p50 t.wait_p95 t.wait_p99
    t.wait_max
    (Printf.sprintf " (%d)" t.waits);
  row "longest wait" Fmt.string (longest_wait t);
  if t.still_waiting > 0 then row "waiting at the end" Fmt.int t.still_waiting;
  row "migrations" Fmt.int t.migrations;
  row "threads stolen" Fmt.int t.stolen;
  row "context switches" Fmt.int t.switches;
  row "balancings" Fmt.int t.balancings;
  row "fairness (Jain)" (fun ppf -> Fmt.pf ppf "%.3f") t.fairness

let json_of_wait w =
  `Assoc
    [
      ("thread", `String w.thread);
      ("since_us", `Float w.since);
      ("lasted_us", `Float w.lasted);
      ("over", `Bool w.over);
    ]

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
      ("longest_wait", Option.fold ~none:`Null ~some:json_of_wait t.longest);
      ("still_waiting", `Int t.still_waiting);
      ("wake_p50_us", `Float t.wake_p50);
      ("wake_p95_us", `Float t.wake_p95);
      ("wake_p99_us", `Float t.wake_p99);
      ("wake_max_us", `Float t.wake_max);
      ("migrations", `Int t.migrations);
      ("stolen", `Int t.stolen);
      ("switches", `Int t.switches);
      ("balancings", `Int t.balancings);
      ("fairness", `Float t.fairness);
    ]
