import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { helpText } from './commands.ts';
import { usage } from './options.ts';
import { sampleRow, sampleSnapshot } from './sample-snapshot.ts';
import { colourful, PAGE_WIDTH, plain } from './style.ts';
import * as view from './view.ts';

const net1 = sampleRow('net1', 'default/blue', '10.10.1.2');

/** As a terminal counts them. */
const widthOf = (line: string): number => stripVTControlCharacters(line).length;

describe('renderTable', () => {
  it('has a line per interface with what each witness says', () => {
    const halfPlugged = {
      name: 'data0',
      leased: ['10.20.0.2'],
      kernel: { network: 'infra/storage', mac: 'x', addresses: ['10.20.0.2'] },
    };
    expect(view.renderTable(sampleSnapshot([net1, halfPlugged]), plain)).toEqual([
      '  INTERFACE  NETWORK           ADDRESS     IN KERNEL  IN IPAM  IN NETWORK-STATUS  READY',
      '  eth0       podnet (default)  10.244.0.3  yes        yes      yes                -',
      '  net1       default/blue      10.10.1.2   yes        yes      yes                yes',
      '  data0      infra/storage     10.20.0.2   yes        yes      no                 no',
    ]);
  });

  it('shows an interface that only the Ready report knows', () => {
    const refused = { name: '', leased: [], report: { network: 'default/blue', ready: false } };
    expect(view.renderTable(sampleSnapshot([refused]), plain).at(-1)).toMatch(
      /^ {2}- +default\/blue +- +no +no +no +no$/,
    );
  });

  it.each([plain, colourful])('stays within the page, whatever the names', (style) => {
    const long = sampleRow(
      'fifteen-letters',
      `${'n'.repeat(63)}/${'x'.repeat(200)}`,
      'fd00:1234:5678:9abc:def0:1234:5678:9abc',
    );
    for (const line of view.renderTable(sampleSnapshot([net1, long]), style)) {
      expect(widthOf(line)).toBeLessThanOrEqual(PAGE_WIDTH);
    }
  });

  it('is the same text with colours', () => {
    const coloured = view.renderTable(sampleSnapshot([net1]), colourful).join('\n');
    expect(coloured).toContain('\u001b[32m');
    expect(stripVTControlCharacters(coloured)).toBe(view.renderTable(sampleSnapshot([net1]), plain).join('\n'));
  });
});

describe('annotateCommand', () => {
  const annotation = 'k8s.v1.cni.cncf.io/networks';

  it.each([
    ['a short text', 'blue', `kubectl annotate pod web --overwrite ${annotation}='blue'`],
    ['no text', undefined, `kubectl annotate pod web ${annotation}-`],
    ['a quote inside', "it's", `kubectl annotate pod web --overwrite ${annotation}="it's"`],
    [
      'a long text',
      'blue@net1, infra/storage@data0, red',
      `kubectl annotate pod web --overwrite \\\n${annotation}='blue@net1, infra/storage@data0, red'`,
    ],
  ])('%s', (_, text, expected) => {
    expect(view.annotateCommand('web', annotation, text)).toBe(expected);
  });

  it('is drawn within the page, and nothing of it is lost', () => {
    const text = JSON.stringify(Array.from({ length: 8 }, (_, index) => ({ name: 'blue', interface: `net${index}` })));
    const lines = view.renderCommand(view.annotateCommand('web', annotation, text), plain);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(PAGE_WIDTH);
    expect(lines.map((line) => line.trim()).join('')).toContain(text);
  });
});

it('events name their reason, and wrap below their text', () => {
  const event = { uid: '1', component: 'dynamic-networks', type: 'Warning', reason: 'InvalidNetworks' };
  const lines = view.renderEvents([{ ...event, message: 'element 3: '.repeat(12).trim() }], plain);
  expect(lines[0]).toMatch(/^ {2}event Warning InvalidNetworks: element 3:/);
  expect(lines[1]).toMatch(/^ {16}\S/);
});

it('addresses in use are counted and named', () => {
  expect(view.renderAddresses(sampleSnapshot([net1]).leases, plain)).toEqual([
    '  addresses in use: 2  10.244.0.3 (podnet), 10.10.1.2 (default/blue)',
  ]);
  expect(view.renderAddresses([], plain)).toEqual(['  addresses in use: 0']);
});

it('changes have their time and witness in columns', () => {
  const change = { witness: 'kernel', tone: 'neutral', text: 'net1 created on default/blue' } as const;
  expect(view.renderChange(change, 12.3, plain)).toBe('       +12 ms  kernel          net1 created on default/blue');
});

it('differences show both sides', () => {
  expect(view.renderDifferences([{ expected: 'kernel: net1', seen: 'no link net1' }], plain)).toEqual([
    '  expected  kernel: net1',
    '  seen      no link net1',
  ]);
});

it.each([
  ['done', { kind: 'done' } as const, '  ✓ settled after 12 ms'],
  ['complaint', { kind: 'complaint', message: 'no' } as const, '  ! not Ready after 12 ms: no'],
  ['open', { kind: 'open', differences: [] } as const, '  ! not settled after 12 ms; the agent keeps trying'],
])('a settlement that is %s', (_, settlement, line) => {
  expect(view.renderSettlement(settlement, 12, plain)).toEqual([line]);
});

it('a network is described by what makes its link and where addresses come from', () => {
  expect(
    view.describeConfig('{"type":"bridge","ipam":{"type":"host-local","ranges":[[{"subnet":"10.1.0.0/24"}]]}}'),
  ).toBe('bridge, 10.1.0.0/24');
  expect(view.describeConfig('')).toBe('config elsewhere');
});

it('fixed texts stay within the page', () => {
  const lines = [...usage.split('\n'), ...helpText.split('\n'), ...view.renderTitle('1/8', 'A title', plain)];
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(PAGE_WIDTH);
});
