(* Random schedules, written in the forms of recorders and read again. *)

open Dromos_policy_trace

let odd_comms =
  [|
    "plain";
    "a b  c";
    "";
    "x=1 pid=3";
    "[003] 1.5: x: y";
    " ==> next_comm=";
    " prev_pid=7";
    "-12";
    "a:1 [120] ";
    "(9) [1]";
  |]

(* libtraceevent's form cannot tell all of these apart. *)
let plain_comms = Array.init 10 (Printf.sprintf "kworker/%d:1-x y")

let close what expected found =
  if Float.abs (expected -. found) > 1e-3 then
    QCheck.Test.fail_reportf "%s: %f, not %f" what found expected

let same what expected found =
  if expected <> found then
    QCheck.Test.fail_reportf "%s: %d, not %d" what found expected

let times what expected (found : Figures.times) =
  let sorted = Array.of_list (List.sort Float.compare expected) in
  let n = Array.length sorted in
  let at p =
    if n = 0 then 0. else sorted.(Int.min (n - 1) (truncate (p *. float n)))
  in
  same what n found.count;
  close (what ^ " p50") (at 0.5) found.p50;
  close (what ^ " p90") (at 0.9) found.p90;
  close (what ^ " p99") (at 0.99) found.p99;
  close (what ^ " longest") (at 1.) found.longest

let agrees name_of (r : Reference.sums) ~cores (f : Figures.t) =
  let sum = Array.fold_left ( +. ) 0. in
  close "time" r.time f.time;
  close "not known" 0. f.not_known;
  same "missing" 0 f.missing;
  close "idle beside" r.idle_beside f.idle_beside;
  close "wasted" r.wasted f.wasted;
  close "wasted while" r.wasted_while f.wasted_while;
  if r.time > 0. then close "busy" (sum r.ran /. (r.time *. float cores)) f.busy;
  times "woken" r.woken f.woken;
  times "preempted" r.preempted f.preempted;
  same "still waiting" (List.length r.unfinished) f.still_waiting;
  same "migrations" r.migrations f.migrations;
  same "moved" r.moved f.moved;
  same "switches" r.switches f.switches;
  Option.iter
    (fun (w : Dromos_policy_simulate.Figures.wait) ->
      close "longest wait"
        (List.fold_left Float.max 0. (r.woken @ r.preempted @ r.unfinished))
        w.lasted)
    f.longest;
  let shares = ref [] in
  Array.iteri
    (fun i could ->
      if could > 0. then shares := (r.ran.(i) /. could) :: !shares;
      let name = name_of i in
      match
        List.find_opt (fun (u : Figures.used) -> u.thread = name) f.used
      with
      | None -> if could > 0. then QCheck.Test.fail_reportf "no %s" name
      | Some u ->
          close (name ^ " ran") r.ran.(i) u.ran;
          close (name ^ " could") could u.could)
    r.could;
  let total g = List.fold_left (fun s x -> s +. g x) 0. !shares in
  let squares = total (fun x -> x *. x) in
  if squares > 0. then
    close "fairness"
      ((total Fun.id ** 2.) /. (float (List.length !shares) *. squares))
      f.fairness

let trace text =
  match Read.text text with
  | Ok trace when trace.faulty = 0 -> trace
  | Ok trace ->
      let { Trace.line; text } = List.hd trace.faults in
      QCheck.Test.fail_reportf "line %d: %s" line text
  | Error why -> QCheck.Test.fail_report why

let written form comms (r : Reference.t) =
  let names pid = if pid = 0 then "swapper" else comms.(pid - 100) in
  match form with
  | `Data -> Written.perf_data ~cpus:r.cores r.events
  | `Text form -> Written.text form ~names r.events

(* A thread without an event is named only in events of others, among blanks,
   and in perf.data nowhere. *)
let name_of form comms (r : Reference.t) i =
  let is_about (e : Trace.event) =
    let is (t : Trace.task) = t.pid = 100 + i in
    match e.what with
    | Switch { prev; next; _ } -> is prev || is next
    | Wakeup { task; _ } | Waking { task; _ } | Migrate { task; _ } -> is task
    | Fork task | Exit task -> is task
    | Lost _ -> false
  in
  let name =
    if List.exists is_about r.events then comms.(i)
    else match form with `Data -> "" | `Text _ -> String.trim comms.(i)
  in
  Printf.sprintf "%s[%d]" name (100 + i)

let is_wakeup (e : Trace.event) =
  match e.what with Wakeup _ -> true | _ -> false

let whole_and_part form comms (seed, cores, threads, steps) =
  let r = Reference.make ~comms ~seed ~cores ~threads ~steps in
  QCheck.assume (List.exists is_wakeup r.events);
  let trace = trace (written form comms r) in
  if Array.to_list trace.events <> r.events then
    QCheck.Test.fail_report "other events are read";
  let last = (List.nth r.moments (List.length r.moments - 1)).at / 1000 in
  let agree from until =
    agrees (name_of form comms r)
      (Reference.sums ~from ~until r)
      ~cores:r.cores
      (Summary.of_trace ~from ~until trace)
  in
  agree 0. (float last);
  if last > 4 then begin
    let random = Random.State.make [| seed; 1 |] in
    let time () = float (Random.State.int random last) +. 0.5 in
    let a = time () and b = time () in
    let b = Float.min (float last) b in
    agree (Float.min a b) (Float.max a b)
  end;
  true

let test name form comms =
  let arbitrary =
    QCheck.(
      make
        ~print:(fun (s, c, t, n) ->
          Printf.sprintf "seed %d, %d cores, %d threads, %d steps" s c t n)
        Gen.(
          quad (int_bound 1_000_000) (int_range 1 4) (int_range 1 10)
            (int_range 1 120)))
  in
  QCheck_alcotest.to_alcotest
    (QCheck.Test.make ~name ~count:200 arbitrary (whole_and_part form comms))

let cases =
  [
    ( "random schedules",
      [
        test "ftrace" (`Text Written.Ftrace) odd_comms;
        test "trace-cmd report" (`Text Written.Brief) plain_comms;
        test "perf script" (`Text Written.Script) odd_comms;
        test "perf.data" `Data odd_comms;
      ] );
  ]
