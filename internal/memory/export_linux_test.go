package memory

var ReadSystem = readSystem
