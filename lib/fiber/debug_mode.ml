let on =
  match Sys.getenv_opt "DROMOS_DEBUG" with
  | None | Some ("" | "0") -> false
  | Some _ -> true
