type t = |

let available = false
let run (_ : t -> int) = 2
let rank : t -> int = function _ -> .
let size : t -> int = function _ -> .
let workers : t -> int = function _ -> .
let job : t -> _ = function _ -> .
let agreed : t -> _ = function _ -> .
