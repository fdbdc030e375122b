type t = { mutable both : int [@owner Keeper] }

val write : t -> unit
