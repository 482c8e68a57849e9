// A CNI plugin that behaves as one for SR-IOV does, without the hardware: what it is given is a device by its PCI address, at most one
// container has a device at a time, and the result names it. The interface itself is made by the macvlan plugin.
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
	"strings"
)

const (
	// Who has which device: a file per PCI address.
	holdersDir = "/run/sriov-like"
	// The newest that the wrapped plugin speaks.
	wrappedVersion = "1.0.0"
	// The first whose results can name a device.
	deviceVersion = "1.1.0"

	codeInvalidConfig = 7
	codeTryLater      = 11
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
	return &cniError{Version: wrappedVersion, Code: code, Message: "sriov-like: " + fmt.Sprintf(format, args...)}
}

func text(value any) string {
	found, _ := value.(string)
	return found
}

// Multus writes the device into the config at pod creation; whoever plugs later may use the capability instead.
func deviceOf(config document) string {
	if device := text(config["deviceID"]); device != "" {
		return device
	}
	runtime, _ := config["runtimeConfig"].(document)
	return text(runtime["deviceID"])
}

func holder() string { return os.Getenv("CNI_CONTAINERID") + " " + os.Getenv("CNI_IFNAME") }

// take fails if another container has the device: a real one would not be in the node's network namespace any more.
func take(device string) error {
	if err := os.MkdirAll(holdersDir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(holdersDir, device)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, os.ErrExist) {
		by, _ := os.ReadFile(path)
		return fail(codeTryLater, "device %s is in use by %s", device, by)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteString(holder())
	return err
}

// release goes by the holder, because DEL may come without the device.
func release() error {
	files, err := filepath.Glob(filepath.Join(holdersDir, "*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if by, err := os.ReadFile(file); err == nil && string(by) == holder() {
			if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

func wrapped(config document) ([]byte, error) {
	inner := document{}
	for key, value := range config {
		inner[key] = value
	}
	inner["cniVersion"] = wrappedVersion
	inner["type"] = "macvlan"
	input, err := json.Marshal(inner)
	if err != nil {
		return nil, err
	}
	var program string
	for _, folder := range strings.Split(os.Getenv("CNI_PATH"), ":") {
		if path := filepath.Join(folder, "macvlan"); program == "" {
			if _, err := os.Stat(path); err == nil {
				program = path
			}
		}
	}
	if program == "" {
		return nil, fail(codeInternal, "no macvlan plugin in CNI_PATH %q", os.Getenv("CNI_PATH"))
	}
	command := exec.Command(program)
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
	return nil, fail(codeInternal, "macvlan: %v: %s", err, output)
}

func add(config document) error {
	device := deviceOf(config)
	if device == "" {
		return fail(codeInvalidConfig, "a device is required: deviceID is missing")
	}
	if err := take(device); err != nil {
		return err
	}
	output, err := wrapped(config)
	if err != nil {
		return errors.Join(err, release())
	}
	var result document
	if err := json.Unmarshal(output, &result); err != nil {
		return err
	}
	version := text(config["cniVersion"])
	result["cniVersion"] = version
	interfaces, _ := result["interfaces"].([]any)
	for _, one := range interfaces {
		if link, ok := one.(document); ok && text(link["sandbox"]) != "" && version == deviceVersion {
			link["pciID"] = device
		}
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func del(config document) error {
	if _, err := wrapped(config); err != nil {
		return err
	}
	return release()
}

func run() error {
	command := os.Getenv("CNI_COMMAND")
	if command == "VERSION" {
		supported := document{
			"cniVersion":        deviceVersion,
			"supportedVersions": []string{"0.3.1", "0.4.0", wrappedVersion, deviceVersion},
		}
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
		return del(config)
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
		known = &cniError{Version: wrappedVersion, Code: codeInternal, Message: err.Error()}
	}
	_ = json.NewEncoder(os.Stdout).Encode(known)
	os.Exit(1)
}
