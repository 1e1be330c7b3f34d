package stream_test

import (
	"slices"
	"testing"

	"tobac/internal/stream"
)

type frozen struct {
	purpose stream.Purpose
	seed    uint64
	places  []int
	want    [3]uint64
}

// newer are the first numbers of the streams that came after this package.
var newer = []frozen{
	{stream.MCMCStart, 0x0, []int{2}, [3]uint64{0x4320facdda00736a, 0xb2250a75c467170c, 0x727c386cd75258a6}},
	{stream.MCMCMoves, 0x0, []int{2}, [3]uint64{0xf7612cfe29ff4e06, 0x9321a98abc27bf5, 0x1339097982eb1e20}},
	{stream.MCMCStart, 0x2a, []int{2}, [3]uint64{0x7823f5266819f516, 0xd947242c0b04daa9, 0xaae667aa691dcf19}},
	{stream.MCMCMoves, 0x2a, []int{2}, [3]uint64{0xa2c21e06a771d3fd, 0x30124abf2f7bf0b5, 0x827249100240c9a2}},
	{stream.MCMCStart, 0xffffffffffffffff, []int{2}, [3]uint64{0xd86989df5b65ea8a, 0x799c7b386caf3357, 0x166222fd927dd308}},
	{stream.MCMCMoves, 0xffffffffffffffff, []int{2}, [3]uint64{0x5f41d0b3d3b0e907, 0xdd3839885752da35, 0xa73e0e1300032fac}},
	{stream.ExactDraw, 0x0, []int{0}, [3]uint64{0xdaa8817dfffe288a, 0x7d1f97db64db3fdf, 0x991bbd55f6f8bcfd}},
	{stream.ExactDraw, 0x0, []int{7}, [3]uint64{0xf0eb19c0722c8377, 0xeb5d009c3fb3cd70, 0xee4245265fec2c4a}},
	{stream.ExactDraw, 0x2a, []int{0}, [3]uint64{0x9307802d03e304bc, 0x1d4459035d3143d1, 0x66285e656c240e6c}},
	{stream.ExactDraw, 0x2a, []int{7}, [3]uint64{0x96c2625d11065fc3, 0x46cc34d50f8d0d82, 0x403c48324bbab8cd}},
	{stream.ExactDraw, 0xffffffffffffffff, []int{0}, [3]uint64{0xff5d73869df86a09, 0x4d66fe70b74632c, 0xdea15c2881d79b33}},
	{stream.ExactDraw, 0xffffffffffffffff, []int{7}, [3]uint64{0x1bfd8057cc40d443, 0x2584fa23f44b3a4, 0x645acac05123b70c}},
	{stream.ExactResample, 0x0, []int{}, [3]uint64{0x7f08deed08741526, 0x6e4068e023948fde, 0x1be461f9020bdd0b}},
	{stream.ExactResample, 0x2a, []int{}, [3]uint64{0xe80516948ea1243d, 0x8b6abad2d947a3c3, 0xa694fd133f4860f4}},
	{stream.ExactResample, 0xffffffffffffffff, []int{}, [3]uint64{0x98a17a06c57c6df, 0x22d115977a86cfef, 0xb4a116a5d6d2f790}},
	{stream.PosteriorPart, 0x0, []int{2}, [3]uint64{0xe21e2e8af9f79ff9, 0x635d4c36ec187cc3, 0xb87bef2c19b0eaea}},
	{stream.PosteriorPart, 0x2a, []int{2}, [3]uint64{0x15185cb8f3ee1468, 0x5808487d6457abd3, 0x2ecdb31935a171e1}},
	{stream.PosteriorPart, 0xffffffffffffffff, []int{2}, [3]uint64{0x249b7759865ae533, 0x134fa24f75a8b02a, 0x9a249591d960ce83}},
	{stream.Equations, 0x0, []int{2}, [3]uint64{0x2026815c036bcac6, 0xd505a1cd678543eb, 0xb5999981a2d25f83}},
	{stream.Equations, 0x2a, []int{2}, [3]uint64{0x574fcd4494003a50, 0x959cd5c8e84e55ed, 0xf1a2f0de1e54478d}},
	{stream.Equations, 0xffffffffffffffff, []int{2}, [3]uint64{0xe813255e3e67091c, 0x458563c176c9c0d9, 0xfc87c632c8c3fcb9}},
	{stream.PosteriorOrders, 0x0, []int{}, [3]uint64{0x1779274c51f9bdb5, 0x757474ffd2e75f7a, 0xb3275a9c0caf5d31}},
	{stream.PosteriorOrders, 0x2a, []int{}, [3]uint64{0xb325f077b4593621, 0x3420cd9f6f69a8cf, 0xf5a03fc41f1bb968}},
	{stream.PosteriorOrders, 0xffffffffffffffff, []int{}, [3]uint64{0xb9b7ffd7adff4425, 0x4d509772d7728cea, 0x3cdaab58962e79a1}},
	{stream.EquationNoise, 0x0, []int{2}, [3]uint64{0x972a961358725595, 0x5efbb93c7f2fbbc5, 0x278c165d333b392a}},
	{stream.EquationNoise, 0x2a, []int{2}, [3]uint64{0xfd2fd090f88a15b9, 0x960f55aef69c044, 0x820bf77f67ba3d21}},
	{stream.EquationNoise, 0xffffffffffffffff, []int{2}, [3]uint64{0x8dce34d7a341cbd, 0x180f695da2337fc6, 0xd225b0be9ac9a702}},
	{stream.SimulatedEffects, 0x0, []int{2}, [3]uint64{0x3273dffe8d07a2a, 0x1bfe78addd04397f, 0xe499b48e1769d4b0}},
	{stream.SimulatedEffects, 0x2a, []int{2}, [3]uint64{0xf054777bc975274b, 0x5231707fc8ae2f55, 0xab3154bf47ea1ec0}},
	{stream.SimulatedEffects, 0xffffffffffffffff, []int{2}, [3]uint64{0x73af7edbc328506f, 0xaa967e6d0f4876ba, 0x77c4d03a70f1a033}},
	{stream.FunctionDraw, 0x0, []int{2}, [3]uint64{0x892f979f22f3999e, 0xaf987b05cb028066, 0xaa617219b59a69a7}},
	{stream.FunctionDraw, 0x2a, []int{2}, [3]uint64{0x57da99173e9d77ec, 0x34b99ef5fa730013, 0x6ea3ab4208a8c8ab}},
	{stream.FunctionDraw, 0xffffffffffffffff, []int{2}, [3]uint64{0x6b30fb2f69515df, 0x6d4b6c87a315f1a6, 0xdccb917661ab1baf}},
	{stream.ImputationRegime, 0x0, []int{2}, [3]uint64{0x1ee5d8248790e565, 0x64225a41b265dadf, 0xa3e995310fdd6cf}},
	{stream.ImputationRegime, 0x2a, []int{2}, [3]uint64{0x6a385b2606b0f40c, 0x27926212fdad50a4, 0x8c2b5d2147c706e6}},
	{stream.ImputationRegime, 0xffffffffffffffff, []int{2}, [3]uint64{0x85881943628bf505, 0x93919678db3835e0, 0x4061ccd358486d9a}},
	{stream.Imputation, 0x0, []int{2}, [3]uint64{0x839b5fc20d762e3c, 0x7ffdaf928549ed04, 0x56fd6a967ad63e36}},
	{stream.Imputation, 0x2a, []int{2}, [3]uint64{0x54f47ad784ceda83, 0xdfa42e72ae652639, 0xd9089f456dcf50b5}},
	{stream.Imputation, 0xffffffffffffffff, []int{2}, [3]uint64{0x52a31e353eabaf2b, 0x4b64e51b8ce9952c, 0xbdeb7172a644a9e6}},
	{stream.ImputedTable, 0x0, []int{2}, [3]uint64{0x45a70aebb2e1f6d5, 0xc057a208fe27c023, 0x53106c53c2db7199}},
	{stream.ImputedTable, 0x2a, []int{2}, [3]uint64{0xe2a99ff68a742570, 0x4ab8fb1bb0395c86, 0xace4d9a89f8f64d7}},
	{stream.ImputedTable, 0xffffffffffffffff, []int{2}, [3]uint64{0xd3adb1d8515f3ca0, 0xe01b16747dc2bdc5, 0xe1c7ec51c31df47d}},
	{stream.RedrawnValues, 0x0, []int{2, 5}, [3]uint64{0x194cfeb07b60bbdb, 0x7127e6be7b4b182, 0x8272c77b0763c352}},
	{stream.RedrawnValues, 0x2a, []int{2, 5}, [3]uint64{0x7c0f48b62c6f78bb, 0xb012873436f83861, 0x19576ba0ab9874dd}},
	{stream.RedrawnValues, 0xffffffffffffffff, []int{2, 5}, [3]uint64{0xf550a99d641c993a, 0xa878bacc341eb7d8, 0x1344a0b11950819e}},
	{stream.FunctionFeatures, 0x0, []int{}, [3]uint64{0xc23354836ec04ff0, 0xdb2aaa885c7f8e79, 0x822a1ef5648a12bd}},
	{stream.FunctionFeatures, 0x2a, []int{}, [3]uint64{0x491920e36ac13cc, 0x256df68a283c0375, 0x7d0f8a7c1b9242f2}},
	{stream.FunctionFeatures, 0xffffffffffffffff, []int{}, [3]uint64{0x82e299c13849c37f, 0x90568c30d49b11d, 0x22648b33d3ee475b}},
	{stream.GFlowNetWeights, 0x0, []int{3}, [3]uint64{0xab307bd5e70d4170, 0xbb42ff96ef21cea0, 0x31596ac560d05c9d}},
	{stream.GFlowNetWeights, 0x2a, []int{3}, [3]uint64{0x8871dcfcd7c489a1, 0xd81c32a1cad6c09d, 0x22930f13168ae171}},
	{stream.GFlowNetAction, 0x0, []int{12, 3}, [3]uint64{0x2043f85749c37eb4, 0x4445c43ab32f5c99, 0xa9187041a34e80de}},
	{stream.GFlowNetAction, 0x2a, []int{12, 3}, [3]uint64{0x630724852246f8a, 0xae247cded22adad5, 0x4db313cfa3da1d12}},
	{stream.GFlowNetBatch, 0x0, []int{3}, [3]uint64{0x3ceae938e6b3f2ac, 0x54a8c23522448b4, 0x20174f7933ac8e0d}},
	{stream.GFlowNetBatch, 0x2a, []int{3}, [3]uint64{0x64ae6aceacf1fe13, 0x787f23f11472cf8a, 0xbaf689da5286e677}},
	{stream.GFlowNetDraw, 0x0, []int{3}, [3]uint64{0x61fc3d47dde19934, 0x3b0fde35198a8d7e, 0x41cbfd4363c06ed9}},
	{stream.GFlowNetDraw, 0x2a, []int{3}, [3]uint64{0xbaaf44f45ed3e556, 0x67dba247a967610c, 0x1c64cf1cf7088440}},
	{stream.BCDDrawGumbel, 0x0, []int{2}, [3]uint64{0xc2810fe709ed0beb, 0x497c95bf3dc03ef8, 0x28221d7706d09fc2}},
	{stream.BCDDrawGumbel, 0x2a, []int{2}, [3]uint64{0x530d92808e5bab34, 0xf477b061ad5e6ee, 0x961cc692536d32ac}},
	{stream.BCDDrawGumbel, 0xffffffffffffffff, []int{2}, [3]uint64{0xe164ffa5e1b4589f, 0x91a88a7549902273, 0xcef0bfe505e51579}},
	{stream.BCDDrawNoise, 0x0, []int{2}, [3]uint64{0x610058e854703ab1, 0x44645d1ae633f987, 0xb6ffb0e5f015ebb4}},
	{stream.BCDDrawNoise, 0x2a, []int{2}, [3]uint64{0x28a8a4eaafb1240b, 0xfae42c5907562cda, 0x649c1f06cdc53db5}},
	{stream.BCDDrawNoise, 0xffffffffffffffff, []int{2}, [3]uint64{0x159778cc9472f794, 0xdbb7a5899aeaf0b8, 0xa9e8881a7a8934f9}},
	{stream.BCDGumbel, 0x0, []int{2, 5}, [3]uint64{0xdb3e9f5bb2d7ef7a, 0x4bc6d43ca704d44b, 0xaa991a5cec148e02}},
	{stream.BCDGumbel, 0x2a, []int{2, 5}, [3]uint64{0x8d83155bf0e118a1, 0xd0f0fae6c6657118, 0x8ccc72dc2551e6e1}},
	{stream.BCDGumbel, 0xffffffffffffffff, []int{2, 5}, [3]uint64{0xe4cea16a2d57aaf9, 0xb4f3ae8d669fb4b1, 0x2ef6c350581a2836}},
	{stream.BCDNoise, 0x0, []int{2, 5}, [3]uint64{0x65a4954abe634f5d, 0x862b0bfb90ebfa7d, 0xa0bdca62400c101a}},
	{stream.BCDNoise, 0x2a, []int{2, 5}, [3]uint64{0xf78b113127718056, 0x6547e7c8a866bee6, 0xd5f2103d5df09e81}},
	{stream.BCDNoise, 0xffffffffffffffff, []int{2, 5}, [3]uint64{0x45f4921ad3f722b2, 0x8e82704b3d91b31e, 0x3e86578ebbe98154}},
	{stream.BCDStart, 0x0, []int{}, [3]uint64{0x8a5551bc656a2888, 0xc2b091379ba8174, 0xbf7a42b01b8b066}},
	{stream.BCDStart, 0x2a, []int{}, [3]uint64{0x6882a5fd54df46c5, 0xb382b2cf1e15a5ce, 0x97d0b83d24a5c432}},
	{stream.BCDStart, 0xffffffffffffffff, []int{}, [3]uint64{0xd041e26543ecaf9c, 0x6275baff6d24c862, 0xe9c44ad0002dcbbe}},
	{stream.OutputLayer, 0x0, []int{2}, [3]uint64{0xcda15940282fe12, 0xe50252ca9663f944, 0xb7b233be1045860f}},
	{stream.OutputLayer, 0x2a, []int{2}, [3]uint64{0x565371593f4a6b59, 0xe82ce9896b82cf75, 0xfc925c412a40df20}},
	{stream.OutputLayer, 0xffffffffffffffff, []int{2}, [3]uint64{0x8d9110ad8493aa4, 0xf64c8c0835825c40, 0xc6c2c114d5b7f275}},
	{stream.TemperingMoves, 0x0, []int{2, 5}, [3]uint64{0x448652d809ffc2e3, 0x4ea83ae5fa6796b2, 0x9ab5bd803117726}},
	{stream.TemperingMoves, 0x2a, []int{2, 5}, [3]uint64{0xca7549779d2c8d84, 0xea8b8c210dbaa09a, 0xedbb058e2e895f63}},
	{stream.TemperingMoves, 0xffffffffffffffff, []int{2, 5}, [3]uint64{0x4ff47b0dffd4b07c, 0x6fc7dad8471d0ba8, 0xfc0c9ee5c940a5a9}},
	{stream.BCDRestart, 0x0, []int{2}, [3]uint64{0x7e59d3ef9f0d9e2e, 0x7e4d7e4468a273b8, 0xa4000528bfbed744}},
	{stream.BCDRestart, 0x2a, []int{2}, [3]uint64{0x77f1cc3b6c07b216, 0xee36c05fe058a3e9, 0xb1f1fc5bc362eb3c}},
	{stream.BCDRestart, 0xffffffffffffffff, []int{2}, [3]uint64{0x84fc7c23066c91db, 0xdacd5cb9bc2ca6d3, 0xb21f8a0b7519b3d5}},
	{stream.BCDJudgeNoise, 0x0, []int{2}, [3]uint64{0x5bd216ffd1064492, 0xd7073891d15bb7fe, 0xa8208494b09fa698}},
	{stream.BCDJudgeNoise, 0x2a, []int{2}, [3]uint64{0xd67b2e7784bdd209, 0xda9024347011c4bf, 0xbf5117405cd57827}},
	{stream.BCDJudgeNoise, 0xffffffffffffffff, []int{2}, [3]uint64{0xa93437d6dfd0e9c, 0xf444a5655ecfb642, 0x723aedae0c01de60}},
	{stream.BCDJudgeGumbel, 0x0, []int{2}, [3]uint64{0x60f36eae7f68e7a0, 0x2862a0bfc8e117ba, 0x7e0b165e8e2d784d}},
	{stream.BCDJudgeGumbel, 0x2a, []int{2}, [3]uint64{0x174a2e1e9287ed54, 0x8beeb1df4237f14d, 0x861b7377e9cecb51}},
	{stream.BCDJudgeGumbel, 0xffffffffffffffff, []int{2}, [3]uint64{0xb6618cf9568849a6, 0x82d74249087b731a, 0xcff747ca6147429d}},
	{stream.SteinSigns, 0x0, []int{}, [3]uint64{0xe3483d1a5cde1835, 0x5cd36273a4c3678c, 0xcfb5b55a594602d9}},
	{stream.SteinSigns, 0x2a, []int{}, [3]uint64{0x2ace5f6e76ddb779, 0x15db19ae689d62fc, 0x8e24800115811538}},
	{stream.SteinSigns, 0xffffffffffffffff, []int{}, [3]uint64{0x561d2e74229da8d4, 0xb5704ce5a84faaaf, 0x4e82bcb58de9aead}},
	{stream.ReferenceSeed, 0x0, []int{2}, [3]uint64{0xa72b8fc953bf8a54, 0x2d353ce34e1e91cb, 0xd76fb4239bb70263}},
	{stream.ReferenceSeed, 0x2a, []int{2}, [3]uint64{0xae8da2c9fe056590, 0x9d1fae53fa0e80d, 0xe2caf49b903f1a68}},
	{stream.ReferenceSeed, 0xffffffffffffffff, []int{2}, [3]uint64{0xdd9412d94adebd70, 0xf8882fcaeee9a1b1, 0xf0159e3b212e08d2}},
	{stream.TemperingSets, 0x0, []int{2, 5}, [3]uint64{0x8d5ed32d3dd510aa, 0x19366945a435a3f5, 0x30ebdad013e74b44}},
	{stream.TemperingSets, 0x2a, []int{2, 5}, [3]uint64{0x8f4d75e547a7d7d8, 0x526191bfa93f8ad3, 0xe690b5d9f6a3756e}},
	{stream.TemperingSets, 0xffffffffffffffff, []int{2, 5}, [3]uint64{0xc8b461fa3cedb09c, 0xb729a8745a6885e4, 0x9ed190044b0970e0}},
	{stream.SetStart, 0x0, []int{2}, [3]uint64{0x2bb2d14af8ff3ac5, 0x7556b168e9ebf5e9, 0xf8ced7eb4523164}},
	{stream.SetStart, 0x2a, []int{2}, [3]uint64{0x8e69c5eb996ba177, 0xdda876556d822545, 0xcd1b8c642ffc276f}},
	{stream.SetStart, 0xffffffffffffffff, []int{2}, [3]uint64{0xe14c5330b4a24d16, 0xb748f15f1946cc46, 0xacad9605289d751d}},
	{stream.SetPoints, 0x0, []int{2, 5}, [3]uint64{0xd838a66fac6461cd, 0x69a0886f0a3a900e, 0x431cc72d7ebcc101}},
	{stream.SetPoints, 0x2a, []int{2, 5}, [3]uint64{0x17d0b69e6b0f55cd, 0x8f660303faca7136, 0x29d57851409d651a}},
	{stream.SetPoints, 0xffffffffffffffff, []int{2, 5}, [3]uint64{0xc3fdeec5f597a002, 0x93e43248bc1a51a, 0xfd3148d7264aa3ce}},
	{stream.ReweightedDraw, 0x0, []int{2}, [3]uint64{0x1e51dd92bea7b7d0, 0xf0800b6355fda4f1, 0xce13b5363c2610e2}},
	{stream.ReweightedDraw, 0x2a, []int{2}, [3]uint64{0xe4ede5e4aa7cd97a, 0x2d2a6ef198730a5e, 0x758417df8915cf41}},
	{stream.ReweightedDraw, 0xffffffffffffffff, []int{2}, [3]uint64{0x7fbb0da92395b2e9, 0x7be2679588b94139, 0xc44a12d06108644}},
	{stream.ReweightedEvidence, 0x0, []int{2}, [3]uint64{0x25e7332faa5090bd, 0x48bfa83681dfd98e, 0x5e29c707ec65d018}},
	{stream.ReweightedEvidence, 0x2a, []int{2}, [3]uint64{0xd3b42d91b8f9b0b2, 0x809b161be4ab9d1c, 0x2d522e33e30f3a37}},
	{stream.ReweightedEvidence, 0xffffffffffffffff, []int{2}, [3]uint64{0x9d7c2fa93cbd4382, 0x69c01c67d52fc57c, 0x44bb7012e5e3565b}},
	{stream.StudyRun, 0x0, []int{2}, [3]uint64{0xbf8b05e79772a815, 0x7601803b3a50b470, 0x1a67a4803a003aad}},
	{stream.RandomOrder, 0x0, []int{}, [3]uint64{0x183d6c1aa078c87b, 0x899214fe9ec9d449, 0x2668c6feb65cef5b}},
	{stream.StudyRun, 0x2a, []int{2}, [3]uint64{0xf21427620e9803cf, 0xeff8fb563b4519ff, 0xfd7ebc26ec65873}},
	{stream.RandomOrder, 0x2a, []int{}, [3]uint64{0xf2ff576557f8fcd6, 0x181594886247d0e6, 0xd4a35867026caeb8}},
	{stream.StudyRun, 0xffffffffffffffff, []int{2}, [3]uint64{0x4d4a5e7e820c54bb, 0xb8e25781b9a9add2, 0x89220a5fd8a8d5e0}},
	{stream.RandomOrder, 0xffffffffffffffff, []int{}, [3]uint64{0x576c8c60ff0a1220, 0xb80960cdaea9638f, 0x60f2320640158bdf}},
	{stream.NUTSStart, 0x0, []int{2, 5}, [3]uint64{0xd2cec58a03be6dd7, 0x7d8c384f799a4e57, 0xf0ea7e3990af0624}},
	{stream.NUTSStart, 0x2a, []int{2, 5}, [3]uint64{0x1689ef76cf65ed30, 0xd6af72fedae6ea9c, 0x731aa006dd725866}},
	{stream.NUTSStart, 0xffffffffffffffff, []int{2, 5}, [3]uint64{0xc6e0f18e1f90ab40, 0x4899055eae98ae95, 0x3aba4da3f6134023}},
	{stream.NUTSMoves, 0x0, []int{2, 5}, [3]uint64{0x149ff8ce799f8027, 0xbb0f5ba8882aa6d3, 0x1693dd890d9c40b7}},
	{stream.NUTSMoves, 0x2a, []int{2, 5}, [3]uint64{0xae9ceb6a4f3558f0, 0x6da69733531f5c1a, 0x41f5402cd78bd9b9}},
	{stream.NUTSMoves, 0xffffffffffffffff, []int{2, 5}, [3]uint64{0x5726783b27c27be, 0xb44b2f58a2bd7fd0, 0x2bd28fb8b5703c87}},
	{stream.BatchRows, 0x0, []int{2}, [3]uint64{0xbaf640b7aaf3ff8f, 0xa6e0802b910f6b1, 0xc4419b17deaad0ac}},
	{stream.BatchRows, 0x2a, []int{2}, [3]uint64{0x7fed2e3041adcc58, 0x830bdbd516cfc8cc, 0xf3971276edb23916}},
	{stream.PriorDraw, 0x0, []int{2}, [3]uint64{0x1c9e6b68d74327cb, 0x66acedcf20c0d671, 0x1bfa51a4e5719c68}},
	{stream.PriorDraw, 0x2a, []int{2}, [3]uint64{0x452cd222d2bd8c79, 0xb0f8a4092449914b, 0x9e91602e1304ea1a}},
	{stream.PredictiveDraw, 0x0, []int{2}, [3]uint64{0xd7f29c2b5b528a2e, 0x3bfc6f50339afd08, 0xce7960d02c904ede}},
	{stream.PredictiveDraw, 0x2a, []int{2}, [3]uint64{0x11f810d617f33e42, 0xd2b45e8224798c1f, 0x679219de30729142}},
	{stream.Particles, 0x0, []int{2}, [3]uint64{0x6387674abf776d06, 0xd54ce18a5f7c2fe3, 0xaea0c308fd2140f}},
	{stream.Particles, 0x2a, []int{2}, [3]uint64{0x930d3d2ad085cda5, 0x9f803717ed899138, 0x1f61906970da91}},
	{stream.ApproximationDraw, 0x0, []int{2}, [3]uint64{0xa6504c2d3a8efbac, 0x3c69ed428fe20580, 0x2414993873f8d66d}},
	{stream.ApproximationDraw, 0x2a, []int{2}, [3]uint64{0xf99e4c9f44dfd8b9, 0xd8a668fc6c6661b8, 0x5ac4c4b96df3cd4}},
	{stream.Langevin, 0x0, []int{2, 7}, [3]uint64{0xe7d9072ba0f8af97, 0x37eb20e1a72544ea, 0x6ceec357ab4c58c4}},
	{stream.Langevin, 0x2a, []int{2, 7}, [3]uint64{0x91441fb877c8cd5b, 0xbb17d888977122ff, 0x35e63cd9a8c2a03b}},
	{stream.CalibrationSet, 0x0, []int{2}, [3]uint64{0x6d8737b1f4c9435c, 0xa32c871ce9d7ee78, 0xe29c73be6d1054f3}},
	{stream.CalibrationSet, 0x2a, []int{2}, [3]uint64{0x9776a8a8b643b98c, 0x4b6e4fe066cf5310, 0x2f5ad8658b0338d5}},
	{stream.GraphSearch, 0x0, []int{}, [3]uint64{0x3854f94b27edf713, 0x7dc0376b2cd9f810, 0x353f0b6356c24deb}},
	{stream.GraphSearch, 0x2a, []int{}, [3]uint64{0x439dbeab8d385a48, 0x6dd2688ff093389c, 0x72360a9d569f197e}},
	{stream.SharedCopies, 0x0, []int{1, 7}, [3]uint64{0x5e78fb09ab1c1524, 0xc663645341b98096, 0xc6decbf1c9284e0b}},
	{stream.SharedCopies, 0x2a, []int{1, 7}, [3]uint64{0x1b7a5b96631c35ec, 0xbcbddd723226e00e, 0x1aeef224dc4f7e}},
	{stream.SharedCopies, 0xffffffffffffffff, []int{1, 7}, [3]uint64{0xd18668a0defb603a, 0x8d121ab61a562e31, 0xa24f0c7f01dad718}},
}

