(* Functions that the pool calls and [Dromos_model.Traced] lacks; open this
   module after [Traced]. *)

module Traced = Dromos_model.Traced

module Condition = struct
  include Traced.Condition

  let broadcast c =
    let wake (s : Traced.sleeper) = s.woken <- true in
    List.iter wake (Traced.Atomic.exchange c [])
end

(* A thread that would have to spin until another thread moves gives up, like a
   thread that would have to wait for a mutex: the search also explores the
   execution in which the thread comes later. *)
module Domain = struct
  include Stdlib.Domain

  let cpu_relax () = raise Traced.Would_wait
end
