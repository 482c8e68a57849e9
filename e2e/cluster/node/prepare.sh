#!/bin/bash
# Turns a container into something kubelet accepts as a machine. Runs at every start of the container.
set -eu

# kubelet opens the kernel log; its content does not matter here.
[ -e /dev/kmsg ] || ln -s /dev/null /dev/kmsg

mount -o remount,rw /sys
# Pods with HostToContainer mounts (Multus sees new network namespaces that way) need a shared root.
mount --make-rshared /

if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  # cgroup v2: a cgroup with controllers for its children may not hold processes itself, so ours move into a leaf.
  mount -o remount,rw /sys/fs/cgroup
  mkdir -p /sys/fs/cgroup/init
  xargs -rn1 </sys/fs/cgroup/cgroup.procs 2>/dev/null >/sys/fs/cgroup/init/cgroup.procs || true
  sed -e 's/ / +/g' -e 's/^/+/' </sys/fs/cgroup/cgroup.controllers >/sys/fs/cgroup/cgroup.subtree_control
else
  for hierarchy in /sys/fs/cgroup/*; do
    if mountpoint -q "$hierarchy"; then mount -o remount,rw,bind "$hierarchy"; fi
  done
fi

mkdir -p /etc/cni/net.d /var/log/cluster /run/supervise
echo 1 >/proc/sys/net/ipv4/ip_forward

# What the harness wants done at each boot: routes, the default network.
if [ -e /etc/cluster/boot.sh ]; then bash /etc/cluster/boot.sh; fi
