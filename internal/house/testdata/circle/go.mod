module circle

go 1.26.0
