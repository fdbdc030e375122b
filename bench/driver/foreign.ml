let build () = ([], [])
