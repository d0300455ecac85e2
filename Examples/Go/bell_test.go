package calls

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// bell starts a phone of the test's own, and returns the environment that names it.
func bell(t *testing.T) []string {
	serve := exec.Command("belfry", "serve")
	serve.Stderr = os.Stderr
	output, err := serve.StdoutPipe()
	if err != nil || serve.Start() != nil {
		t.Fatal("belfry serve cannot be started")
	}
	t.Cleanup(func() { serve.Process.Signal(os.Interrupt); serve.Wait() })
	environment := os.Environ()
	for lines := bufio.NewScanner(output); len(environment) < len(os.Environ())+3 && lines.Scan(); {
		environment = append(environment, lines.Text())
	}
	return environment
}

// value is what environment says of name.
func value(environment []string, name string) (value string) {
	for _, variable := range environment {
		if strings.HasPrefix(variable, name+"=") {
			value = variable[len(name)+1:]
		}
	}
	return value
}
