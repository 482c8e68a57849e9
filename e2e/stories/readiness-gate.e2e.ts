// A pod that names the condition as a readiness gate is ready only while all its networks are.
import { expect, it } from 'vitest';
import { explained } from '../expectations.ts';
import { plugDeadlineMs, withNamespace } from '../fixture.ts';
import { bridgeNetwork } from '../networks.ts';
import { type PodRef, readyCondition } from '../pods.ts';

const story = withNamespace('gate', 44);

const expectReady = (pod: PodRef, status: 'True' | 'False') =>
  explained(
    `pod ${pod.name} to be Ready: ${status}`,
    async () => {
      const conditions = (await story.getPod(pod)).status.conditions ?? [];
      expect(conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status }));
      return true;
    },
    plugDeadlineMs,
  );

it('follows the networks', async () => {
  const late = story.plannedNetwork(bridgeNetwork, 'late');
  // startPod waits for Ready, so the gate opens for a pod without secondary networks.
  const pod = await story.startPod('gated', { spec: { readinessGates: [{ conditionType: readyCondition }] } });
  await story.annotate(pod, 'late@late0');
  await story.expectCondition(pod, 'False', 'NetworkNotFound');
  await expectReady(pod, 'False');

  await story.createNetwork(late);
  await story.expectInterfaces(pod, { late0: late });
  await expectReady(pod, 'True');
});
