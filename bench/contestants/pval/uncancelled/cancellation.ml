let compiled_in = false
