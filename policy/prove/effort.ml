type spent = Work | Seconds of float

exception Spent of spent

let now () = Int64.to_float (Mtime.to_uint64_ns (Mtime_clock.now ())) /. 1e9

type account = {
  most : int;
  seconds : float;
  until : float; (* a time of [now] *)
  mutable work : int;
  mutable look_at : int; (* the work after which the clock is looked at next *)
}

let most = 4_000_000

(* A unit takes about a microsecond; a few units take much longer. *)
let between_looks = 64
let current = Domain.DLS.new_key (fun () -> None)

let within ?(most = most) ?(seconds = infinity) f =
  let before = Domain.DLS.get current in
  let account =
    { most; seconds; until = now () +. seconds; work = 0; look_at = 0 }
  in
  Domain.DLS.set current (Some account);
  let restore () = Domain.DLS.set current before in
  match Fun.protect ~finally:restore f with
  | x -> Ok x
  | exception Spent why -> Error why

let spend n =
  match Domain.DLS.get current with
  | None -> ()
  | Some a ->
      a.work <- a.work + n;
      if a.work > a.most then raise (Spent Work);
      if a.work >= a.look_at then begin
        a.look_at <- a.work + between_looks;
        if now () >= a.until then raise (Spent (Seconds a.seconds))
      end

let worked () = match Domain.DLS.get current with None -> 0 | Some a -> a.work

let why = function
  | Work -> "the handlers have too many paths to be looked at one by one"
  | Seconds s ->
      Printf.sprintf
        "the limit of %g s was over before all paths of the handlers were \
         looked at"
        s
