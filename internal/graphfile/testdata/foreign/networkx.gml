graph [
  directed 1
  node [
    id 0
    label "a"
  ]
  node [
    id 1
    label "b"
  ]
  node [
    id 2
    label "c d"
  ]
  node [
    id 3
    label "&#233;"
  ]
  edge [
    source 0
    target 1
    weight 1.5
  ]
  edge [
    source 0
    target 2
    weight -0.25
  ]
  edge [
    source 1
    target 2
    weight 2.E-07
  ]
]
