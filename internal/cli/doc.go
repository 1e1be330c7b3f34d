// Package cli has what every command of tobac shares: flags with checked values, settings of topics
// that --set changes and help explains, files of options, errors with their exit statuses, signals,
// progress, and the text of reports.
//
// A command line is recorded as the texts that its options were given ([CommandLine]), so that
// run.toml and a checkpoint repeat it to the letter. A setting belongs to a topic ([Topic]), such
// as an engine, and has the name TOPIC.NAME everywhere: on the command line, in files of options
// and in summaries.
package cli
