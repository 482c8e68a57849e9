// Who runs the commands of the documentation that need a real cluster. Those of `kubectl dnet` are run by
// src/integration/cli/docs.test.ts, and of npm it is checked that the script exists. docs.test.ts refuses a command that nobody
// knows, and an entry here for a command that no page has any more.

/** Run as they stand by e2e/stories/documentation.e2e.ts, in this order, with names of that cluster for POD, <pod> and so on. */
export const runOnRealCluster: readonly string[] = [
  // README: plug and unplug
  'install -m 755 dist/kubectl-dnet.mjs /usr/local/bin/kubectl-dnet',
  `kubectl apply -f - <<'YAML'
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: { name: blue }
spec:
  config: '{"cniVersion":"0.3.1","name":"blue","type":"bridge","bridge":"br-blue","ipam":{"type":"host-local","ranges":[[{"subnet":"10.10.1.0/24"}]]}}'
YAML`,
  'kubectl run web --image=busybox -- sleep infinity',
  'kubectl wait --for=condition=Ready pod/web',
  'kubectl dnet plug web blue --interface blue0 --wait',
  'kubectl exec web -- ip address show blue0',
  'kubectl dnet status web',
  `kubectl annotate pod web --overwrite k8s.v1.cni.cncf.io/networks='[{"name":"blue","interface":"blue0"},{"name":"yellow","interface":"y0"}]'`,
  // troubleshooting, on that pod
  `kubectl get pod POD -o jsonpath='{.metadata.annotations.dynamic-networks\\.io/interfaces}'`,
  'kubectl get events --field-selector involvedObject.name=POD',
  'kubectl exec POD -- ip address',
  // runbooks
  'kubectl get events -A --field-selector involvedObject.kind=Node,reason=ReleaseFailing',
  `kubectl get events -A --field-selector type=Warning | grep -E 'FailedAdding|FailedRemoving|NetworkNotFound|NetworkForbidden'`,
  'kubectl -n dynamic-networks get daemonset dynamic-networks-agent',
  'kubectl -n dynamic-networks get pods -o wide -l app.kubernetes.io/component=agent',
  'kubectl -n dynamic-networks get pods -l app.kubernetes.io/component=controller',
  'kubectl -n dynamic-networks get lease dynamic-networks-controller -o yaml',
  'kubectl -n dynamic-networks describe pod <pod>',
  'kubectl -n dynamic-networks logs <agent>',
  'kubectl get --raw /api/v1/namespaces/dynamic-networks/pods/<pod>:9464/proxy/healthz',
  'kubectl -n kube-system get pods -o wide | grep multus',
  'kubectl auth can-i patch pods --subresource=status --as system:serviceaccount:dynamic-networks:dynamic-networks-agent -A',
  'kubectl -n dynamic-networks rollout status daemonset/dynamic-networks-agent',
  // pages about parts
  `kubectl -n net create rolebinding replicasets-use --clusterrole=dynamic-networks-use \\
  --serviceaccount=kube-system:replicaset-controller --serviceaccount=kube-system:statefulset-controller`,
  'kubectl apply -k deploy/crds',
  'kubectl get ipamclaims -A',
  'kubectl get ipamclaims -A -o custom-columns=NS:.metadata.namespace,NAME:.metadata.name,NET:.spec.network,IPS:.status.ips',
  'kubectl debug node/<node> -it --image=busybox',
  // README: the end
  'kubectl dnet unplug web y0 --wait',
  'kubectl dnet unplug web blue0 --wait',
  'kubectl annotate pod web k8s.v1.cni.cncf.io/networks-',
  'kubectl delete pod/web net-attach-def/blue --grace-period=1',
];

interface Proof {
  readonly command: string;
  /** The test, or what tests use, that does the same; and the words by which it is seen there. */
  readonly file: string;
  readonly words: string;
}

