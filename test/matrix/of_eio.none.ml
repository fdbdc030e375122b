let kinds : Matrix.Party.kind list = []
