module Dromos_base = struct
  module Queue = struct
    type 'a t = 'a list Atomic.t

    let create () = Atomic.make []

    let rec push t v =
      let old = Atomic.get t in
      if not (Atomic.compare_and_set t old (old @ [ v ])) then push t v

    let rec pop t =
      match Atomic.get t with
      | [] -> None
      | v :: rest as old ->
          if Atomic.compare_and_set t old rest then Some v else pop t

    let is_empty t = match Atomic.get t with [] -> true | _ :: _ -> false
  end
end
