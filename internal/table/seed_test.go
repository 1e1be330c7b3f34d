package table_test

import _ "tobac/internal/rapidseed" // property tests draw the same cases in every run
