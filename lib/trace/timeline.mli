(** Schedules, drawn: what each core or worker did over time.

    A timeline is plain data. {!to_html} makes one page of it that shows it in
    any browser and needs nothing else, neither a server nor the network;
    {!Perfetto} makes a file for Perfetto and chrome://tracing. Counterexamples
    of policies, simulations and recorded runs are drawn with it.

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
(** A colour of the legend: any CSS colour. Of kinds that have the same name the
    first alone is in the legend. *)

type span = {
  lane : int;
  start : float;
  stop : float;
  kind : int;  (** index in [kinds] *)
  text : string;
  notes : (string * string) list;
}
(** Something that lasts. [notes] are shown when it is pointed at. *)

type mark = { lane : int; at : float; kind : int; text : string }
(** Something that happens. *)

type arrow = {
  from_lane : int;
  leaves : float;
  to_lane : int;
  arrives : float;
  text : string;
}
(** From one lane to another: a migration, a steal, a wake-up. *)

type level = { lane : int; points : (float * int) list }
(** A number that changes, drawn under its lane: how many threads are there. 0
    is drawn as idle, 1 as busy, more as overloaded. Points are in order of
    time; each holds until the next. *)

type step = {
  at : float;
  lane : int option;
  text : string;
  after : (int * string) list;
}
(** What happened, to be walked through with the arrow keys. [after] says how
    lanes stand after it; lanes that are not named stand as before. *)

type sort =
  | Wrong  (** red and hatched *)
  | Cause  (** in a dashed frame, what is drawn there remains to be seen *)

type finding = {
  lane : int;
  start : float;
  stop : float;
  sort : sort;
  text : string;
}
(** What the page is drawn for: it is marked on its lane, with the text where
    there is room, listed beside the lanes in order of time, and the keys n and
    N go from one to the next. *)

type t = {
  title : string;
  facts : (string * string) list;  (** beside the title: parameters, verdict *)
  meanings : (string * string) list;
      (** of names of facts: told when the name is pointed at *)
  unit_name : string;  (** of times: "steps", "ms" *)
  lanes : string array;  (** their names, top to bottom *)
  kinds : kind array;
  spans : span list;
  marks : mark list;
  arrows : arrow list;
  levels : level list;
  steps : step list;
  findings : finding list;
  findings_title : string;  (** what they have in common, above the list *)
}

val empty : title:string -> unit_name:string -> t

val check : t -> (unit, string) result
(** Lanes and kinds exist, times are numbers, spans do not end before they
    begin: the error says which item is wrong. *)

val checked : string -> t -> unit
(** [checked call t] Raises [Invalid_argument] with [call] and what {!check}
    says. *)

val to_html : t -> string
(** Raises [Invalid_argument] with what {!check} says. Only lanes in sight are
    drawn. A page of 160 lanes with 320,000 spans and 32,000 findings is 11 MB,
    takes Chromium some 2 s to open and 130 MB beyond an empty page (measured
    with headless Chromium on two busy cores). The keys are on the page;
    [#step=3] after its address goes to step 3, [#finding=0] to the first
    finding. *)
