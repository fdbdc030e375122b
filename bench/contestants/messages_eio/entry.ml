open Bench_core

let produce s n () =
  for i = 1 to n do
    Eio.Stream.add s i
  done

let consume s n () =
  let sum = ref 0 in
  for _ = 1 to n do
    sum := !sum + Eio.Stream.take s
  done;
  !sum

(* Two fibers of one domain, or two domains with an event loop each. *)
let job capacity ~workers ~n ~cutoff:_ () =
  let s = Eio.Stream.create capacity in
  let sum =
    Eio_posix.run (fun env ->
        let produce =
          if workers = 1 then produce s n
          else fun () ->
            Eio.Domain_manager.run (Eio.Stdenv.domain_mgr env) (produce s n)
        in
        let sum = ref 0 in
        Eio.Fiber.both produce (fun () -> sum := consume s n ());
        !sum)
  in
  fun () -> sum

let contestant capacity =
  let job ~workers = job capacity ~workers in
  {
    Contestant.name = Printf.sprintf "eio-stream-%d" capacity;
    about = "Eio.Stream on eio_posix, one domain or two";
    parallel = true;
    start =
      (fun ~workers ->
        {
          jobs =
            ("fib", fun ~n:_ ~cutoff:_ () () -> 0)
            :: ("messages", job ~workers)
            ::
            (if workers < 2 then [] else [ ("messages_apart", job ~workers) ]);
          probes = [];
          stop = ignore;
        });
  }

let contestants = List.map contestant [ 1; 16; 1000 ]
