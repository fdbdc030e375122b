let count = 8

let program placement =
  Beside.program
    (Filename.concat "placements"
       (Printf.sprintf "at_%d.exe" (placement mod count)))
