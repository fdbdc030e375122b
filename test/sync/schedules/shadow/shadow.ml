(* Opened in front of copies of lib/sync: before each access to an atomic,
   another task may continue. *)

type _ Effect.t += Step : unit Effect.t

let active = ref false
let step () = if !active then Effect.perform Step

module Atomic = struct
  type 'a t = 'a Stdlib.Atomic.t

  let make = Stdlib.Atomic.make

  let get t =
    step ();
    Stdlib.Atomic.get t

  let set t v =
    step ();
    Stdlib.Atomic.set t v

  let exchange t v =
    step ();
    Stdlib.Atomic.exchange t v

  let compare_and_set t a b =
    step ();
    Stdlib.Atomic.compare_and_set t a b

  let fetch_and_add t n =
    step ();
    Stdlib.Atomic.fetch_and_add t n

  let incr t = ignore (fetch_and_add t 1 : int)
  let decr t = ignore (fetch_and_add t (-1) : int)
end

(* A task that backs off lets the other tasks take some steps. *)
module Backoff = struct
  let default = 8

  let once n =
    for _ = 1 to n do
      step ()
    done;
    Int.min 1024 (2 * n)
end
