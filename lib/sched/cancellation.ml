let compiled_in = true
