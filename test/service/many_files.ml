(* 1100 files are open before the first timer. Therefore [select] refuses the
   descriptor that wakes the timer's thread. *)

module Timer = Dromos_service.Timer

let open_files n =
  match
    for _ = 1 to n do
      ignore (Unix.openfile "/dev/null" [ O_RDONLY; O_CLOEXEC ] 0)
    done
  with
  | () -> true
  | exception Unix.Unix_error (EMFILE, _, _) -> false

let milliseconds n = Mtime.Span.(n * ms)

(* The greatest delay of some timers, in ms. *)
let late spans =
  let start = Mtime_clock.counter () in
  let over = Atomic.make 0 in
  let worst = Atomic.make 0. in
  List.iter
    (fun n ->
      let (_ : Timer.cancel) =
        Timer.after (milliseconds n) (fun () ->
            let now = Mtime.Span.to_float_ns (Mtime_clock.count start) /. 1e6 in
            let late = now -. float n in
            if late < 0. then failwith "early";
            Atomic.set worst (Float.max late (Atomic.get worst));
            Atomic.incr over)
      in
      ())
    spans;
  while Atomic.get over < List.length spans do
    Unix.sleepf 0.002
  done;
  Atomic.get worst

let () =
  if open_files 1100 then begin
    (* The sooner timers are set later, and must wake the thread. *)
    let worst = late [ 300; 200; 100; 50; 1 ] in
    let cpu = Sys.time () in
    Unix.sleepf 0.3;
    let cpu = Sys.time () -. cpu in
    Printf.printf
      "descriptors over 1024: at most %.1f ms late, %.3f s CPU idle\n" worst cpu;
    if worst > 2000. then failwith "a timer was not woken";
    if cpu > 0.15 then failwith "the timer spins"
  end
  else print_endline "skipped: no more than 1024 open files are allowed here"
