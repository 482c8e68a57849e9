// The commands of the documentation that need a real cluster, for the tests that run them: a test takes the text from here.
// Those of `kubectl dnet` are run by src/integration/cli/docs.test.ts, and of npm it is checked that the script exists.
// docs.test.ts refuses a command that nobody knows, one here that no test takes, and one here that no page has any more.

/** Run as they stand by e2e/stories/documentation.e2e.ts, in this order, with names of that cluster for POD, <pod> and so on. */
export const runOnRealCluster = [
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
  'kubectl -n dynamic-networks logs <pod> --previous',
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
  // docs/node-network.md, on the same pod
  `kubectl apply -f - <<'YAML'
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: { name: node-network, namespace: default }
YAML`,
  `kubectl annotate pod web --overwrite k8s.v1.cni.cncf.io/networks='[{"name":"node-network","interface":"lan0"}]'`,
  // README: the end
  'kubectl annotate pod web k8s.v1.cni.cncf.io/networks-',
  'kubectl delete pod/web net-attach-def/blue --grace-period=1',
] as const;

/** Run as they stand, each where a test can see what comes of it; beginnings of commands with what they lack. */
export const documented = {
  // e2e/stories/by-hand.e2e.ts
  buildImage: 'docker build -f deploy/Dockerfile -t localhost/dynamic-networks:0.1.0 dist/image',
  importImage: 'docker save localhost/dynamic-networks:0.1.0 | ctr -n k8s.io images import -',
  install: 'kubectl apply -k deploy/',
  remove: 'kubectl delete -k deploy/ --ignore-not-found',
  removeFromNode: 'rm -rf /var/lib/dynamic-networks /etc/cni/multus/net.d/dynamic-networks-*.conf',
  // e2e/cluster/cluster.e2e.ts
  clusterEnv: 'eval "$(npm run --silent cluster env)"',
  // e2e/cli/krew.e2e.ts
  krewInstall: 'kubectl krew install --manifest=dist/dnet.yaml --archive=dist/kubectl-dnet.tar.gz',
  // e2e/monitoring/operator.e2e.ts
  getPodMonitors: 'kubectl -n dynamic-networks get podmonitor',
  applyPodMonitors: 'kubectl apply -f deploy/monitoring/podmonitor.yaml',
  applyMonitoring: 'kubectl apply -k deploy/monitoring',
  // e2e/helm
  createNamespace: 'kubectl create namespace dynamic-networks',
  labelNamespace: 'kubectl label namespace dynamic-networks pod-security.kubernetes.io/enforce=privileged',
  helmInstall: 'helm install dynamic-networks deploy/chart -n dynamic-networks',
  helmTakeOver: 'helm install --take-ownership',
  kustomize: 'kubectl kustomize',
  // e2e/stories/documentation.e2e.ts
  untilTerm: "kubectl apply -f it.yaml; trap 'kubectl delete -f it.yaml' TERM; sleep infinity & wait",
  // e2e/admission/webhook-faults.e2e.ts
  removeWebhook: 'kubectl delete validatingwebhookconfiguration dynamic-networks-admission',
  // e2e/vm/node-network.e2e.ts
  annotateMachine: `kubectl annotate virtualmachine vm-a dynamic-networks.io/networks='[{"name":"lan","nodeNetwork":{},"macAddress":"02:00:00:00:00:01"}]'`,
  // e2e/claims/claims-and-others.e2e.ts
  deleteClaim: 'kubectl delete ipamclaim',
  // e2e/faults/agents.ts
  takeAgentsAway: `kubectl -n dynamic-networks patch daemonset dynamic-networks-agent -p '{"spec":{"template":{"spec":{"nodeSelector":{"away":"true"}}}}}'`,
} as const;
