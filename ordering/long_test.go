package ordering_test

import "flag"

var long = flag.Bool("long", false, "repeat the published figures, in minutes")
