open Bench_plain

type t = { offsets : int array; targets : int array }

let vertices g = Array.length g.offsets - 1
let edges g = Array.length g.targets
let degree g v = g.offsets.(v + 1) - g.offsets.(v)
let neighbour g v k = g.targets.(g.offsets.(v) + k)

(* Builds the graph by counting. [iter add] calls [add v w] for every edge; [of_edges]
   calls [iter] twice, and both calls must give equal edges. *)
let of_edges n iter =
  let offsets = Array.make (n + 1) 0 in
  iter (fun v _ -> offsets.(v + 1) <- offsets.(v + 1) + 1);
  for v = 1 to n do
    offsets.(v) <- offsets.(v) + offsets.(v - 1)
  done;
  let next = Array.sub offsets 0 n in
  let targets = Array.make offsets.(n) 0 in
  iter (fun v w ->
      targets.(next.(v)) <- w;
      next.(v) <- next.(v) + 1);
  { offsets; targets }

let directed n =
  of_edges n (fun add ->
      for e = 0 to (3 * n) - 1 do
        add (e / 3) (Rng.below n e)
      done)

let undirected n =
  of_edges n (fun add ->
      for e = 0 to (4 * n) - 1 do
        let v = e / 4 in
        let r = Rng.hash e in
        let w = if e land 1 = 0 then r mod n else (v + 1 + (r mod 8)) mod n in
        if v <> w then begin
          add v w;
          add w v
        end
      done)
