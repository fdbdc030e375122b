(* What the copies see in place of the real thing: traced atomics, one order of
   the branches of a choice, and a timer that never rings. *)

module Atomic = Dscheck.TracedAtomic

module Domain = struct
  module DLS = struct
    let new_key make = make
    let get make = make ()
  end

  let self () = -1
end

module Dromos_service = struct
  module Timer = struct
    let span ~call:_ _ = Mtime.Span.max_span
    let after _ _ = ignore
    let limit _ _ = ignore
    let start () = ()
  end
end

(* The graph of waits is modelled by itself: test/sync/graph_model. *)
module Wait_graph = struct
  type lock = { reason : string; owner : unit -> int }

  let waiting ?shielded:_ _ (_ : lock) wait = wait ()
end
