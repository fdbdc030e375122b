let agrees ~runtime (program : Program.t) =
  let prepared = program.prepare program.tiny in
  let expected = (prepared Forks.sequential) () () in
  let parallel workers =
    Dromos.run ~workers (fun () ->
        let job = prepared Forks.dromos in
        let first = job () () in
        (first, job () ()))
  in
  let right workers =
    let first, second = parallel workers in
    first = expected && second = expected
  in
  let ok = List.for_all right [ 1; 2; 4 ] in
  Printf.printf "%s suite: %s on %s\n%!"
    (if ok then "PASS" else "FAIL")
    program.name runtime;
  ok

let main ~runtime =
  let results = List.map (agrees ~runtime) Programs.all in
  if List.mem false results then exit 1
