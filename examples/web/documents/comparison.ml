type each = int -> (int -> unit) -> unit
type progress = { done_ : int Atomic.t; of_ : int Atomic.t }

let progress () = { done_ = Atomic.make 0; of_ = Atomic.make 0 }
let told p = (Atomic.get p.done_, Atomic.get p.of_)
let step p n = ignore (Atomic.fetch_and_add p.done_ n : int)
let total p n = Atomic.set p.of_ n
let pieces = 16

(* The work of row [i] is proportional to [i], so each piece takes every
   sixteenth row. *)
let pairs (each : each) progress ~at_least documents =
  let n = Array.length documents in
  total progress (n * (n - 1) / 2);
  let sets = Array.make n (Similar.shingles "") in
  each n (fun i -> sets.(i) <- Similar.shingles documents.(i).Store.text);
  let found = Array.make n [] in
  let rec rows i =
    if i < n then begin
      found.(i) <- Similar.row sets i ~at_least;
      step progress i;
      rows (i + pieces)
    end
  in
  each pieces rows;
  let id i = documents.(i).Store.id in
  let pair i (j, common) = { Store.a = id j; b = id i; common } in
  List.concat
    (List.mapi (fun i row -> List.map (pair i) row) (Array.to_list found))
