(* memory.exe PROGRAM: runs the program, and prints the resident MiB after a tenth of the
   run, at the end, and at the peak. See memory.sh. *)

let status figure =
  let text =
    In_channel.with_open_text "/proc/self/status" In_channel.input_all
  in
  let line =
    List.find
      (String.starts_with ~prefix:(figure ^ ":"))
      (String.split_on_char '\n' text)
  in
  Scanf.sscanf line "%_s@: %d" (fun kib -> kib / 1024)

let garbage n =
  for i = 1 to n do
    ignore (Sys.opaque_identity (ref i))
  done

let with_domains n f g =
  let ds = List.init n (fun _ -> Domain.spawn f) in
  g ();
  List.iter Domain.join ds

(* Publishes a new list in half a million places, again and again: 30 MB of live data, a
   few words in every four kilobytes of garbage. *)
let scattered tenth =
  let places = 500_000 and n = 2_000_000 in
  let table = Array.init places (fun _ -> Atomic.make []) in
  let over = Atomic.make false in
  let watch () =
    while not (Atomic.get over) do
      ignore (Sys.opaque_identity (Atomic.get table.(0)));
      Unix.sleepf 0.01
    done
  in
  with_domains 1 watch (fun () ->
      for i = 1 to n do
        Atomic.set table.(i * 7919 mod places) [ string_of_int i; "x" ];
        garbage 200;
        if i = n / 10 then tenth ()
      done;
      Atomic.set over true)

module Channel = struct
  type 'a t = { lock : Mutex.t; some : Condition.t; queue : 'a Queue.t }

  let make () =
    {
      lock = Mutex.create ();
      some = Condition.create ();
      queue = Queue.create ();
    }

  let send t x =
    Mutex.protect t.lock (fun () ->
        Queue.push x t.queue;
        Condition.signal t.some)

  let receive t =
    Mutex.protect t.lock (fun () ->
        while Queue.is_empty t.queue do
          Condition.wait t.some t.lock
        done;
        Queue.pop t.queue)
end

type message = {
  id : int;
  text : string;
  parts : (int * string) list;
  reply : string option Atomic.t;
}

(* Sends a million messages to three domains and back, a hundred at a time; each message
   replaces an entry of a shared table. *)
let server tenth =
  let n = 1_000_000 and entries = 5_000 in
  let table = Array.init entries (fun i -> Atomic.make (i, string_of_int i)) in
  let requests = Channel.make () and answers = Channel.make () in
  let rec serve () =
    match Channel.receive requests with
    | None -> ()
    | Some m ->
        let all = String.concat "," (m.text :: List.map snd m.parts) in
        Atomic.set m.reply (Some all);
        Atomic.set table.(m.id * 7919 mod entries) (m.id, m.text);
        garbage 100;
        Channel.send answers m;
        serve ()
  in
  let message id =
    let parts = List.init 5 (fun k -> (k, string_of_int (id + k))) in
    { id; text = string_of_int id; parts; reply = Atomic.make None }
  in
  let answer () =
    let m = Channel.receive answers in
    match Atomic.get m.reply with
    | Some s -> assert (String.starts_with ~prefix:m.text s)
    | None -> assert false
  in
  with_domains 3 serve (fun () ->
      for i = 1 to n do
        Channel.send requests (Some (message i));
        if i > 100 then answer ();
        if i = n / 10 then tenth ()
      done;
      for _ = 1 to 100 do
        answer ()
      done;
      for _ = 1 to 3 do
        Channel.send requests None
      done)

type _ Effect.t += Wait : unit Effect.t

(* A million fibers wait and are dropped. *)
let fibers tenth =
  let n = 1_000_000 in
  let effc : type a.
      a Effect.t -> ((a, unit) Effect.Deep.continuation -> unit) option =
    function
    | Wait -> Some ignore
    | _ -> None
  in
  for i = 1 to n do
    Effect.Deep.try_with (fun () -> Effect.perform Wait) () { effc };
    if i = n / 10 then tenth ()
  done

let () =
  let run =
    match Sys.argv with
    | [| _; "scattered" |] -> scattered
    | [| _; "server" |] -> server
    | [| _; "fibers" |] -> fibers
    | _ ->
        prerr_endline "memory.exe: scattered, server or fibers";
        exit 2
  in
  let after_tenth = ref 0 in
  run (fun () -> after_tenth := status "VmRSS");
  Printf.printf "%d %d %d\n" !after_tenth (status "VmRSS") (status "VmHWM")
