(* What the pool uses beyond [Dromos_model.Traced]; to be opened after it. *)

module Traced = Dromos_model.Traced

module Condition = struct
  include Traced.Condition

  let broadcast c =
    let wake (s : Traced.sleeper) = s.woken <- true in
    List.iter wake (Traced.Atomic.exchange c [])
end

(* Whoever would have to spin until another thread moves gives up, like one that
   would have to wait for a mutex: the execution in which it comes later is
   explored too. *)
module Domain = struct
  include Stdlib.Domain

  let cpu_relax () = raise Traced.Would_wait
end
