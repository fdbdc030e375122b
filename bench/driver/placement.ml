let count = 8

let program placement =
  Filename.concat
    (Filename.dirname Sys.executable_name)
    (Filename.concat "placements"
       (Printf.sprintf "at_%d.exe" (placement mod count)))
