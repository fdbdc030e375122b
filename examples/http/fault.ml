let one_line = String.map (fun c -> if c < ' ' || c = '\127' then ' ' else c)

let reason = function
  | Failure text -> one_line text
  | e -> one_line (Printexc.to_string e)
