// Prints the CustomResourceDefinitions that virt-operator would install, as one JSON list for kubectl.
// No virt-operator runs in the test cluster, and the published module carries them as code only.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/components"
)

type maker = func() (*apiextensions.CustomResourceDefinition, error)

// virt-controller watches every kind of its API, and does not start while one of them is missing.
var makers = []maker{
	components.NewKubeVirtCrd,
	components.NewMigrationPolicyCrd,
	components.NewPresetCrd,
	components.NewReplicaSetCrd,
	components.NewVirtualMachineCloneCrd,
	components.NewVirtualMachineClusterInstancetypeCrd,
	components.NewVirtualMachineClusterPreferenceCrd,
	components.NewVirtualMachineCrd,
	components.NewVirtualMachineExportCrd,
	components.NewVirtualMachineInstanceCrd,
	components.NewVirtualMachineInstanceMigrationCrd,
	components.NewVirtualMachineInstancetypeCrd,
	components.NewVirtualMachinePoolCrd,
	components.NewVirtualMachinePreferenceCrd,
	components.NewVirtualMachineRestoreCrd,
	components.NewVirtualMachineSnapshotContentCrd,
	components.NewVirtualMachineSnapshotCrd,
}

type list struct {
	APIVersion string                                    `json:"apiVersion"`
	Kind       string                                    `json:"kind"`
	Items      []*apiextensions.CustomResourceDefinition `json:"items"`
}

func run() error {
	all := list{APIVersion: "v1", Kind: "List"}
	for _, make := range makers {
		definition, err := make()
		if err != nil {
			return fmt.Errorf("definition %d of %d: %w", len(all.Items)+1, len(makers), err)
		}
		all.Items = append(all.Items, definition)
	}
	return json.NewEncoder(os.Stdout).Encode(all)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
