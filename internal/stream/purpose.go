package stream

// A Purpose is what a stream is for. Every purpose has one row in the table
// below.
type Purpose int

const (
	// uniform noise of the soft graphs of a step and particle
	SoftGraphs Purpose = 1 + iota
	// uniform noise of the hard graphs of a step and particle
	HardGraphs
	// uniform noise of the soft graphs of the acyclicity penalty, of a step and particle
	PenaltyGraphs
	// latents and parameters at the beginning, of step 0 and a particle
	InitialParticles
	FitUnderOrder       // seed of everything under one of several causal orders
	BootstrapRows       // rows of a resample
	SimulatedGraph      // a random graph
	SimulatedParameters // weights of the structural equations of simulated data
	SimulatedTrain      // noise of the simulated training rows
	SimulatedHeldout    // noise of the simulated held-out rows
	HeldoutRows         // rows that the command holds out
	MCMCStart           // where a Markov chain starts
	MCMCMoves           // moves of a Markov chain
	SachsSplit          // rows of a split of the Sachs data in the experiments
	// graphs and rows that a likelihood's contract is checked on
	Conformance
	ConformanceInit // initial parameters in that check
	// directions in which a gradient is compared with differences
	GradientDirection
	ExactDraw        // order and parents of a draw from an exact posterior
	ExactResample    // which of them are drawn again
	PosteriorPart    // seed of the draws under one of several hypotheses
	Equations        // parameters of a drawn graph
	PosteriorOrders  // which drawn orders SVGD samples under
	EquationNoise    // intercepts and noise variances of a drawn graph
	SimulatedEffects // noise of the rows that a nonlinear model predicts
	FunctionDraw     // functions of a drawn graph of Gaussian processes
	ImputationRegime // seed of the imputation of a set of rows
	Imputation       // moves of the chain that completes a table
	// draw from the posterior of a completed table and round, and completed values given it
	RedrawnValues
	ImputedTable     // seed of the fit to one of several completed tables
	FunctionFeatures // weights of the random features of a function
	BCDStart         // parameters of BCD Nets before the first step
	BCDNoise         // latents of a step of BCD Nets and a sample
	// perturbed permutations of a step of BCD Nets and a sample
	BCDGumbel
	BCDDrawNoise       // latents of a draw from BCD Nets
	BCDDrawGumbel      // permutation of a draw from BCD Nets
	GFlowNetWeights    // initial weights of an array of a policy's network
	GFlowNetAction     // actions of an iteration of training and an environment
	GFlowNetBatch      // transitions of a gradient step
	GFlowNetDraw       // actions of the episode that ends in a draw
	StudyRun           // seed of the simulation of a run of a study
	RandomOrder        // a causal order drawn at random, the baseline
	OutputLayer        // weights of the last layer of a particle's networks
	TemperingMoves     // moves of the tempered chains of a variable
	ReweightedDraw     // parents from sets that were weighted by their evidence
	ReweightedEvidence // the evidence of sets of parents of networks
	// parameters of BCD Nets before the first step of a later start
	BCDRestart
	// latents of a sample that starts of BCD Nets are compared on
	BCDJudgeNoise
	BCDJudgeGumbel // permutation of such a sample
	SteinSigns     // signs of the wild bootstrap of a Stein discrepancy
	// seed of the posterior under an order that another one is compared with
	ReferenceSeed
	// particles of a set of parents of a variable, in one of two populations
	TemperingSets
	// initial parameters from which the evidence of sets of parents is estimated, by number
	SetStart
	// points of a set of parents of a variable, in one of two populations
	SetPoints
	// where a chain of a Hamiltonian sampler starts, by chain and attempt
	NUTSStart
	NUTSMoves      // momenta and choices of a chain of it and an iteration
	BatchRows      // rows of the data that a step of a density sees
	PriorDraw      // values of a parameter in a draw from its prior
	PredictiveDraw // values of data in a draw that a model predicts
	Particles      // moves and resampling of a population, by temperature
	// draws of a distribution that approximates a density, by step or number
	ApproximationDraw
	// noise of a stochastic gradient step, by step and particle
	Langevin
	CalibrationSet // seed of a simulated data set of a calibration
	GraphSearch    // moves of a search for a probable graph
	SharedCopies   // edges of copies of a column, by group and graph
	TurnedEdges    // edges of a graph that are turned around, by graph
)

// A derivation is one of those in the package comment.
type derivation int

const (
	keyed derivation = iota
	chained
	jumped
	plain
)

