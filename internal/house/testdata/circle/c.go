package circle

func c() { A{}.Method() }
