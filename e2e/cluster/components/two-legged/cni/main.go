// A CNI plugin that gives a pod several interfaces at once, its legs, each made by a plugin of its own: for a default network that
// leaves the pod by another interface than the one that the runtime asked for. Only a leg with `isDefaultGateway` has a gateway in
// the result; IPAM plugins name one for every range, whether it is used or not.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	codeInvalidConfig = 7
	codeInternal      = 999
)

type document = map[string]any

type cniError struct {
	Version string `json:"cniVersion"`
	Code    int    `json:"code"`
	Message string `json:"msg"`
}

func (e *cniError) Error() string { return e.Message }

func fail(code int, format string, args ...any) error {
	return &cniError{Version: "1.0.0", Code: code, Message: "two-legged: " + fmt.Sprintf(format, args...)}
}

// A leg is the config of the plugin that makes it, and the interface's name; without one it is the one that the runtime asks for.
type leg struct {
	config    document
	plugin    string
	ifname    string
	isGateway bool
}

func legsOf(config document) ([]leg, error) {
	listed, _ := config["legs"].([]any)
	if len(listed) == 0 {
		return nil, fail(codeInvalidConfig, "legs is empty")
	}
	legs := make([]leg, 0, len(listed))
	for _, one := range listed {
		inner, ok := one.(document)
		if !ok {
			return nil, fail(codeInvalidConfig, "a leg is no object")
		}
		plugin, _ := inner["type"].(string)
		ifname, _ := inner["interface"].(string)
		if ifname == "" {
			ifname = os.Getenv("CNI_IFNAME")
		}
		isGateway, _ := inner["isDefaultGateway"].(bool)
		inner["cniVersion"] = config["cniVersion"]
		delete(inner, "interface")
		legs = append(legs, leg{config: inner, plugin: plugin, ifname: ifname, isGateway: isGateway})
	}
	return legs, nil
}

func programOf(plugin string) (string, error) {
	for _, folder := range strings.Split(os.Getenv("CNI_PATH"), ":") {
		if path := filepath.Join(folder, filepath.Base(plugin)); plugin != "" {
			if _, err := os.Stat(path); err == nil {
				return path, nil
			}
		}
	}
	return "", fail(codeInternal, "no plugin %q in CNI_PATH %q", plugin, os.Getenv("CNI_PATH"))
}

func (l leg) run(cniCommand string) ([]byte, error) {
	program, err := programOf(l.plugin)
	if err != nil {
		return nil, err
	}
	input, err := json.Marshal(l.config)
	if err != nil {
		return nil, err
	}
	command := exec.Command(program)
	command.Env = append(os.Environ(), "CNI_COMMAND="+cniCommand, "CNI_IFNAME="+l.ifname)
	command.Stdin = bytes.NewReader(input)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err == nil {
		return output, nil
	}
	var told cniError
	if json.Unmarshal(output, &told) == nil && told.Message != "" {
		return nil, &told
	}
	return nil, fail(codeInternal, "%s for %s: %v: %s", l.plugin, l.ifname, err, output)
}

func listIn(result document, key string) []any {
	list, _ := result[key].([]any)
	return list
}

// join appends what a leg made: addresses name their interface by its place in the list.
func join(whole, part document, isGateway bool) {
	before := len(listIn(whole, "interfaces"))
	for _, one := range listIn(part, "ips") {
		address, ok := one.(document)
		if !ok {
			continue
		}
		if index, isPlaced := address["interface"].(float64); isPlaced {
			address["interface"] = int(index) + before
		}
		if !isGateway {
			delete(address, "gateway")
		}
	}
	for _, key := range []string{"interfaces", "ips", "routes"} {
		whole[key] = append(listIn(whole, key), listIn(part, key)...)
	}
}

func add(config document) error {
	legs, err := legsOf(config)
	if err != nil {
		return err
	}
	result := document{"cniVersion": config["cniVersion"], "dns": document{}}
	for done, one := range legs {
		output, err := one.run("ADD")
		if err != nil {
			return errors.Join(err, del(legs[:done+1]))
		}
		var part document
		if err := json.Unmarshal(output, &part); err != nil {
			return errors.Join(err, del(legs[:done+1]))
		}
		join(result, part, one.isGateway)
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

// del takes the last leg first, and every leg even if another one fails.
func del(legs []leg) error {
	var failures error
	for _, one := range slices.Backward(legs) {
		if _, err := one.run("DEL"); err != nil {
			failures = errors.Join(failures, err)
		}
	}
	return failures
}

func run() error {
	command := os.Getenv("CNI_COMMAND")
	if command == "VERSION" {
		supported := document{"cniVersion": "1.0.0", "supportedVersions": []string{"0.3.1", "0.4.0", "1.0.0"}}
		return json.NewEncoder(os.Stdout).Encode(supported)
	}
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var config document
	if err := json.Unmarshal(input, &config); err != nil {
		return fail(codeInvalidConfig, "the config cannot be read: %v", err)
	}
	switch command {
	case "ADD":
		return add(config)
	case "DEL":
		legs, err := legsOf(config)
		if err != nil {
			return err
		}
		return del(legs)
	case "CHECK", "STATUS", "GC":
		return nil
	default:
		return fail(codeInternal, "unknown command %q", command)
	}
}

func main() {
	err := run()
	if err == nil {
		return
	}
	var known *cniError
	if !errors.As(err, &known) {
		known = &cniError{Version: "1.0.0", Code: codeInternal, Message: err.Error()}
	}
	_ = json.NewEncoder(os.Stdout).Encode(known)
	os.Exit(1)
}
