type stage = Watching | Settled | Failed of exn | Abandoned of exn

(* [In_vain] keeps the state at the question: [calm], whether the process was
   calm; [at], the value of [looks]; [elsewhere], the value of
   [seen_everywhere]. *)
type asked = Not_yet | In_vain of { calm : bool; at : int; elsewhere : int }

type t = {
  mutable seen : int; (* tasks of the run at the last look *)
  mutable seen_everywhere : int; (* tasks of all runs at the last look *)
  mutable looks : int;
  mutable calm : int;
  mutable asked : asked; (* the last question since the run moved *)
  mutable patience : int; (* looks before the first question *)
  mutable reported : (int * int) list;
  mutable stage : stage;
}

let create stage =
  {
    seen = -1;
    seen_everywhere = -1;
    looks = 0;
    calm = 0;
    asked = Not_yet;
    patience = 0;
    reported = [];
    stage;
  }

let note t ~tasks ~all ~resting ~calm =
  let still = tasks = t.seen && resting in
  let calm = still && all = t.seen_everywhere && calm () in
  t.seen <- tasks;
  t.seen_everywhere <- all;
  t.looks <- (if still then t.looks + 1 else 0);
  t.calm <- (if calm then t.calm + 1 else 0);
  if not still then t.asked <- Not_yet

let looks t = t.looks
let calm_looks t = t.calm
let has_moved t ~tasks = tasks <> t.seen

let restart t =
  t.looks <- 0;
  t.calm <- 0

let least_patience = 2
let most_patience = 120

let asked t =
  t.patience <- Int.min most_patience (2 * Int.max least_patience t.patience)

let in_vain t ~calm =
  t.asked <- In_vain { calm; at = t.looks; elsewhere = t.seen_everywhere }

let looks_between = 16

let is_due t ~calm:now_calm ~alone =
  match t.asked with
  | Not_yet -> t.looks >= t.patience
  | In_vain { calm; at; elsewhere } ->
      (t.looks >= 2 * at && (now_calm || t.seen_everywhere <> elsewhere))
      || (now_calm && ((not calm) || t.looks mod looks_between = 0) && alone ())

let reported t = t.reported
let report t waits = t.reported <- waits
let stage t = t.stage
let set_stage t stage = t.stage <- stage