export const runElsewhere: readonly Proof[] = [
  {
    command: 'docker build -f deploy/Dockerfile -t localhost/dynamic-networks:0.1.0 dist/image',
    file: 'e2e/agent-image.ts',
    words: "['docker', 'build', '-f', 'deploy/Dockerfile', '-t', tag, 'dist/image']",
  },
  {
    command: 'docker save localhost/dynamic-networks:0.1.0 | ctr -n k8s.io images import -',
    file: 'e2e/cluster/node.ts',
    words: "ctr('images', 'import'",
  },
  {
    command: `kubectl annotate virtualmachine vm-a dynamic-networks.io/networks='[{"name":"lan","nodeNetwork":{},"macAddress":"02:00:00:00:00:01"}]'`,
    file: 'e2e/vm/node-network.e2e.ts',
    words: "'annotate', 'virtualmachine', name, '--overwrite'",
  },
  { command: 'kubectl apply -k deploy/', file: 'e2e/install-agent.ts', words: "'apply', '-k'" },
  {
    command: 'kubectl apply -f deploy/monitoring/podmonitor.yaml',
    file: 'deploy/deploy.test.ts',
    words: "read('monitoring/podmonitor.yaml')",
  },
  {
    command: 'kubectl apply -k deploy/monitoring',
    file: 'e2e/monitoring/metric-names.ts',
    words: "'../../deploy/monitoring'",
  },
  {
    command: `kubectl apply -f - <<'YAML'
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: { name: node-network, namespace: default }
YAML`,
    file: 'e2e/security/node-network.e2e.ts',
    words: 'node-network',
  },
  {
    command: `kubectl annotate pod web --overwrite k8s.v1.cni.cncf.io/networks='[{"name":"node-network","interface":"lan0"}]'`,
    file: 'e2e/security/node-network.e2e.ts',
    words: 'annotate',
  },
  {
    command: 'kubectl delete ipamclaim',
    file: 'src/integration/claims/bad-input.test.ts',
    words: 'ClaimDeleted',
  },
  {
    command: `kubectl -n dynamic-networks patch daemonset dynamic-networks-agent -p '{"spec":{"template":{"spec":{"nodeSelector":{"away":"true"}}}}}'`,
    file: 'e2e/faults/agents.ts',
    words: 'patch({ nodeSelector',
  },
  ...[
    { command: 'kubectl create namespace dynamic-networks', words: "'create', 'namespace'" },
    {
      command: 'kubectl label namespace dynamic-networks pod-security.kubernetes.io/enforce=privileged',
      words: "'pod-security.kubernetes.io/enforce=privileged'",
    },
    {
      command: 'helm install dynamic-networks deploy/chart -n dynamic-networks',
      words: "['install', release, chartDir,",
    },
    { command: 'helm install --take-ownership', words: "'--take-ownership'" },
  ].map((proof) => ({ ...proof, file: 'e2e/helm/chart-lifecycle.e2e.ts' })),
  { command: 'kubectl kustomize', file: 'e2e/helm/chart-renders.e2e.ts', words: "['kustomize', dir]" },
  { command: "echo 'blue@net1, green@g0' > edit", file: 'src/integration/cli/docs.test.ts', words: "'edit'" },
  {
    command: 'kubectl delete validatingwebhookconfiguration dynamic-networks-admission',
    file: 'e2e/admission/admission-gate.ts',
    words: "'delete', 'validatingwebhookconfiguration'",
  },
];

/** Nobody runs these, and why. */
export const notRun: Readonly<Record<string, string>> = {
  'kubectl delete -k deploy/': 'the tests after it need the installation',
  'rm -r /var/lib/dynamic-networks /etc/cni/multus/net.d/dynamic-networks-*.conf': 'likewise',
  'kubectl krew install --manifest=dist/dnet.yaml --archive=dist/kubectl-dnet.tar.gz':
    'needs krew; scripts/krew.test.ts unpacks the archive and runs what is in it',
  'kubectl -n dynamic-networks get podmonitor': 'needs the Prometheus operator',
  'kubectl -n dynamic-networks logs <pod> --previous': 'needs an agent that failed before',
  "kubectl apply -f it.yaml; trap 'kubectl delete -f it.yaml' TERM; sleep infinity & wait": "it.yaml is the reader's",
};
