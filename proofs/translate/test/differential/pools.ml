(* Scenarios of whole pools, from start to close. [hub] names the pool's hub. *)

open Dromos_interpreter
open Setup
open Scenarios

let pool m ~workers ~hub f =
  let idle = Machine.call m "test_ref" [ int 0 ] in
  let make = native (fun n -> Machine.call m ("hub_" ^ hub ^ "_make") [ n ]) in
  let on_idle = native (fun _ -> unit) in
  let pool =
    Machine.call m "pool_pool_create" [ make; idle; on_idle; int workers ]
  in
  ignore (Machine.call m "pool_pool_start" [ pool ]);
  let result = f pool in
  let closed = Machine.call m "pool_pool_close" [ pool ] in
  if not (to_bool closed) then raise (Violated "close returns true");
  result

let run_in_pool m pool task =
  match Machine.call m "pool_pool_run" [ pool; native task ] with
  | Inj_r v -> v
  | _ -> raise (Violated "run returns a result")

(* An OCaml function of three arguments: the body of a loop. *)
let native3 f = native (fun a -> native2 (f a))

let for_ ~workers hub m =
  let n = 12 in
  let hits = Array.make n 0 in
  let body =
    native3 (fun _ lo hi ->
        for i = to_int lo to to_int hi - 1 do
          hits.(i) <- hits.(i) + 1
        done;
        unit)
  in
  let chunk = Value.some (int 1) in
  let task ctx =
    Machine.call m "pool_algo_for_" [ ctx; int 0; int n; chunk; body ]
  in
  let main () =
    pool m ~workers ~hub (fun pool -> ignore (run_in_pool m pool task))
  in
  let check () =
    require "every index once" (Array.for_all (fun hits -> hits = 1) hits)
  in
  ([ main ], check)

let fold ~workers hub m =
  let n = 10 and result = ref None in
  let body =
    native3 (fun _ lo hi ->
        let lo = to_int lo and hi = to_int hi in
        int ((hi - lo) * (lo + hi - 1) / 2))
  in
  let merge = native2 (fun a b -> int (to_int a + to_int b)) in
  let chunk = Value.some (int 2) in
  let task ctx =
    Machine.call m "pool_algo_fold"
      [ ctx; int 0; int n; chunk; body; merge; int 0 ]
  in
  let main () =
    pool m ~workers ~hub (fun pool ->
        result := Some (to_int (run_in_pool m pool task)))
  in
  let check () = require "the sum" (!result = Some (n * (n - 1) / 2)) in
  ([ main ], check)

(* Two threads outside the pool submit tasks. The second thread may submit after
   the pool is closed. *)
let submit ~workers hub m =
  let items = items () in
  let submit pool n =
    let code =
      native (fun _ ->
          ignore (take items (Some n));
          unit)
    in
    let task = Machine.call m "hub_hub_task" [ code ] in
    let accepted =
      to_bool (Machine.call m "pool_pool_submit" [ pool; new_; task ])
    in
    if accepted then add items n
  in
  let main () =
    pool m ~workers ~hub (fun pool ->
        let outsider base =
          native (fun _ ->
              repeat 3 (fun i -> submit pool (base + i)) ();
              unit)
        in
        ignore (Machine.call m "domain_spawn" [ outsider 200 ]);
        repeat 3 (fun i -> submit pool (100 + i)) ())
  in
  ([ main ], fun () -> check_items items)

(* Three vertices: 1 precedes 2 and 3, and 2 precedes 3. *)
let vertices ~workers hub m =
  let order = ref [] in
  let vertex n =
    let task =
      native (fun _ ->
          order := n :: !order;
          unit)
    in
    Machine.call m "pool_vertex_create" [ task ]
  in
  let task ctx =
    let a = vertex 1 and b = vertex 2 and c = vertex 3 in
    let call name args = ignore (Machine.call m ("pool_vertex_" ^ name) args) in
    call "precede" [ a; b ];
    call "precede" [ a; c ];
    call "precede" [ b; c ];
    List.iter (fun v -> call "release" [ ctx; v ]) [ c; b; a ];
    unit
  in
  let main () =
    pool m ~workers ~hub (fun pool -> ignore (run_in_pool m pool task))
  in
  ([ main ], fun () -> require "in their order" (!order = [ 3; 2; 1 ]))
