import { describe, expect, it } from 'vitest';
import { cpuMsIn, groupIn, memoryIn } from './proc-files.ts';

const stat =
  '4242 (node (main) x) S 1 77 4242 0 -1 4194560 20631 0 12 0 250 50 0 0 20 0 11 0 5000 1200000 21000 18446744073709551615\n';

describe('what the kernel counts for a process', () => {
  it('is its memory now and at most', () => {
    const status = 'Name:\tnode\nVmPeak:\t 900000 kB\nVmHWM:\t   90112 kB\nVmRSS:\t   81920 kB\nThreads:\t11\n';
    expect(memoryIn(status)).toEqual({ rssMiB: 80, peakMiB: 88 });
  });

  it('is its user and system time, whatever its name contains', () => expect(cpuMsIn(stat)).toBe(3000));

  it('is its group, whatever its name contains', () => expect(groupIn(stat)).toBe(77));
});
