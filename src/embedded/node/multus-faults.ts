// The ways in which the Multus daemon can be made to misbehave, and which requests a fault is for.
import type { DelegateCall } from './delegate-request.ts';
import type { StrikingFault } from './fault-table.ts';

export type MultusFault =
  /** Acts and answers after this long. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Neither acts nor answers until the fault is released. */
  | { readonly kind: 'hang' }
  /** Answers 400 without acting. */
  | { readonly kind: 'error'; readonly message?: string }
  /** Acts fully, then answers 400. */
  | { readonly kind: 'errorAfterActing'; readonly message?: string }
  /** ADD makes the link and takes the address, then fails; nothing is cached. */
  | { readonly kind: 'halfWay'; readonly message?: string }
  /** The connection ends in the middle of the answer. */
  | { readonly kind: 'cut'; readonly acted: boolean }
  /** Any answer at all. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: string; readonly acted?: boolean };

export interface FaultFilter {
  readonly command?: 'ADD' | 'DEL' | 'CHECK';
  readonly ifname?: string;
  /** The CNI config's `name`. */
  readonly network?: string;
  /** `namespace/name` */
  readonly pod?: string;
  readonly containerId?: string;
  /** How often the fault strikes; for ever if absent. */
  readonly times?: number;
}

const filterKeys = ['command', 'ifname', 'network', 'pod', 'containerId'] as const;

export const matchesFilter = (call: DelegateCall, filter: FaultFilter): boolean =>
  filterKeys.every((key) => filter[key] === undefined || filter[key] === call[key]);

export interface FaultDecision {
  readonly delayMs: number;
  readonly hangs: readonly Promise<void>[];
  readonly acts: boolean;
  readonly halfWay: string | undefined;
  readonly error: string | undefined;
  readonly answer: { readonly status: number; readonly body: string } | undefined;
  readonly cuts: boolean;
}

/** Delays add up; of the faults that decide the answer the first one counts. */
export const decideFault = (striking: readonly StrikingFault<MultusFault>[]): FaultDecision => {
  const faults = striking.map(({ fault }) => fault);
  const delayMs = faults.reduce((sum, fault) => sum + (fault.kind === 'slow' ? fault.ms : 0), 0);
  const hangs = striking.filter(({ fault }) => fault.kind === 'hang').map(({ released }) => released);
  const deciding = faults.find((fault) => fault.kind !== 'slow' && fault.kind !== 'hang');
  const none = { delayMs, hangs, acts: true, halfWay: undefined, error: undefined, answer: undefined, cuts: false };
  switch (deciding?.kind) {
    case 'error':
      return { ...none, acts: false, error: deciding.message ?? 'injected error' };
    case 'errorAfterActing':
      return { ...none, error: deciding.message ?? 'injected error after acting' };
    case 'halfWay':
      return { ...none, halfWay: deciding.message ?? 'injected error half-way' };
    case 'cut':
      return { ...none, acts: deciding.acted, cuts: true };
    case 'answer':
      return { ...none, acts: deciding.acted ?? false, answer: { status: deciding.status, body: deciding.body } };
    default:
      return none;
  }
};
