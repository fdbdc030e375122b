(* Lwt's libev and Open MPI's libevent in one program; Lwt code waits for
   messages. *)

let numbers : int Dromos_mpi.tag = Dromos_mpi.tag 1

let () =
  Dromos_mpi.with_world (fun world ->
      let me = Dromos_mpi.rank world and size = Dromos_mpi.size world in
      let next = (me + 1) mod size and before = (me + size - 1) mod size in
      let got =
        Lwt_main.run
          (Lwt.map fst
             (Lwt.both
                (Dromos_lwt.offload (fun () ->
                     Dromos_mpi.send world numbers ~to_:next me;
                     Dromos_mpi.recv world numbers ~from:before))
                (Lwt_unix.sleep 0.01)))
      in
      if got <> before then failwith "a wrong message";
      Dromos_mpi.barrier world;
      if me = 0 then print_endline "right")
