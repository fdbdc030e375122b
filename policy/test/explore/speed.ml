open Dromos_policy_explore
module Builder = Policy_builder

let () =
  let p = Builder.policy Builder.ule in
  List.iter
    (fun (cores, threads, events) ->
      List.iter
        (fun pr ->
          let b = { Bounds.cores; threads; events; varied = false } in
          let i = Instance.make p pr b in
          let r = Search.run ~until:(Unix.gettimeofday () +. 20.) i in
          Format.printf "%s %s: %s %d states %.2f s %.0f/s; state %d words@."
            (Promise.name pr) (Bounds.show b)
            (match r.outcome with
            | Holds -> "holds"
            | Violated _ -> "violated"
            | _ -> "out")
            r.states r.seconds
            (float r.states /. r.seconds)
            (Array.length (Dromos_policy_semantics.Machine.initial i.machine)))
        [ Promise.Gcwc; Promise.Lcwc Unblock ])
    [
      (2, 3, 0); (2, 3, 1); (3, 4, 0); (3, 4, 1); (3, 4, 2); (4, 5, 0); (4, 5, 1);
    ]
