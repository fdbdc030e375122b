type ('ctx, 'a) waiters =
  | End
  | Waiter of { run : 'ctx -> 'a -> unit; rest : ('ctx, 'a) waiters }

(* [Unset] lists the newest waiter first. No code assigns the field: the
   field is mutable only to give the block an identity for compare_and_set. *)
type ('ctx, 'a) state =
  | Unset of { mutable waiters : ('ctx, 'a) waiters }
  | Set of { result : 'a }

type ('ctx, 'a) t = ('ctx, 'a) state Atomic.t

let create () : ('ctx, 'a) t = Atomic.make (Unset { waiters = End })

let is_set (t : ('ctx, 'a) t) =
  match Atomic.get t with Unset _ -> false | Set _ -> true

let peek (t : ('ctx, 'a) t) =
  match Atomic.get t with Unset _ -> None | Set s -> Some s.result

let rec wait (t : ('ctx, 'a) t) run =
  match Atomic.get t with
  | Unset u as seen ->
      let next = Unset { waiters = Waiter { run; rest = u.waiters } } in
      if Atomic.compare_and_set t seen next then None else wait t run
  | Set s -> Some s.result

let rec reverse waiters reversed =
  match waiters with
  | End -> reversed
  | Waiter w -> reverse w.rest (Waiter { run = w.run; rest = reversed })

let rec notify waiters ctx result =
  match waiters with
  | End -> ()
  | Waiter w ->
      w.run ctx result;
      notify w.rest ctx result

let rec set ctx (t : ('ctx, 'a) t) result =
  match Atomic.get t with
  | Set _ -> false
  | Unset u as seen ->
      let next = Set { result } in
      if Atomic.compare_and_set t seen next then begin
        notify (reverse u.waiters End) ctx result;
        true
      end
      else set ctx t result