// first are the first numbers of every stream. They were computed by the code
// that had these streams before this package, at commit 59d4a3b with Go 1.26 on
// amd64. A change here changes every published result.
var first = []frozen{
	{stream.SoftGraphs, 0x0, []int{0, 0}, [3]uint64{0x75ea62ba54eb0c72, 0xa1c02f9a74742b27, 0xee76f578d8e406be}},
	{stream.SoftGraphs, 0x0, []int{12, 3}, [3]uint64{0xf1fef267238285e0, 0x676b3a6e49684393, 0xfc2dd1f94b410e27}},
	{stream.HardGraphs, 0x0, []int{0, 0}, [3]uint64{0x2777ba9b5f16a099, 0x9a50fb4a1c20f6e8, 0x89db0050fd2403a1}},
	{stream.HardGraphs, 0x0, []int{12, 3}, [3]uint64{0x5dc24c4e763b4578, 0x10edf26ccb8a051d, 0xd00490856d9b2092}},
	{stream.PenaltyGraphs, 0x0, []int{0, 0}, [3]uint64{0x6f6aad4662c8bc22, 0x18ce0c9fcbd610eb, 0x684237e3a38798e9}},
	{stream.PenaltyGraphs, 0x0, []int{12, 3}, [3]uint64{0x5160d3d4362d4869, 0xf07de4d0afce943c, 0x5245d3b922b3aaea}},
	{stream.InitialParticles, 0x0, []int{0, 0}, [3]uint64{0xe1de4c878cb8fc09, 0x360b212348d07b2a, 0x1dc783e1ef0b5512}},
	{stream.InitialParticles, 0x0, []int{12, 3}, [3]uint64{0x4939d9f628ec6c9b, 0x56d193b1fd511172, 0x70ba5335b50f6254}},
	{stream.FitUnderOrder, 0x0, []int{0}, [3]uint64{0x32477c14ef17da7d, 0xe351625854218bb2, 0x313dffcfda8c38d5}},
	{stream.FitUnderOrder, 0x0, []int{1}, [3]uint64{0x22697b0feb95c434, 0x581c9ac4cddc414a, 0x29414d92b70eedfb}},
	{stream.FitUnderOrder, 0x0, []int{5}, [3]uint64{0xac7e03cbc80bad4a, 0x22c0c8cedb25ae4c, 0x56af1588aa3bf1d}},
	{stream.BootstrapRows, 0x0, []int{0}, [3]uint64{0xdf2a2380dec73a31, 0xffa8901851701801, 0x7c2f0b3cfeeeab31}},
	{stream.BootstrapRows, 0x0, []int{7}, [3]uint64{0xfd1c8401dbb5c199, 0xc02c1032db6095d0, 0x3b47549614737735}},
	{stream.SimulatedGraph, 0x0, []int{}, [3]uint64{0xd271469d5ab530a7, 0xf1c88fa51b15726e, 0xee610dda94e57a16}},
	{stream.SimulatedParameters, 0x0, []int{}, [3]uint64{0x55a5a797a6e71850, 0x600f2906035b4ce0, 0xdec803cef8846d3a}},
	{stream.SimulatedTrain, 0x0, []int{}, [3]uint64{0xae6d3c8161ec83de, 0xe295c33db868cd61, 0xa12058f2ed19d0c2}},
	{stream.SimulatedHeldout, 0x0, []int{}, [3]uint64{0xd2cd98785357d813, 0x66e77effeee2987d, 0x26eb80fa7755310e}},
	{stream.HeldoutRows, 0x0, []int{}, [3]uint64{0x386289e22510a539, 0x1503263f22958ba4, 0xc1ecb116f00ee51d}},
	{stream.SachsSplit, 0x0, []int{0}, [3]uint64{0x38ffff682123e08a, 0xacfc572dc29cb1fd, 0x57ec35105c35c2db}},
	{stream.SachsSplit, 0x0, []int{7}, [3]uint64{0xda83fbe6f4280d83, 0x22b57ad8103eafe5, 0x5c43ae7a52aea077}},
	{stream.Conformance, 0x0, []int{}, [3]uint64{0xa4d9a79c867342bb, 0xb2f68f8796b88f5d, 0xf8b833c09b97677b}},
	{stream.ConformanceInit, 0x0, []int{}, [3]uint64{0x1d4f13a4c76e2658, 0x1a370885ca9b8600, 0x319dd3b9680d28a}},
	{stream.GradientDirection, 0x0, []int{}, [3]uint64{0x1c40d93b326f486, 0x19713b2bdea32e91, 0xf357cc2525b6dd08}},
	{stream.SoftGraphs, 0x2a, []int{0, 0}, [3]uint64{0x7f15afacf98992c3, 0x75151becc1c05538, 0xfad0dfcd802deb4f}},
	{stream.SoftGraphs, 0x2a, []int{12, 3}, [3]uint64{0x1fabc403dbd0739b, 0x7400c5392b16fbbf, 0x6af9851980158773}},
	{stream.HardGraphs, 0x2a, []int{0, 0}, [3]uint64{0x1fc15c2d7370124b, 0xb628f52eaf3c4273, 0xbab7eddac7765f4b}},
	{stream.HardGraphs, 0x2a, []int{12, 3}, [3]uint64{0x5e291420994c4e71, 0x2f77dcd8a769116, 0xc690f6897d44253e}},
	{stream.PenaltyGraphs, 0x2a, []int{0, 0}, [3]uint64{0xba4ca9184efc31dc, 0xb23f64f373caf2bf, 0x69df03aca2dea122}},
	{stream.PenaltyGraphs, 0x2a, []int{12, 3}, [3]uint64{0xc43d0fbea10cc928, 0x91fce382fb62f527, 0x4feb02524c423281}},
	{stream.InitialParticles, 0x2a, []int{0, 0}, [3]uint64{0xf38c56c667345314, 0xb443d35bd1cd59e5, 0x5bcc691f5b00acc7}},
	{stream.InitialParticles, 0x2a, []int{12, 3}, [3]uint64{0x34fabc24485164ee, 0xaaf83dc29edfdcb6, 0x6f0963cae529aa06}},
	{stream.FitUnderOrder, 0x2a, []int{0}, [3]uint64{0x6fb6a254e35af4c1, 0x4796a388feb6d3be, 0xb7d1e68879c2410c}},
	{stream.FitUnderOrder, 0x2a, []int{1}, [3]uint64{0x596da8c6652be534, 0x1a1d166f9a2ad978, 0xb845d3d6a2b3c4be}},
	{stream.FitUnderOrder, 0x2a, []int{5}, [3]uint64{0xbd8ab84ee8997fa2, 0x39ac7698a791b61e, 0xeed4ebb7d1853a09}},
	{stream.BootstrapRows, 0x2a, []int{0}, [3]uint64{0xff36bd1b434da37a, 0xff0adb84e5ed16ec, 0x1c0711f426852631}},
	{stream.BootstrapRows, 0x2a, []int{7}, [3]uint64{0x3f56b0d04b1c029c, 0x4e9d98bf32e760cf, 0x1c293922a661673e}},
	{stream.SimulatedGraph, 0x2a, []int{}, [3]uint64{0xedfb6865b68c6652, 0xae0ad00d713237bf, 0xa5d1db63308a1f23}},
	{stream.SimulatedParameters, 0x2a, []int{}, [3]uint64{0x6b2d9bf81274cd0d, 0xe6ad3282a91d69f5, 0xe701a13ead442068}},
	{stream.SimulatedTrain, 0x2a, []int{}, [3]uint64{0x49eb0217ca0cbff8, 0xd7dc5fcaceb4d3ea, 0x8ae3942feefeb15c}},
	{stream.SimulatedHeldout, 0x2a, []int{}, [3]uint64{0xd5c41c1cd66f9a73, 0x7f0d3b88ef92f060, 0xb49db5d692a672b3}},
	{stream.HeldoutRows, 0x2a, []int{}, [3]uint64{0xe6b79e98dfa3146, 0x2418101a6754b6e6, 0xe4b8da8452b1efaf}},
	{stream.SachsSplit, 0x2a, []int{0}, [3]uint64{0xdb881b72db87a99f, 0xf5f16d2d76b09fe4, 0x22e4250a897032c7}},
	{stream.SachsSplit, 0x2a, []int{7}, [3]uint64{0xb7dff59df84e7cc1, 0x838e73aa0387502b, 0x97444d62e9622e30}},
	{stream.Conformance, 0x2a, []int{}, [3]uint64{0x1bce7975b0c800ba, 0xf7e6e5dd8e234d93, 0x17cc2d333dc477f9}},
	{stream.ConformanceInit, 0x2a, []int{}, [3]uint64{0x2e5a3c5ac71ab033, 0x92c23752f1a594e3, 0x92eada153bcf7c10}},
	{stream.GradientDirection, 0x2a, []int{}, [3]uint64{0xf1eb69f9d59a2578, 0x37a3e28fa1016665, 0x979ff4e396e51b31}},
	{stream.SoftGraphs, 0xffffffffffffffff, []int{0, 0}, [3]uint64{0xac6859303ca87632, 0x3b2ca9b907e9f512, 0x9ac8e4a48a2b5336}},
	{stream.SoftGraphs, 0xffffffffffffffff, []int{12, 3}, [3]uint64{0x7e6b4d607908b478, 0xa01abadc34cbf7c5, 0xe35a15acc3c2472}},
	{stream.HardGraphs, 0xffffffffffffffff, []int{0, 0}, [3]uint64{0x9ee18cf2ce687dbe, 0x9b431e6ddb92d1, 0xd2dd5d751beb1a91}},
	{stream.HardGraphs, 0xffffffffffffffff, []int{12, 3}, [3]uint64{0x382ee206fb1b81ef, 0xdc0ec2b44e40af25, 0xb47be9a239bd69bd}},
	{stream.PenaltyGraphs, 0xffffffffffffffff, []int{0, 0}, [3]uint64{0xddeeb26b26ec8788, 0x930cc6c3da53d115, 0x4dcd44bd6d3945ef}},
	{stream.PenaltyGraphs, 0xffffffffffffffff, []int{12, 3}, [3]uint64{0xabdda6dea119f0f, 0xa44bb5470d72d6ac, 0xf15d2f2346781356}},
	{stream.InitialParticles, 0xffffffffffffffff, []int{0, 0}, [3]uint64{0x6910944e595b1fd7, 0xb04f84d4869700e5, 0x40e7b9f26f930f7b}},
	{stream.InitialParticles, 0xffffffffffffffff, []int{12, 3}, [3]uint64{0xef09cf8c0ed00858, 0x1f36030de2bc70e5, 0xda6a654323612284}},
	{stream.FitUnderOrder, 0xffffffffffffffff, []int{0}, [3]uint64{0x5f5203e9813ece1c, 0x88168c95b412d688, 0xf0359c48dd96fa2e}},
	{stream.FitUnderOrder, 0xffffffffffffffff, []int{1}, [3]uint64{0xe4e0794c3eea32b1, 0x22f2b24a9c564897, 0xe68f85d1f011014c}},
	{stream.FitUnderOrder, 0xffffffffffffffff, []int{5}, [3]uint64{0xfe67375722d86c4b, 0xdf7a41a6c6b7fb5d, 0xbe88a7e8a133da94}},
	{stream.BootstrapRows, 0xffffffffffffffff, []int{0}, [3]uint64{0x2ee5e53c6f44eb1, 0xad79a6c3a9762e9, 0x2edd498f5cf03ce1}},
	{stream.BootstrapRows, 0xffffffffffffffff, []int{7}, [3]uint64{0xc99dc94a5ae97dc3, 0x3948daa6c8f9e185, 0xf8b2bf6a84bb5cdb}},
	{stream.SimulatedGraph, 0xffffffffffffffff, []int{}, [3]uint64{0x496d4ce150f3a888, 0x1c3466aeff11e970, 0x6fb67f47dbcddfd4}},
	{stream.SimulatedParameters, 0xffffffffffffffff, []int{}, [3]uint64{0x6d80975712d8f655, 0x6256324bac26f443, 0xf1ea81c735298e2f}},
	{stream.SimulatedTrain, 0xffffffffffffffff, []int{}, [3]uint64{0xb3976b9bc23c43d1, 0x64f25ea747d0630, 0xa3bb09a555a6b988}},
	{stream.SimulatedHeldout, 0xffffffffffffffff, []int{}, [3]uint64{0xfacc883c365553bc, 0xbc1372fd8712020d, 0x91f03e7682aa9a7e}},
	{stream.HeldoutRows, 0xffffffffffffffff, []int{}, [3]uint64{0x5faaa4defffc19f3, 0x313c5b6173745276, 0xf9936690e604ec83}},
	{stream.SachsSplit, 0xffffffffffffffff, []int{0}, [3]uint64{0x403fce155d15aaf2, 0xe9a5f434abbc86b9, 0x3b399d378f977e65}},
	{stream.SachsSplit, 0xffffffffffffffff, []int{7}, [3]uint64{0x3e61529541ae9c86, 0x9643aa33da5ce1d1, 0x4311ad4cbb718d53}},
	{stream.Conformance, 0xffffffffffffffff, []int{}, [3]uint64{0x81d7811ca8da7362, 0xc6100661144c7b07, 0x563c4fae4603776}},
	{stream.ConformanceInit, 0xffffffffffffffff, []int{}, [3]uint64{0x27fab7b383a331dd, 0x944336f08c7cef7f, 0x59268d7eefcd72c}},
	{stream.GradientDirection, 0xffffffffffffffff, []int{}, [3]uint64{0x3d334cb459e1487d, 0xf19566874767ebbf, 0x6af243e9cd2ed5e1}},
}

