let draw ~dir:_ _ = []
