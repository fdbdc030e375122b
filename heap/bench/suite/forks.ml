module Sequential = struct
  let both f g =
    let a = f () in
    let b = g () in
    (a, b)

  let for_ ?grain:_ lo hi body =
    for i = lo to hi - 1 do
      body i
    done

  let for_chunks ?grain:_ lo hi body = if lo < hi then body lo hi

  let map_reduce ?grain:_ lo hi ~map ~combine ~init:zero =
    let sum = ref zero in
    for i = lo to hi - 1 do
      sum := combine !sum (map i)
    done;
    !sum

  let map_reduce_chunks ?grain:_ lo hi ~map ~combine ~init:zero =
    if lo < hi then combine zero (map lo hi) else zero

  module Array = struct
    let init ?grain:_ n f = Array.init n f
    let map ?grain:_ f a = Array.map f a

    let filter ?grain:_ keep a =
      let kept = Dynarray.create () in
      Array.iter (fun x -> if keep x then Dynarray.add_last kept x) a;
      Dynarray.to_array kept

    let scan ?grain:_ combine zero a =
      let sum = ref zero in
      let before x =
        let left = !sum in
        sum := combine left x;
        left
      in
      let sums = Array.map before a in
      (sums, !sum)
  end
end

module Parallel = struct
  let both = Dromos.both

  include Dromos.Par
end

let sequential : (module Program.Fork) = (module Sequential)
let dromos : (module Program.Fork) = (module Parallel)
