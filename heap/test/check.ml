let must what b =
  if not b then begin
    Printf.printf "FAIL %s\n%!" what;
    exit 1
  end

let garbage n = ignore (Sys.opaque_identity (List.init n string_of_int))

let repeat n f =
  for _ = 1 to n do
    f ()
  done

let rec await place n =
  if Atomic.get place < n then begin
    Domain.cpu_relax ();
    await place n
  end

let in_all n f =
  let here = Atomic.make 0 in
  let run i () =
    Atomic.incr here;
    await here n;
    f i ()
  in
  let others = List.init (n - 1) (fun i -> Domain.spawn (run (i + 1))) in
  run 0 ();
  List.iter Domain.join others

let case name f =
  f ();
  Printf.printf "PASS heap: %s\n%!" name

let kib figure =
  let status =
    In_channel.with_open_text "/proc/self/status" In_channel.input_all
  in
  let line =
    List.find
      (String.starts_with ~prefix:(figure ^ ":"))
      (String.split_on_char '\n' status)
  in
  Scanf.sscanf line "%_s@: %d" Fun.id
