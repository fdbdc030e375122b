let one_line = String.map (fun c -> if c < ' ' || c = '\127' then ' ' else c)

let reason = function
  | Failure text -> one_line text
  | e -> one_line (Printexc.to_string e)

let of_request request e =
  Printf.sprintf "%s %S: %s"
    (Cohttp.Code.string_of_method (Cohttp.Request.meth request))
    (Cohttp.Request.resource request)
    (reason e)
