Creator "igraph version 1.0.0 Sun Nov 22 14:02:21 2026"
Version 1
graph
[
  directed 1
  node
  [
    id 0
    name "a"
  ]
  node
  [
    id 1
    name "b"
  ]
  node
  [
    id 2
    name "c d"
  ]
  node
  [
    id 3
    name "é"
  ]
  edge
  [
    source 0
    target 1
    weight 1.5
  ]
  edge
  [
    source 0
    target 2
    weight -0.25
  ]
  edge
  [
    source 1
    target 2
    weight 2e-07
  ]
]
