(* [name] and [total] are plain: they are written between phases, when no step
   is under way (the loop that makes the steps starts later, and starting and
   joining it orders the accesses). *)
type t = {
  enabled : bool;
  mutable name : string;
  mutable total : int;
  steps : int Atomic.t;
  drawn : float Atomic.t;  (** when the line was last drawn *)
}

let create ~enabled =
  {
    enabled = enabled && Progress_line.drawn ();
    name = "";
    total = 0;
    steps = Atomic.make 0;
    drawn = Atomic.make 0.;
  }

let name t = t.name
let none = create ~enabled:false
let width = 32

let bar t =
  let steps = min (Atomic.get t.steps) t.total in
  let part = float steps /. float t.total in
  let full = int_of_float (part *. float width) in
  Printf.sprintf "[%s%s] %3d%%" (String.make full '#')
    (String.make (width - full) '.')
    (int_of_float (100. *. part))

let draw t =
  Progress_line.show "%-22s %s" t.name (if t.total > 0 then bar t else "...")

let interval = 0.05

let draw_if_due t =
  let now = Unix.gettimeofday () in
  let drawn = Atomic.get t.drawn in
  if now -. drawn >= interval && Atomic.compare_and_set t.drawn drawn now then
    draw t

let step t n =
  if t.enabled then begin
    ignore (Atomic.fetch_and_add t.steps n : int);
    draw_if_due t
  end

let reached t n =
  if t.enabled then begin
    Atomic.set t.steps n;
    draw_if_due t
  end

let phase t name total =
  t.name <- name;
  if t.enabled then begin
    t.total <- total;
    Atomic.set t.steps 0;
    draw t
  end

let wipe t = if t.enabled then Progress_line.clear ()
