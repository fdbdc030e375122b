open Dromos_sync

type t = {
  a : Party.t;
  b : Party.t;
  chance : Random.State.t;
  scale : int;
  deadline : float;
}

exception Wrong of string
exception Hang of string

let wrong format = Printf.ksprintf (fun text -> raise (Wrong text)) format

let ensure ok format =
  Printf.ksprintf (fun text -> if not ok then raise (Wrong text)) format

(* {1 The board: announcements of ended tasks}

   A byte in a pipe for each task. The scenario's thread, which waits for the
   ends with a deadline, thus uses no structure under test. *)

let reader, writer = Unix.pipe ~cloexec:true ()
let () = Unix.set_nonblock reader
let () = Unix.set_nonblock writer
let byte = Bytes.make 1 '.'

(* A full pipe wakes the reader just as well. *)
let announce () =
  match Unix.write writer byte 0 1 with
  | _ -> ()
  | exception Unix.Unix_error ((EAGAIN | EWOULDBLOCK), _, _) -> ()

let sink = Bytes.create 4096

let drain () =
  match Unix.read reader sink 0 (Bytes.length sink) with
  | _ -> ()
  | exception Unix.Unix_error ((EAGAIN | EWOULDBLOCK | EINTR), _, _) -> ()

(* {1 Tasks} *)

type 'a task = {
  label : string;
  party : Party.t;
  deadline : float;
  outcome : ('a, exn) result option Atomic.t;
  stop : unit -> unit;
}

exception Stopped

(* Closed to stop the task. *)
type brake = unit Channel.t

let braked (brake : brake) event =
  Event.guard (fun () ->
      if Channel.is_closed brake then raise Stopped;
      let stop = Event.wrap_error (Channel.recv_event brake) ignore in
      Event.choose [ event; Event.wrap stop (fun () -> raise Stopped) ])

let forms (party : Party.t) brake seed =
  let chance = Random.State.make [| seed |] in
  let form (type a) (op : a Step.op) : a Step.form =
    match (brake, op.direct) with
    | Some brake, _ -> Event (braked brake (op.event ()))
    | None, Some direct when party.direct && Random.State.bool chance ->
        Direct direct
    | None, _ -> Event (op.event ())
  in
  { Step.form }

let launch env (party : Party.t) label brake program =
  let outcome = Atomic.make None in
  let finished result =
    Atomic.set outcome (Some result);
    announce ()
  in
  let forms = forms party brake (Random.State.bits env.chance) in
  let cancel = party.start.start forms program finished in
  let stop =
    match brake with
    | None -> cancel
    | Some brake -> fun () -> Channel.close brake
  in
  let label = Printf.sprintf "%s (%s)" label party.name in
  { label; party; deadline = env.deadline; outcome; stop }

let start env party label program = launch env party label None program

let with_self launch program =
  let self = Party.late (fun stop -> stop ()) in
  let task = launch (program (fun () -> Party.cancel self)) in
  Party.known self task.stop;
  task

let start_cancellable env (party : Party.t) label program =
  let own = party.cancellable && Random.State.int env.chance 4 > 0 in
  let brake = if own then None else Some (Channel.create ~name:"brake" ()) in
  with_self (launch env party label brake) program

let start_cancellable_plain env party label program =
  with_self (launch env party label None) program

let cancel task = task.stop ()
let ended task = Atomic.get task.outcome <> None

let rec join task =
  match Atomic.get task.outcome with
  | Some result -> result
  | None ->
      let left = task.deadline -. Unix.gettimeofday () in
      if left <= 0. then raise (Hang task.label);
      (match Unix.select [ reader ] [] [] left with
      | _ -> drain ()
      | exception Unix.Unix_error (EINTR, _, _) -> ());
      join task

let get task =
  match join task with
  | Ok v -> v
  | Error (Wrong text) -> wrong "%s: %s" task.label text
  | Error e -> wrong "%s raised %s" task.label (Printexc.to_string e)

let cancelled task = function
  | Ok _ -> false
  | Error Stopped -> true
  | Error e when task.party.is_cancelled e -> true
  | Error (Wrong text) -> wrong "%s: %s" task.label text
  | Error e -> wrong "%s raised %s" task.label (Printexc.to_string e)

(* {1 Time} *)

let settle env = Thread.delay (0.0005 +. Random.State.float env.chance 0.001)

let patiently f =
  let rec go = function
    | [] -> f 0.3
    | delay :: longer -> ( try f delay with Wrong _ -> go longer)
  in
  go [ 0.003; 0.03 ]

let queue_up env delay party label program =
  let begun = Atomic.make false in
  let task =
    start env party label
      (Step.Bind (Call (fun () -> Atomic.set begun true), fun () -> program))
  in
  while not (Atomic.get begun) do
    if Unix.gettimeofday () > env.deadline then raise (Hang label);
    Thread.delay 0.0002
  done;
  Thread.delay delay;
  task

let jitter env =
  match Random.State.int env.chance 4 with
  | 0 -> ()
  | 1 -> Thread.yield ()
  | 2 ->
      for _ = 1 to Random.State.int env.chance 2000 do
        Domain.cpu_relax ()
      done
  | _ -> Thread.delay (Random.State.float env.chance 0.0005)

let short env = Random.State.float env.chance 0.001
let rounds env n = n * env.scale

let both_ways env f =
  f env.a env.b;
  if env.a != env.b then f env.b env.a

let either env = if Random.State.bool env.chance then env.a else env.b