// purposes is the table of all streams.
var purposes = [...]struct {
	derivation derivation
	places     int    // how many there are
	text       string // of the key, or the name
	number     uint64 // of the purpose, if chained, or if plain and without places
}{
	SoftGraphs:          {chained, 2, "soft graphs", 1},
	HardGraphs:          {chained, 2, "hard graphs", 2},
	PenaltyGraphs:       {chained, 2, "penalty graphs", 3},
	InitialParticles:    {chained, 2, "initial particles", 4},
	FitUnderOrder:       {jumped, 1, "fit under an order", 0},
	BootstrapRows:       {keyed, 1, "bootstrap rows", 0},
	SimulatedGraph:      {keyed, 0, "simulate graph", 0},
	SimulatedParameters: {keyed, 0, "simulate parameters", 0},
	SimulatedTrain:      {keyed, 0, "simulate train", 0},
	SimulatedHeldout:    {keyed, 0, "simulate heldout", 0},
	HeldoutRows:         {keyed, 0, "tobac fit --holdout", 0},
	MCMCStart:           {keyed, 1, "MCMC start", 0},
	MCMCMoves:           {keyed, 1, "MCMC moves", 0},
	SachsSplit:          {plain, 1, "Sachs split", 0},
	Conformance:         {plain, 0, "conformance", 2},
	ConformanceInit:     {plain, 0, "conformance of initial parameters", 1},
	GradientDirection:   {plain, 0, "gradient direction", 0x67726164},
	ExactDraw:           {keyed, 1, "exact draw", 0},
	ExactResample:       {keyed, 0, "exact resample", 0},
	PosteriorPart:       {keyed, 1, "posterior part", 0},
	Equations:           {keyed, 1, "equations", 0},
	PosteriorOrders:     {keyed, 0, "posterior orders", 0},
	EquationNoise:       {keyed, 1, "equation noise", 0},
	SimulatedEffects:    {keyed, 1, "effect rows", 0},
	FunctionDraw:        {keyed, 1, "function draw", 0},
	ImputationRegime:    {keyed, 1, "imputed rows", 0},
	Imputation:          {keyed, 1, "imputation", 0},
	RedrawnValues:       {keyed, 2, "redrawn", 0},
	ImputedTable:        {keyed, 1, "imputed table", 0},
	FunctionFeatures:    {keyed, 0, "function features", 0},
	BCDStart:            {keyed, 0, "BCD start", 0},
	BCDNoise:            {keyed, 2, "BCD z", 0},
	BCDGumbel:           {keyed, 2, "BCD P", 0},
	BCDDrawNoise:        {keyed, 1, "BCD drawn z", 0},
	BCDDrawGumbel:       {keyed, 1, "BCD drawn P", 0},
	GFlowNetWeights:     {keyed, 1, "flow weights", 0},
	GFlowNetAction:      {keyed, 2, "flow act", 0},
	GFlowNetBatch:       {keyed, 1, "flow batch", 0},
	GFlowNetDraw:        {keyed, 1, "flow draw", 0},
	StudyRun:            {keyed, 1, "study run", 0},
	RandomOrder:         {keyed, 0, "random order", 0},
	OutputLayer:         {keyed, 1, "output layer", 0},
	TemperingMoves:      {keyed, 2, "tempered", 0},
	ReweightedDraw:      {keyed, 1, "reweighted", 0},
	ReweightedEvidence:  {keyed, 1, "evidence", 0},
	BCDRestart:          {keyed, 1, "BCD restart", 0},
	BCDJudgeNoise:       {keyed, 1, "BCD judged z", 0},
	BCDJudgeGumbel:      {keyed, 1, "BCD judged P", 0},
	SteinSigns:          {keyed, 0, "Stein signs", 0},
	ReferenceSeed:       {keyed, 1, "reference", 0},
	TemperingSets:       {keyed, 2, "net sets", 0},
	SetStart:            {keyed, 1, "set start", 0},
	SetPoints:           {keyed, 2, "set part", 0},
	NUTSStart:           {keyed, 2, "nuts x", 0},
	NUTSMoves:           {keyed, 2, "nuts", 0},
	BatchRows:           {keyed, 1, "batch", 0},
	PriorDraw:           {keyed, 1, "prior", 0},
	PredictiveDraw:      {keyed, 1, "predicted", 0},
	Particles:           {keyed, 1, "smc", 0},
	ApproximationDraw:   {keyed, 1, "approximate", 0},
	Langevin:            {keyed, 2, "langevin", 0},
	CalibrationSet:      {keyed, 1, "calibrated", 0},
	GraphSearch:         {keyed, 0, "graph search", 0},
	SharedCopies:        {keyed, 2, "copies", 0},
	TurnedEdges:         {keyed, 1, "turned edges", 0},
}

// Places is the number of places that a stream of this purpose has.
func (p Purpose) Places() int { return purposes[p].places }

// String is the text of the purpose.
func (p Purpose) String() string { return purposes[p].text }

// Keyed reports whether the derivation is that of the package comment's first line.
func (p Purpose) Keyed() bool { return purposes[p].derivation == keyed }

// Purposes lists all purposes.
func Purposes() []Purpose {
	var all []Purpose
	for p := SoftGraphs; int(p) < len(purposes); p++ {
		all = append(all, p)
	}
	return all
}
