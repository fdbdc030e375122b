let show t = Counter.show t
