(* [Traced], where every access to an array slot is a step too: for arrays that
   thieves read without synchronization. The model's slots are sequentially
   consistent, real slots are not; the sources argue that the difference does
   not show. *)

include Traced

type nonrec 'a array = 'a Atomic.t array

module Array = struct
  let make n v = Array.init n (fun _ -> Atomic.make v)
  let length = Array.length
  let unsafe_get a i = Atomic.get (Array.get a i)
  let unsafe_set a i v = Atomic.set (Array.get a i) v
end
