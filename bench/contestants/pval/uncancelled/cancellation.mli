val compiled_in : bool
