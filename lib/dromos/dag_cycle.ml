open Dag_graph

(* A depth-first search from a vertex to its predecessors. The [mark] of a vertex,
   in the search with [stamp] [s]:

   less than 2 s    the search has not reached the vertex
   2 s ([grey])     the vertex is on the path of the search
   more than 2 s    the search is done with the vertex

   The path is a list, not the stack: the path can be as long as the graph. *)

let rec upto p = function
  | [] -> []
  | (v, _) :: path -> v :: (if v == p then [] else upto p path)

(* The first cycle found, if any: each vertex precedes the next. *)
let rec search ~passed ~grey = function
  | [] -> None
  | (v, []) :: path ->
      v.mark <- grey + 1;
      search ~passed ~grey path
  | (v, { from; _ } :: edges) :: path ->
      let path = (v, edges) :: path in
      if from.mark = grey then Some (from :: upto from path)
      else if from.mark > grey || passed from then search ~passed ~grey path
      else begin
        from.mark <- grey;
        search ~passed ~grey ((from, from.edges_in) :: path)
      end

let check g ~call ~passed roots =
  g.stamp <- g.stamp + 1;
  let grey = 2 * g.stamp in
  List.iter
    (fun v ->
      if v.mark < grey && not (passed v) then begin
        v.mark <- grey;
        match search ~passed ~grey [ (v, v.edges_in) ] with
        | None -> ()
        | Some cycle ->
            let names = List.map (fun v -> v.name) cycle in
            invalid_arg
              (Printf.sprintf "Dromos.Dag.%s: the graph has a cycle: %s" call
                 (String.concat " -> " names))
      end)
    roots
