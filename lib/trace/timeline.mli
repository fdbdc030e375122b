(** Drawings of schedules: the activity of each core or worker over time.

    A timeline is plain data. {!to_html} makes one page, which shows the
    timeline in any browser, without a server or the network; {!Perfetto} makes
    a file for Perfetto and chrome://tracing. Counterexamples of policies,
    simulations and recorded runs are drawn as timelines.

    {[
      let drawn =
        let open Dromos_trace.Timeline in
        let working = { name = "runs"; colour = "#4a7"; means = "a thread" } in
        to_html
          {
            (empty ~title:"two cores" ~unit_name:"ms") with
            lanes = [| "core 0"; "core 1" |];
            kinds = [| working |];
            spans =
              [
                {
                  lane = 0;
                  start = 0.;
                  stop = 3.;
                  kind = 0;
                  text = "t1";
                  notes = [];
                };
                {
                  lane = 1;
                  start = 1.;
                  stop = 2.;
                  kind = 0;
                  text = "t2";
                  notes = [];
                };
              ];
          }
      in
      assert (String.starts_with ~prefix:"<!doctype html>" drawn)
    ]} *)

type kind = { name : string; colour : string; means : string }
(** A kind of spans and marks, with any CSS colour. If several kinds have the
    same name, the legend shows the first. *)

type span = {
  lane : int;
  start : float;
  stop : float;
  kind : int;  (** index in [kinds] *)
  text : string;
  notes : (string * string) list;
}
(** An activity with a beginning and an end. The page shows [notes] when the
    user points at the span. *)

type mark = { lane : int; at : float; kind : int; text : string }
(** An event at one time. *)

type arrow = {
  from_lane : int;
  leaves : float;
  to_lane : int;
  arrives : float;
  text : string;
}
(** A move from one lane to another: a migration, a steal, a wake-up. *)

type level = { lane : int; points : (float * int) list }
(** The number of threads of a lane over time, drawn under the lane: 0 as idle,
    1 as busy, more as overloaded. Points are in order of time; each holds until
    the next. *)

type step = {
  at : float;
  lane : int option;
  text : string;
  after : (int * string) list;
}
(** An event that the user reaches with the arrow keys. [after] has the states
    of lanes after the event; lanes that are not named keep their states. *)

type sort =
  | Wrong  (** red and hatched *)
  | Cause  (** in a dashed frame, so that the drawing inside stays visible *)

type finding = {
  lane : int;
  start : float;
  stop : float;
  sort : sort;
  text : string;
}
(** A result that the page should show. A finding is marked on its lane, with
    the text where there is room. A list beside the lanes has all findings in
    order of time, and the keys n and N go to the next and the previous finding.
*)

type t = {
  title : string;
  facts : (string * string) list;  (** beside the title: parameters, verdict *)
  meanings : (string * string) list;
      (** the meaning of a fact's name, shown when the user points at the name
      *)
  unit_name : string;  (** the unit of times: "steps", "ms" *)
  lanes : string array;  (** names of lanes, top to bottom *)
  kinds : kind array;
  spans : span list;
  marks : mark list;
  arrows : arrow list;
  levels : level list;
  steps : step list;
  findings : finding list;
  findings_title : string;  (** the heading of the list of findings *)
}

val empty : title:string -> unit_name:string -> t

val check : t -> (unit, string) result
(** Lanes and kinds exist, times are numbers, spans do not end before they
    begin: the error names the wrong item. *)

val checked : string -> t -> unit
(** [checked call t] raises [Invalid_argument], with [call] and the error of
    {!check}, if there is an error. *)

val to_html : t -> string
(** Makes a page. Raises [Invalid_argument] with the error of {!check}, if there
    is an error. The page draws only the lanes in sight. A page of 160 lanes
    with 320,000 spans and 32,000 findings is 11 MB, takes Chromium some 2 s to
    open and 130 MB beyond an empty page (measured with headless Chromium on two
    busy cores). The keys are on the page; [#step=3] after its address goes to
    step 3, [#finding=0] to the first finding. *)
