open Dag_graph

let check_successor v s =
  if not (List.exists (fun e -> e.into == s) v.successors) then
    invalid_arg
      (Printf.sprintf
         "Dromos.Dag.branch: %s has chosen %s, which it does not precede" v.name
         s.name)

let choose v chosen =
  List.iter (check_successor v) chosen;
  v.chosen <- chosen

let leads_to v { from; _ } =
  from.ran && ((not from.chooses) || List.memq v from.chosen)

let is_due v =
  v.edges_in = []
  || List.exists (leads_to v) v.edges_in
     && List.for_all (fun e -> (not e.needed) || leads_to v e) v.edges_in

let execute v =
  if is_due v then begin
    v.code v;
    v.ran <- true
  end

let reset v =
  v.ran <- false;
  v.chosen <- [];
  v.forget ()
