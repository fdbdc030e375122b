(* Kinds of tasks. *)

let times n f =
  for i = 0 to n - 1 do
    f i
  done

type t = { name : string; together : (unit -> unit) list -> unit }
(** [together fs] runs all functions at the same time, each as a task of its
    own, and returns when all are over. *)

let fibers ~hub ~workers =
  let together fs =
    Dromos.run ~workers ~hub (fun () ->
        List.iter Dromos.await (List.map (fun f -> Dromos.async f) fs))
  in
  let name = Printf.sprintf "%s, %d" (Dromos.Hub.name hub) workers in
  { name; together }

let fifo =
  let together fs =
    Dromos_fifo.run (fun () ->
        List.iter (fun f -> ignore (Dromos_fifo.fork f)) fs)
  in
  { name = "Fifo"; together }

(* The failure of any function is the failure of all. *)
let all_joined start join fs =
  let failures = Atomic.make [] in
  let rec note e =
    let seen = Atomic.get failures in
    if not (Atomic.compare_and_set failures seen (e :: seen)) then note e
  in
  let guarded f () = try f () with e -> note e in
  List.iter join (List.map (fun f -> start (guarded f)) fs);
  match Atomic.get failures with [] -> () | e :: _ -> raise e

let threads =
  let start f = Thread.create f () in
  { name = "systhreads"; together = all_joined start Thread.join }

let domains =
  { name = "domains"; together = all_joined Domain.spawn Domain.join }

(* Fibers, a systhread and a domain. *)
let mixed =
  let together fs =
    let kinds = [| fifo; threads; domains |] in
    let part k =
      let mine = List.filteri (fun i _ -> i mod 4 = k) fs in
      fun () -> if mine <> [] then kinds.(k).together mine
    in
    let rest = List.filteri (fun i _ -> i mod 4 = 3) fs in
    let others = List.map part [ 0; 1; 2 ] in
    threads.together
      ((fun () -> (fibers ~hub:Dromos.Hub.std ~workers:2).together rest)
      :: others)
  in
  { name = "mixed"; together }

let all =
  List.concat_map
    (fun hub -> [ fibers ~hub ~workers:1; fibers ~hub ~workers:2 ])
    Dromos.Hub.all
  @ [ fifo; threads; domains; mixed ]

(** A test for every kind. *)
let cases what scenario =
  List.map
    (fun party ->
      Watch.case (what ^ ": " ^ party.name) (fun () -> scenario party.together))
    all

let ensure text ok = if not ok then Alcotest.fail text

(* Not [Alcotest.check], which prints: Format serves one domain at a time. *)
let equal what a b =
  if a <> b then
    Alcotest.fail (Printf.sprintf "%s: %d expected, %d got" what a b)

let ints what a b = Watch.check Alcotest.(list int) what a b
