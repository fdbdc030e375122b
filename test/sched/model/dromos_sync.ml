module Author = struct
  module Line = Line
end
