// A device plugin that offers devices which are nothing but PCI addresses, in the way that the one for SR-IOV does: containers learn theirs
// from a variable, Multus from a file.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const (
	socketName = "e2e-vf.sock"
	infoDir    = "/var/run/k8s.cni.cncf.io/devinfo/dp"
	lookEvery  = 500 * time.Millisecond
	deadline   = 10 * time.Second
)

type plugin struct {
	api.UnimplementedDevicePluginServer
	resource string
	devices  []*api.Device
}

func (p *plugin) GetDevicePluginOptions(context.Context, *api.Empty) (*api.DevicePluginOptions, error) {
	return &api.DevicePluginOptions{}, nil
}

// Nothing ever changes: one list, and then silence until the kubelet goes.
func (p *plugin) ListAndWatch(_ *api.Empty, stream api.DevicePlugin_ListAndWatchServer) error {
	if err := stream.Send(&api.ListAndWatchResponse{Devices: p.devices}); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

func (p *plugin) Allocate(_ context.Context, request *api.AllocateRequest) (*api.AllocateResponse, error) {
	name := "PCIDEVICE_" + strings.NewReplacer("/", "_", ".", "_").Replace(strings.ToUpper(p.resource))
	response := &api.AllocateResponse{}
	for _, container := range request.ContainerRequests {
		response.ContainerResponses = append(response.ContainerResponses, &api.ContainerAllocateResponse{
			Envs: map[string]string{name: strings.Join(container.DevicesIds, ",")},
		})
	}
	return response, nil
}

func (p *plugin) writeInfo() error {
	if err := os.MkdirAll(infoDir, 0o755); err != nil {
		return err
	}
	for _, device := range p.devices {
		info, err := json.Marshal(map[string]any{
			"type":    "pci",
			"version": "1.1.0",
			"pci":     map[string]string{"pci-address": device.ID},
		})
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s-%s-device.json", strings.ReplaceAll(p.resource, "/", "-"), device.ID)
		if err := os.WriteFile(filepath.Join(infoDir, name), info, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (p *plugin) register(folder string) error {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	kubelet := "unix://" + filepath.Join(folder, "kubelet.sock")
	connection, err := grpc.NewClient(kubelet, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	request := &api.RegisterRequest{Version: api.Version, Endpoint: socketName, ResourceName: p.resource}
	_, err = api.NewRegistrationClient(connection).Register(ctx, request)
	return err
}

func run() error {
	folder, resource := os.Getenv("PLUGIN_DIR"), os.Getenv("RESOURCE")
	offered := &plugin{resource: resource}
	for _, id := range strings.Split(os.Getenv("DEVICES"), ",") {
		offered.devices = append(offered.devices, &api.Device{ID: id, Health: api.Healthy})
	}
	if err := offered.writeInfo(); err != nil {
		return err
	}
	socket := filepath.Join(folder, socketName)
	if err := os.RemoveAll(socket); err != nil {
		return err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	api.RegisterDevicePluginServer(server, offered)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	if err := offered.register(folder); err != nil {
		return err
	}
	log.Printf("offers %d devices of %s", len(offered.devices), resource)
	for {
		select {
		case err := <-failed:
			return err
		case <-time.After(lookEvery):
			// A kubelet that starts removes the sockets of all plugins, and waits for them to come back.
			if _, err := os.Stat(socket); err != nil {
				return fmt.Errorf("the kubelet started anew: %w", err)
			}
		}
	}
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
