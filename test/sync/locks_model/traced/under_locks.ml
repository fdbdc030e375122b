(* The copies see this module in place of the real ones: traced atomics, a fixed
   order of the branches of a choice, and a timer that never ends. *)

module Atomic = Dscheck.TracedAtomic

module Domain = struct
  module DLS = struct
    let new_key make = make
    let get make = make ()
  end

  let self () = -1
end

module Dromos_service = struct
  module Stack_room = struct
    let ensure _ = ()
  end

  module Timer = struct
    let span ~call:_ _ = Mtime.Span.max_span
    let after _ _ = ignore
    let limit _ _ = ignore
    let start () = ()
  end
end

(* The graph of waits has a model of its own: test/sync/graph_model. *)
module Wait_graph = struct
  type lock = { reason : string; owner : unit -> int }

  let waiting ?shielded:_ _ (_ : lock) wait = wait ()
end
