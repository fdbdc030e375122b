type t = {
  accepted : int;
  refused : int;
  queued : int;
  running : int;
  finished : int;
  failed : int;
  cancelled : int;
  wait_sum : int;
  wait_max : int;
  run_sum : int;
  run_max : int;
}

type cell = t Atomic.t
type ending = Finished | Failed | Cancelled

let create () =
  Atomic.make_contended
    {
      accepted = 0;
      refused = 0;
      queued = 0;
      running = 0;
      finished = 0;
      failed = 0;
      cancelled = 0;
      wait_sum = 0;
      wait_max = 0;
      run_sum = 0;
      run_max = 0;
    }

let read = Atomic.get

let rec update cell change =
  let old = Atomic.get cell in
  if not (Atomic.compare_and_set cell old (change old)) then update cell change

let refused cell = update cell (fun t -> { t with refused = t.refused + 1 })

let accepted cell =
  update cell (fun t ->
      { t with accepted = t.accepted + 1; queued = t.queued + 1 })

let withdrawn cell =
  update cell (fun t ->
      { t with queued = t.queued - 1; cancelled = t.cancelled + 1 })

let begun cell ~waited =
  update cell (fun t ->
      {
        t with
        queued = t.queued - 1;
        running = t.running + 1;
        wait_sum = t.wait_sum + waited;
        wait_max = Int.max t.wait_max waited;
      })

let count ending t =
  match ending with
  | Finished -> { t with finished = t.finished + 1 }
  | Failed -> { t with failed = t.failed + 1 }
  | Cancelled -> { t with cancelled = t.cancelled + 1 }

let ended cell ~ran ending =
  update cell (fun t ->
      count ending
        {
          t with
          running = t.running - 1;
          run_sum = t.run_sum + ran;
          run_max = Int.max t.run_max ran;
        })
