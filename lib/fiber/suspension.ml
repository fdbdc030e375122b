module Once = Dromos_sync.Author.Once

(* [stage]:

   0  suspended
   1  suspended, and the cancellation listens too
   2  resumed, by the thread that stored 2 *)
type t = { stage : int Atomic.t; mutable listener : exn Once.listener }

let create () = { stage = Atomic.make 0; listener = Once.nobody }

let won t =
  match Atomic.exchange t.stage 2 with
  | 2 -> false
  | 1 ->
      (* The exchange read the 1 that [listen] wrote after writing [listener].
         The plain read of [listener] is thus ordered after the write. *)
      Once.leave t.listener;
      true
  | _ -> true

let listen t node wake =
  t.listener <- Once.listen node wake;
  if t.listener == Once.nobody then Option.iter wake (Once.peek node)
  else if not (Atomic.compare_and_set t.stage 0 1) then Once.leave t.listener
