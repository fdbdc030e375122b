(* A structure that passes integers from task to task. *)

open Dromos_sync

type t = { put : int -> unit; take : unit -> int }

let channel capacity () =
  let c = Channel.create ~capacity () in
  { put = (fun v -> Channel.send c v); take = (fun () -> Channel.recv c) }

let mvar () =
  let m = Mvar.create () in
  { put = (fun v -> Mvar.put m v); take = (fun () -> Mvar.take m) }

let stream capacity () =
  let s = Stream.create capacity in
  { put = (fun v -> Stream.add s v); take = (fun () -> Stream.take s) }

(* Each message is a promise of a value and of the next promise. *)
type link = { value : int; next : link Promise.t }

let promises () =
  let first = Promise.create () in
  let last = ref first and ahead = ref first in
  let put value =
    let next = Promise.create () in
    Promise.resolve !last { value; next };
    last := next
  in
  let take () =
    let { value; next } = Promise.await !ahead in
    ahead := next;
    value
  in
  { put; take }

let of_locked (q : int Locked.t) = { put = q.put; take = q.take }
let resumers capacity () = of_locked (Locked.resumers capacity)
let conditions capacity () = of_locked (Locked.conditions capacity)

let fibers =
  let sized name make sizes =
    List.map (fun n -> (Printf.sprintf "%s-%d" name n, make n)) sizes
  in
  sized "channel" channel [ 0; 1; 16 ]
  @ [ ("mvar-1", mvar) ]
  @ sized "stream" stream [ 1; 16; 1000 ]
  @ [ ("promises", promises) ]
  @ sized "resumers" resumers [ 1; 16; 1000 ]

let threads =
  List.map
    (fun n -> (Printf.sprintf "conditions-%d" n, conditions n))
    [ 1; 16; 1000 ]
