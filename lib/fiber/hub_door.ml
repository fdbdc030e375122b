open Types

let[@inline] open_ local = local.hub_open <- true
let[@inline] leave local = local.hub_open <- true

let[@inline] enter local =
  local.hub_open
  && begin
       local.hub_open <- false;
       true
     end

let rec wait_for_visitor local =
  if local.visited then begin
    Thread.yield ();
    wait_for_visitor local
  end
  else local.hub_open <- false

let[@inline] close local =
  if local.visited then wait_for_visitor local else local.hub_open <- false

let visit local f =
  if enter local then begin
    local.visited <- true;
    f ();
    local.visited <- false;
    leave local
  end
