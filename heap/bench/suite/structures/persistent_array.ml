(* A line of versions shares [now], the elements of the newest version. The history of an
   element holds its old values, newest first, each with the last version that has the
   value.

   A read in an older version reads the element first, then its history. A write first
   takes the line to the next version, then writes the history, then the element. So a
   reader of the new element also sees the old value in the history. *)

(* A stack with jumps that finds an ancestor in logarithmic time: E. W. Myers, An
   applicative random-access stack, 1983. *)
type 'a history =
  | Never
  | Until of {
      version : int;
      value : 'a;
      older : 'a history;
      jump : 'a history; (* a much older entry *)
      depth : int;
    }

type 'a line = {
  now : 'a array;
  histories : 'a history array;
  newest : int Atomic.t;
}

type 'a t = { line : 'a line; version : int }

let depth = function Never -> 0 | Until h -> h.depth
let jump = function Never -> Never | Until h -> h.jump

let add version value older =
  let far = jump older in
  let jump =
    if depth older - depth far = depth far - depth (jump far) then jump far
    else older
  in
  Until { version; value; older; jump; depth = depth older + 1 }

(* The oldest entry that is valid for [version]; entries before [best] are too new. *)
let rec find version best history =
  match history with
  | Until h when h.version >= version -> (
      match h.jump with
      | Until j when j.version >= version -> find version best h.jump
      | Until _ | Never -> find version (Some h.value) h.older)
  | Until _ | Never -> best

let of_array now =
  let histories = Array.make (Array.length now) Never in
  { line = { now; histories; newest = Atomic.make 0 }; version = 0 }

let make n x = of_array (Array.make n x)
let init n f = of_array (Array.init n f)
let length t = Array.length t.line.now

let get { line; version } i =
  let x = line.now.(i) in
  if Atomic.get line.newest = version then x
  else Option.value (find version None line.histories.(i)) ~default:x

let set ({ line; version } as t) i x =
  let old = line.now.(i) in
  if
    version < Array.length line.now
    && Atomic.compare_and_set line.newest version (version + 1)
  then begin
    line.histories.(i) <- add version old line.histories.(i);
    line.now.(i) <- x;
    { line; version = version + 1 }
  end
  else begin
    let copy = Array.init (length t) (get t) in
    copy.(i) <- x;
    of_array copy
  end
