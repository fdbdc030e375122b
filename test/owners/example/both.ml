type t = { mutable both : int }

let write t = t.both <- 1
