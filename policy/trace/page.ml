open Dromos_trace
module Simulate = Dromos_policy_simulate

type made = { html : unit -> string; perfetto : unit -> string }

(* The colours are neither red, which marks faults, nor grey. Kinds with the
   same name are one line of the legend. *)
let colours =
  [|
    "#3b82c4";
    "#3f9e6e";
    "#8a63b8";
    "#b8862d";
    "#2f9aa0";
    "#6b7fd7";
    "#7d9a3c";
    "#a0679c";
    "#4f8f8a";
    "#9a7651";
    "#5479a8";
    "#619b46";
  |]

let kinds =
  Array.append
    (Array.map
       (fun colour ->
         {
           Timeline.name = "runs";
           colour;
           means = "a thread runs, each in one of some colours";
         })
       colours)
    [|
      {
        Timeline.name = Schedule.not_known;
        colour = "#9a9a9a";
        means = "not known: no event says what runs, or the event was lost";
      };
    |]

let facts (t : Figures.t) =
  let time us = Fmt.str "%a" Simulate.Summary.pp_time us in
  let share us = 100. *. us /. Float.max 1. (t.time *. float t.cores) in
  let waits (w : Figures.times) =
    Printf.sprintf "p50 %s, p99 %s, longest %s" (time w.p50) (time w.p99)
      (time w.longest)
  in
  let if_any n what = if n = 0 then [] else [ (what, string_of_int n) ] in
  [
    ("time", time t.time);
    ("cores busy", Printf.sprintf "%.1f %%" (100. *. t.busy));
    ("idle while another had two", time t.wasted_while);
    ( "core time idle so",
      Printf.sprintf "%s (%.2f %% of all)" (time t.idle_beside)
        (share t.idle_beside) );
    ("from waking to running", waits t.woken);
    ("from preemption to running", waits t.preempted);
    ("migrations", string_of_int t.migrations);
    ("affinity", "not known");
  ]
  @ (if t.not_known = 0. then []
     else [ ("core time not known", time t.not_known) ])
  @ if_any t.lost "events lost"
  @ if_any t.faulty "lines not understood"

let timeline ~name figures (s : Schedule.t) =
  let kind (run : Simulate.Occupancy.run) =
    if run.thread >= s.threads then Array.length colours
    else run.thread mod Array.length colours
  in
  Simulate.Drawing.drawn ~begins:s.begins ~title:name ~facts:(facts figures)
    ~kinds ~kind ~taken:"is moved" ~cores:s.cores s.result

let of_schedule ~name figures s =
  let timeline = lazy (timeline ~name figures s) in
  {
    html = (fun () -> Timeline.to_html (Lazy.force timeline));
    perfetto =
      (fun () -> Perfetto.of_timeline ~microseconds:1000. (Lazy.force timeline));
  }

let of_trace ?from ?until ~name trace =
  let s = Schedule.of_trace ?from ?until trace in
  of_schedule ~name (Summary.of_schedule trace s) s
