let contestants = []
let barriers = []
