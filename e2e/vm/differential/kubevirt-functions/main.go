// Answers what KubeVirt's own functions make of virtual machines: reads a JSON list of moments, writes a list of answers.
// Each answer is of the functions that virt-controller calls, with nothing of ours in between.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirt "kubevirt.io/api/core/v1"
	"kubevirt.io/client-go/kubevirt/fake"
	"kubevirt.io/kubevirt/pkg/network/controllers"
	"kubevirt.io/kubevirt/pkg/network/pod/annotations"
)

const networksKey = "k8s.v1.cni.cncf.io/networks"

type moment struct {
	VM      *kubevirt.VirtualMachine                   `json:"vm"`
	VMI     *kubevirt.VirtualMachineInstance           `json:"vmi"`
	Pod     *core.Pod                                  `json:"pod"`
	Plugins map[string]kubevirt.InterfaceBindingPlugin `json:"plugins"`
}

type lists struct {
	Networks   []kubevirt.Network   `json:"networks"`
	Interfaces []kubevirt.Interface `json:"interfaces"`
}

type answer struct {
	// The networks annotation of a pod that is made now.
	Created string `json:"created"`
	// Annotations that a live pod is given now; none when it stays as it is.
	Live map[string]string `json:"live"`
	// The networks annotation of a migration's target that is made now, this pod being the source.
	Target string `json:"target"`
	// status.interfaces.
	Status []kubevirt.VirtualMachineInstanceNetworkInterface `json:"status"`
	// What the running machine and the template become.
	Instance lists `json:"instance"`
	Template lists `json:"template"`
	Error    string `json:"error,omitempty"`
}

type configuration map[string]kubevirt.InterfaceBindingPlugin

func (c configuration) GetNetworkBindings() map[string]kubevirt.InterfaceBindingPlugin { return c }

func answerFor(m moment) (answer, error) {
	generator := annotations.NewGenerator(configuration(m.Plugins))
	var result answer

	made, err := generator.Generate(m.VMI.DeepCopy())
	if err != nil {
		return answer{Error: err.Error()}, nil
	}
	result.Created = made[networksKey]
	result.Target = result.Created
	fromSource, err := generator.GenerateFromSource(m.VMI.DeepCopy(), m.Pod)
	if err != nil {
		return answer{}, err
	}
	if text, ok := fromSource[networksKey]; ok {
		result.Target = text
	}
	result.Live = generator.GenerateFromActivePod(m.VMI.DeepCopy(), m.Pod)

	updated := m.VMI.DeepCopy()
	if err := controllers.UpdateVMIStatus(updated, m.Pod); err != nil {
		return answer{}, err
	}
	result.Status = updated.Status.Interfaces

	client := fake.NewSimpleClientset(m.VMI.DeepCopy())
	template, err := controllers.NewVMController(client).Sync(m.VM.DeepCopy(), m.VMI.DeepCopy())
	if err != nil {
		return answer{}, err
	}
	instance, err := client.KubevirtV1().VirtualMachineInstances(m.VMI.Namespace).Get(context.Background(), m.VMI.Name, meta.GetOptions{})
	if err != nil {
		return answer{}, err
	}
	result.Instance = lists{instance.Spec.Networks, instance.Spec.Domain.Devices.Interfaces}
	spec := template.Spec.Template.Spec
	result.Template = lists{spec.Networks, spec.Domain.Devices.Interfaces}
	return result, nil
}

func run() error {
	var moments []moment
	if err := json.NewDecoder(os.Stdin).Decode(&moments); err != nil {
		return err
	}
	answers := make([]answer, 0, len(moments))
	for index, each := range moments {
		one, err := answerFor(each)
		if err != nil {
			return fmt.Errorf("moment %d: %w", index, err)
		}
		answers = append(answers, one)
	}
	return json.NewEncoder(os.Stdout).Encode(answers)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
