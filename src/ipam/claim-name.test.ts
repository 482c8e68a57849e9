import { describe, expect, it } from 'vitest';
import { claimName } from './claim-name.ts';

describe('claimName', () => {
  it.each([
    ['vm-a', 'tenantred', 'vm-a.tenantred'],
    ['VM_a', 'Net-1-', 'vm.a.net-1'],
    ['vm.a', 'b..c', 'vm.a.b.c'],
    ['web-0', 'net1', 'web-0.net1'],
    ['-', '_', ''],
    ['a'.repeat(200), 'b'.repeat(100), `${'a'.repeat(200)}.${'b'.repeat(52)}`],
  ])('of %j and %j is %j', (workload, network, expected) => {
    expect(claimName(workload, network)).toBe(expected);
  });
});
