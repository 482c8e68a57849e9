#!/bin/sh
# Puts the whereabouts plugin and its credentials on the node, and keeps the credentials fresh.
# The plugin is run by Multus in the node's file system, so it cannot read this pod's own service account files.
set -eu
account=/var/run/secrets/kubernetes.io/serviceaccount
target=/host/etc/cni/net.d/whereabouts.d
on_node=/etc/cni/net.d/whereabouts.d

mkdir -p "$target"
chmod 700 "$target"

# A running plugin must never see half a file: write beside, then rename.
place() { cp "$1" "$2.new" && chmod "$3" "$2.new" && mv "$2.new" "$2"; }

place "$account/ca.crt" "$target/ca.crt" 600
place "$account/token" "$target/token" 600

cat >/tmp/kubeconfig <<END
apiVersion: v1
kind: Config
clusters:
- name: cluster
  cluster:
    server: https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT
    certificate-authority: $on_node/ca.crt
users:
- name: whereabouts
  user:
    tokenFile: $on_node/token
contexts:
- name: whereabouts
  context: {cluster: cluster, user: whereabouts, namespace: $POD_NAMESPACE}
current-context: whereabouts
END
place /tmp/kubeconfig "$target/whereabouts.kubeconfig" 600

cat >/tmp/whereabouts.conf <<END
{"datastore": "kubernetes", "kubernetes": {"kubeconfig": "$on_node/whereabouts.kubeconfig"}}
END
place /tmp/whereabouts.conf "$target/whereabouts.conf" 600

place /usr/local/bin/whereabouts /host/opt/cni/bin/whereabouts 755
touch /tmp/installed

trap 'exit 0' TERM
while true; do
  sleep 60 & wait $!
  if ! cmp -s "$account/token" "$target/token"; then place "$account/token" "$target/token" 600; fi
done
