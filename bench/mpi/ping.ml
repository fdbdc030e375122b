(* The ping-pong of ping.c, by fibers, on bigarrays. *)

module Data = Dromos_mpi.Data

let median times =
  let times = Array.copy times in
  Array.sort Float.compare times;
  times.(Array.length times / 2)

let one_way world size =
  let each = if size > 1_000_000 then 10 else 1000 in
  let buffer = Bigarray.(Array1.create char c_layout size) in
  let round _ =
    Dromos_mpi.barrier world;
    let began = Unix.gettimeofday () in
    for _ = 1 to each do
      match Dromos_mpi.rank world with
      | 0 ->
          Data.send world ~tag:1 ~to_:1 buffer;
          ignore (Data.recv world ~from:1 ~tag:1 buffer : int * int)
      | 1 ->
          ignore (Data.recv world ~from:0 ~tag:1 buffer : int * int);
          Data.send world ~tag:1 ~to_:0 buffer
      | _ -> ()
    done;
    (Unix.gettimeofday () -. began) /. float (2 * each)
  in
  median (Array.init 21 round)

let () =
  Dromos_mpi.run ~workers:1 (fun world ->
      List.iter
        (fun size ->
          let time = one_way world size in
          if Dromos_mpi.rank world = 0 then
            Printf.printf "%d %.9f\n%!" size time)
        [ 8; 1024; 65536; 1048576; 67108864 ])
