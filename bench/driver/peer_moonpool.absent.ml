let families = []
