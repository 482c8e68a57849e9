// A node whose pods leave by another interface than `eth0`: the node's own default network, set up anew with a second leg, which
// has the gateway and the default route. Pods that run already keep what they have.
import { ensureComponent } from './build-components.ts';
import { inNode, podCidr } from './layout.ts';
import type { ClusterNode } from './node.ts';
import { defaultNetwork } from './services.ts';

/** What Multus reports as the default network's interface of such pods. */
export const uplinkInterface = 'uplink0';

const bridge = 'uplink';
/** Only seen on the node itself, which hides it behind its own address: both nodes may have the same. */
const subnet = '10.245.0.0/24';

const twoLegged = (node: ClusterNode): object => {
  const inner = defaultNetwork(node.name);
  return {
    cniVersion: '1.0.0',
    name: 'default-network',
    type: 'two-legged',
    legs: [
      // Other pods are still reached by the first one, and the kubelet reaches the pod there.
      {
        ...inner,
        isDefaultGateway: false,
        isGateway: true,
        ipam: { ...inner.ipam, routes: [{ dst: podCidr }] },
      },
      {
        name: 'uplink-network',
        interface: uplinkInterface,
        type: 'bridge',
        bridge,
        isDefaultGateway: true,
        ipMasq: true,
        ipam: { type: 'host-local', ranges: [[{ subnet }]] },
      },
    ],
  };
};

/** Beside and renamed: Multus and the runtime may read it at any moment. */
const writeDefaultNetwork = (node: ClusterNode, text: string): Promise<string> => {
  const script = 'printf %s "$2" > "$1.new" && mv "$1.new" "$1"';
  return node.run(['sh', '-c', script, 'sh', inNode.defaultNetwork, text]);
};

export const giveUplink = async (node: ClusterNode): Promise<void> => {
  const { key } = await ensureComponent('two-legged');
  const script = 'cp "$1" "$2/.two-legged" && mv "$2/.two-legged" "$2/two-legged"';
  await node.run(['sh', '-c', script, 'sh', `${inNode.components}/${key}/two-legged`, inNode.cniPlugins]);
  await writeDefaultNetwork(node, JSON.stringify(twoLegged(node)));
};

/** For pods that start from now on. Those that have an uplink should be gone. */
export const takeUplink = async (node: ClusterNode): Promise<void> => {
  await writeDefaultNetwork(node, JSON.stringify(defaultNetwork(node.name)));
  await node.exec(['ip', 'link', 'delete', bridge]);
};
