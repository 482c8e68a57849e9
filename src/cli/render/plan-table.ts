import { wrap } from '../../model/wrap-text.ts';
import type { Origin, Preview, PreviewStep } from '../logic/preview-plan.ts';
import type { Paint, Style } from './style.ts';
import { renderTable } from './table.ts';

const SIGNS: Readonly<Record<PreviewStep['action'], string>> = {
  attach: '+ plug',
  detach: '- unplug',
  replace: '~ replace',
  keep: '  keep',
  refuse: '! refuse',
};

const ONLY_IF: Readonly<Record<Origin, string>> = {
  cameWithPod: 'if it came with the pod',
  hotPlugged: 'if it was plugged into the running pod',
};

export const renderPlan = (
  preview: Preview,
  { width, style }: { readonly width: number; readonly style: Style },
): string => {
  if (preview.state === 'blocked')
    return wrap(`Nothing would change. ${preview.reason}: ${preview.message}`, 100).join('\n');
  if (preview.steps.length === 0) return 'Nothing would change: no secondary network is asked for, and there is none.';
  const looks: Readonly<Record<PreviewStep['action'], Paint>> = {
    attach: style.good,
    detach: style.bad,
    replace: style.notice,
    keep: style.dim,
    refuse: style.bad,
  };
  return renderTable({
    heads: ['ACTION', 'INTERFACE', 'NETWORK', 'ONLY'],
    rows: preview.steps.map((step) => ({
      cells: [
        { text: SIGNS[step.action], look: looks[step.action] },
        step.interface || '-',
        step.from === undefined ? step.network : `${step.from} -> ${step.network}`,
        step.onlyIf === undefined ? '' : ONLY_IF[step.onlyIf],
      ],
      ...(step.reason !== undefined && { notes: [`${step.reason}: ${step.message ?? ''}`], noteLook: style.notice }),
    })),
    width,
  });
};
