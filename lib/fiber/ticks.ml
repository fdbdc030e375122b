let clock () = Int64.to_int (Mtime_clock.elapsed_ns ())
let gap = 10_000_000 (* nanoseconds, at least, between two ticks *)
let ticks = Atomic.make_contended 0
let last () = Atomic.get ticks

(* Level 0 of [times] has the times of the last [kept] ticks, level 1 of the
   last [kept] ticks whose number is a multiple of 8, level 2 of 64, and so on:
   enough for 248 days with a tick every 10 ms. *)
let kept = 1024
let levels = 8
let stride level = 1 lsl (3 * level)
let times = Array.init levels (fun _ -> Array.make kept 0)
let slot level tick = (tick lsr (3 * level)) mod kept

let rec note tick now level =
  if level < levels && tick mod stride level = 0 then begin
    times.(level).(slot level tick) <- now;
    note tick now (level + 1)
  end

let tick_at ~gap now =
  let last = last () in
  if now - times.(0).(slot 0 last) >= gap then begin
    note (last + 1) now 0;
    ignore (Atomic.compare_and_set ticks last (last + 1))
  end

let at now = tick_at ~gap now
let tick () = at (clock ())
let now () = tick_at ~gap:1 (clock ())

(* The time since the first later tick whose time is still known. *)
let elapsed_since tick =
  let last = last () in
  let rec known level =
    let stride = stride level in
    let first = ((tick / stride) + 1) * stride in
    if (last - first) / stride < kept - 2 || level = levels - 1 then
      times.(level).(slot level first)
    else known (level + 1)
  in
  if tick >= last then 0 else clock () - known 0
