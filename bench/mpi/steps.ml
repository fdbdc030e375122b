(* Strong scaling: the same work over more ranks, each with one worker. Prints,
   at rank 0, the seconds of each piece of work. *)

module Par = Dromos_mpi.Par

(* Iterations of equal length. *)
let even world =
  let step i =
    let x = ref (float i) in
    for _ = 1 to 20_000 do
      x := (!x *. 1.000001) +. 1e-9
    done;
    !x
  in
  ignore (Par.map_reduce world ~map:step ~combine:( +. ) 0. ~init:4_000 : float)

(* The last tenth of the indices has nine tenths of the work: one rank's part. *)
let uneven world =
  let n = 4_000 in
  let step i =
    let length = if i < n * 9 / 10 then 2_000 else 162_000 in
    let x = ref (float i) in
    for _ = 1 to length do
      x := (!x *. 1.000001) +. 1e-9
    done;
    !x
  in
  ignore (Par.map_reduce world ~map:step ~combine:( +. ) 0. ~init:n : float)

(* Rows of a picture; every rank has all rows at the end. *)
let rows world =
  let size = 1_000 in
  let row y =
    Array.init size (fun x ->
        let cx = (3. *. float x /. float size) -. 2.
        and cy = (2. *. float y /. float size) -. 1. in
        let rec go n a b =
          if n = 100 || (a *. a) +. (b *. b) > 4. then n
          else go (n + 1) ((a *. a) -. (b *. b) +. cx) ((2. *. a *. b) +. cy)
        in
        go 0 0. 0.)
  in
  ignore (Par.init world size row : int array array)

let () =
  Dromos_mpi.run ~workers:1 (fun world ->
      List.iter
        (fun (name, work) ->
          let times =
            List.init 5 (fun _ ->
                Dromos_mpi.barrier world;
                let began = Unix.gettimeofday () in
                work world;
                Unix.gettimeofday () -. began)
          in
          let median = List.nth (List.sort Float.compare times) 2 in
          if Dromos_mpi.rank world = 0 then
            Printf.printf "%s %.4f\n%!" name median)
        [ ("even", even); ("uneven", uneven); ("rows", rows) ])
