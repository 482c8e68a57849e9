// Which gate turns on which feature: the whole list.
import type { Feature, FeatureContext } from './feature.ts';
import { wireAdmission } from './wire-admission.ts';
import { wireClaims } from './wire-claims.ts';
import { wireVirtualMachines } from './wire-virtual-machines.ts';

export const wireFeatures = (context: FeatureContext): readonly Feature[] => [
  wireVirtualMachines(context),
  ...wireAdmission(context),
  wireClaims(context),
];