// seeds are what [stream.Seed] gave there; for chained purposes they are also
// the seeds of the uniform noise, see package vector.
var seeds = []struct {
	purpose stream.Purpose
	seed    uint64
	places  []int
	want    uint64
}{
	{stream.SoftGraphs, 0x0, []int{12, 3}, 0xe114dd44d25e485a},
	{stream.HardGraphs, 0x0, []int{12, 3}, 0x148e4851468f4283},
	{stream.PenaltyGraphs, 0x0, []int{12, 3}, 0x5c03b5afd84a1c94},
	{stream.FitUnderOrder, 0x0, []int{0}, 0x0},
	{stream.FitUnderOrder, 0x0, []int{5}, 0x1b39896a51a8749b},
	{stream.SoftGraphs, 0x2a, []int{12, 3}, 0x1e5e0652d628893},
	{stream.HardGraphs, 0x2a, []int{12, 3}, 0xcfd3de3a4def930b},
	{stream.PenaltyGraphs, 0x2a, []int{12, 3}, 0xa14e019312c9e349},
	{stream.FitUnderOrder, 0x2a, []int{0}, 0x2a},
	{stream.FitUnderOrder, 0x2a, []int{5}, 0x9bc585a244823f2},
	{stream.SoftGraphs, 0xffffffffffffffff, []int{12, 3}, 0x58eaa565baa86b10},
	{stream.HardGraphs, 0xffffffffffffffff, []int{12, 3}, 0x3febf36b35459bce},
	{stream.PenaltyGraphs, 0xffffffffffffffff, []int{12, 3}, 0x984c31596941e241},
	{stream.FitUnderOrder, 0xffffffffffffffff, []int{0}, 0xffffffffffffffff},
	{stream.FitUnderOrder, 0xffffffffffffffff, []int{5}, 0xb4a0472e578069ae},
}

func TestStreamsAreFrozen(t *testing.T) {
	seen := map[stream.Purpose]bool{}
	for _, row := range slices.Concat(first, newer) {
		seen[row.purpose] = true
		rng := stream.New(row.seed, row.purpose, row.places...)
		if got := [3]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()}; got != row.want {
			t.Errorf("%v, seed %#x, places %v: got %#x, want %#x", row.purpose, row.seed, row.places, got, row.want)
		}
	}
	for _, p := range stream.Purposes() {
		if !seen[p] {
			t.Errorf("the stream %q is not frozen: add its first numbers", p)
		}
	}
	for _, row := range seeds {
		if got := stream.Seed(row.seed, row.purpose, row.places...); got != row.want {
			t.Errorf("seed for %v, seed %#x, places %v: got %#x, want %#x", row.purpose, row.seed, row.places, got, row.want)
		}
	}
}
