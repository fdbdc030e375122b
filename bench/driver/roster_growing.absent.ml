let contestants = []
