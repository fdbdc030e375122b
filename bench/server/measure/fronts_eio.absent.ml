let all = []
