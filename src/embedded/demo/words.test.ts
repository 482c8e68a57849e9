import { expect, it } from 'vitest';
import { splitWords } from './words.ts';

it.each([
  ['', []],
  ['  kubectl  dnet status ', ['kubectl', 'dnet', 'status']],
  ["annotate pod web k='blue@b0, red'", ['annotate', 'pod', 'web', 'k=blue@b0, red']],
  [`k='[{"name":"blue"}]'`, ['k=[{"name":"blue"}]']],
  [`"it's one"`, ["it's one"]],
  ["empty ''", ['empty', '']],
])('%s', (line, words) => {
  expect(splitWords(line)).toEqual(words);
});

it.each(["k='blue", 'say "no', `a'b"c`])('%s has a quote that is never closed', (line) => {
  expect(splitWords(line)).toBeUndefined();
});
