import { describe, expect, it } from 'vitest';
import { isolationProblem, isSameRules, type MultusRules, unknownRules } from './multus-rules.ts';
import { network } from './test-builders.ts';

const isolated = (...globalNamespaces: string[]): MultusRules => ({
  isNamespaceIsolated: true,
  globalNamespaces,
  defaultNetworks: new Set(),
});

describe('isolationProblem', () => {
  it.each<[string, MultusRules, string, boolean]>([
    ['without isolation every network may be used', { ...isolated(), isNamespaceIsolated: false }, 'infra/blue', true],
    ['a network of the pod’s own namespace may be used', isolated(), 'shop/blue', true],
    ['a network of another namespace may not', isolated(), 'infra/blue', false],
    ['default is global when nothing is named', isolated(), 'default/blue', true],
    ['default is not global when others are named', isolated('infra'), 'default/blue', false],
    ['networks of a global namespace may be used', isolated('kube-system', 'infra'), 'infra/blue', true],
    ['while nothing is known, the pod’s own namespace may be used', unknownRules, 'shop/blue', true],
    ['while nothing is known, another namespace may not', unknownRules, 'infra/blue', false],
    ['while nothing is known, not even the usual global one may', unknownRules, 'default/blue', false],
    ['a namespace that only begins like it is not the same', isolated('infra'), 'infra-2/blue', false],
  ])('%s', (_, rules, wanted, isAllowed) => {
    expect(isolationProblem(rules, 'shop', network(wanted)) === undefined).toBe(isAllowed);
  });

  it('names the network, the rule and what may be used instead', () => {
    expect(isolationProblem(isolated('a', 'b'), 'shop', network('infra/blue'))).toMatch(
      /^network infra\/blue is in another namespace.*namespaceIsolation.*use a network of shop, or one of a, b$/,
    );
  });
});

describe('isSameRules', () => {
  it.each<[string, MultusRules, MultusRules, boolean]>([
    ['equal rules', isolated('a', 'b'), isolated('b', 'a', 'a'), true],
    ['another namespace', isolated('a'), isolated('b'), false],
    ['one namespace more', isolated('a'), isolated('a', 'b'), false],
    ['isolation or none', isolated(), { ...isolated(), isNamespaceIsolated: false }, false],
    ['known or not', isolated(), unknownRules, false],
    ['another default network', isolated(), { ...isolated(), defaultNetworks: new Set(['a/b']) }, false],
  ])('%s', (_, a, b, isSame) => {
    expect(isSameRules(a, b)).toBe(isSame);
    expect(isSameRules(b, a)).toBe(isSame);
  });
});
