open Lwt.Syntax

type result = {
  offered : float;
  sent : int;
  answered : int;
  wrong : int;
  failed : int;
  unanswered : int;
  throughput : float;
  latencies : float array;
  lag : float;
  opened : int;
}

type state = {
  address : Unix.sockaddr;
  mutable idle : Client.t list;
  mutable all : Client.t list;
  mutable opened : int;
  mutable free : int; (* the number of connections that may still be opened *)
  released : unit Lwt_condition.t;
  mutable over : bool;
  mutable wrong : int;
  mutable failed : int;
  mutable in_time : int; (* right answers during the time of sending *)
  mutable lag : float;
  mutable right : float list; (* latencies *)
  waiting : (int, float) Hashtbl.t; (* intended times of unanswered requests *)
}

(* {1 Connections} *)

let rec connection s =
  match s.idle with
  | c :: rest ->
      s.idle <- rest;
      Lwt.return c
  | [] when s.free > 0 ->
      s.free <- s.free - 1;
      Lwt.catch
        (fun () ->
          let* c = Client.connect s.address in
          s.opened <- s.opened + 1;
          s.all <- c :: s.all;
          Lwt.return c)
        (fun e ->
          s.free <- s.free + 1;
          Lwt_condition.signal s.released ();
          Lwt.reraise e)
  | [] ->
      let* () = Lwt_condition.wait s.released in
      connection s

let release s c =
  s.idle <- c :: s.idle;
  Lwt_condition.signal s.released ()

let discard s c =
  s.all <- List.filter (fun other -> other != c) s.all;
  s.free <- s.free + 1;
  Lwt_condition.signal s.released ();
  Client.close c

(* {1 Requests} *)

let ask s c path =
  Lwt.catch
    (fun () ->
      let* answer = Client.get c path in
      release s c;
      Lwt.return answer)
    (fun e ->
      let* () = discard s c in
      Lwt.reraise e)

let request s ~path ~right ~sending_ends i intended =
  Hashtbl.replace s.waiting i intended;
  let finished () = Hashtbl.remove s.waiting i in
  Lwt.try_bind
    (fun () ->
      let* c = connection s in
      s.lag <- Float.max s.lag (Clock.now () -. intended);
      ask s c path)
    (fun answer ->
      if not s.over then begin
        finished ();
        let now = Clock.now () in
        if right answer then begin
          s.right <- (now -. intended) :: s.right;
          if now <= sending_ends then s.in_time <- s.in_time + 1
        end
        else s.wrong <- s.wrong + 1
      end;
      Lwt.return_unit)
    (fun _ ->
      (* At the end the generator closes the connections of unanswered
         requests. *)
      if not s.over then begin
        finished ();
        s.failed <- s.failed + 1
      end;
      Lwt.return_unit)

(* {1 The loop} *)

(* A sleep may end late; then several requests are due at once. *)
let send s ~path ~right ~rate ~count ~start =
  let sending_ends = start +. (float_of_int count /. rate) in
  let rec go i =
    if i < count then begin
      let intended = start +. (float_of_int i /. rate) in
      let ahead = intended -. Clock.now () in
      if ahead > 0. then
        let* () = Lwt_unix.sleep ahead in
        go i
      else begin
        Lwt.async (fun () -> request s ~path ~right ~sending_ends i intended);
        (* Lets Lwt read answers between two requests. *)
        let* () = Lwt.pause () in
        go (i + 1)
      end
    end
    else Lwt_unix.sleep (Float.max 0. (sending_ends -. Clock.now ()))
  in
  go 0

let rec drain s ~until =
  if Hashtbl.length s.waiting = 0 || Clock.now () >= until then Lwt.return_unit
  else
    let* () = Lwt_unix.sleep 0.002 in
    drain s ~until

let result s ~rate ~count ~ended =
  let unanswered = Hashtbl.fold (fun _ t l -> (ended -. t) :: l) s.waiting [] in
  let latencies = Array.of_list (unanswered @ s.right) in
  Array.sort Float.compare latencies;
  {
    offered = rate;
    sent = count;
    answered = List.length s.right;
    wrong = s.wrong;
    failed = s.failed;
    unanswered = List.length unanswered;
    throughput = float_of_int s.in_time *. rate /. float_of_int count;
    latencies;
    lag = s.lag;
    opened = s.opened;
  }

let run ?(connections = 500) ?(wait = 2.) ?expect ~address ~path ~rate ~seconds
    () =
  if not (rate > 0. && seconds > 0.) then
    invalid_arg "Load.run: the rate and the time must be positive";
  let count = Int.max 1 (int_of_float (Float.round (rate *. seconds))) in
  let s =
    {
      address;
      idle = [];
      all = [];
      opened = 0;
      free = connections;
      released = Lwt_condition.create ();
      over = false;
      wrong = 0;
      failed = 0;
      in_time = 0;
      lag = 0.;
      right = [];
      waiting = Hashtbl.create 64;
    }
  in
  let right (status, body) =
    status = 200 && Option.fold ~none:true ~some:(String.equal body) expect
  in
  let start = Clock.now () in
  let* () = send s ~path ~right ~rate ~count ~start in
  let* () = drain s ~until:(Clock.now () +. wait) in
  let ended = Clock.now () in
  s.over <- true;
  let result = result s ~rate ~count ~ended in
  let* () = Lwt_list.iter_p Client.close s.all in
  Lwt.return result

let precise () = Lwt_engine.set (new Lwt_engine.select)

let percentile sorted p =
  let n = Array.length sorted in
  if n = 0 then nan
  else
    let rank = int_of_float (Float.ceil (p *. float_of_int n)) in
    sorted.(Int.max 0 (Int.min (n - 1) (rank - 1)))

let errors (r : result) = r.wrong + r.failed + r.unanswered
