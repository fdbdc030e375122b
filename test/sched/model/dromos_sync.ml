module Line = Line
