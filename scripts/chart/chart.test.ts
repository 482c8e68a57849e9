// The chart against the manifests that it is made from. What Helm makes of it is compared with kustomize in the e2e suite.
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderChart } from './render-chart.ts';
import { TemplateWriter } from './template-text.ts';

const deploy = resolve(import.meta.dirname, '../../deploy');

describe('the chart', () => {
  it('is the one that the manifests make: run `npm run generate` if this fails', () => {
    const rendered = renderChart(deploy);
    const present = globSync('**/*.*', { cwd: join(deploy, 'chart') }).filter((file) => !file.endsWith('templates'));
    expect(present.toSorted()).toEqual([...rendered.keys()].toSorted());
    for (const [file, content] of rendered)
      expect(readFileSync(join(deploy, 'chart', file), 'utf8'), file).toBe(content);
  });

  it('has a template for every manifest but the namespace, which Helm is given', () => {
    const files = globSync(['*.yaml', 'controller/*.yaml', 'gates/**/*.yaml', 'monitoring/*.yaml'], { cwd: deploy })
      .filter((file) => !/kustomization|settings|promtool|^namespace/.test(file))
      .map((file) => `templates/${file.replaceAll('/', '-')}`);
    expect([...renderChart(deploy).keys()]).toEqual(expect.arrayContaining(files));
    expect(files.length).toBeGreaterThan(8);
  });

  it('is made from texts that kustomize passes on as they are: in folded ones it puts an empty line before an indented one', () => {
    const files = globSync('**/*.yaml', { cwd: deploy }).filter((file) => !file.startsWith('chart'));
    const folded = files.flatMap((file) => {
      const texts = readFileSync(join(deploy, file), 'utf8').matchAll(/>-\n( +)\S.*\n(?:\1.*\n)*?\1 +\S/g);
      return [...texts].map(([text]) => `${file}: ${text}`);
    });
    expect(folded, 'write |- instead').toEqual([]);
    expect(files.length).toBeGreaterThan(20);
  });

  it('names no namespace of its own', () => {
    for (const [file, content] of renderChart(deploy)) {
      if (file.startsWith('templates/') && !file.includes('alerts'))
        expect(content, file).not.toMatch(/namespace: dynamic-networks|serviceaccount:dynamic-networks/);
    }
  });
});

describe('a template', () => {
  it('has expressions where they were put, behind a key or in a list, and texts between', () => {
    const writer = new TemplateWriter();
    const object = {
      one: writer.put({ kind: 'scalar', text: '{{ .Values.one }}' }),
      list: [
        'a',
        writer.put({ kind: 'scalar', text: '"{{ .Values.two }}"' }),
        writer.put({ kind: 'optional', text: 'three', condition: '.Values.three' }),
      ],
      deep: { block: writer.put({ kind: 'block', text: '.Values.block' }) },
      within: `x:${writer.put({ kind: 'scalar', text: '{{ .Values.three }}' })}:y`,
    };
    expect(writer.render(object)).toBe(
      [
        'one: {{ .Values.one }}',
        'list:',
        '  - a',
        '  - "{{ .Values.two }}"',
        '{{- if .Values.three }}',
        '  - three',
        '{{- end }}',
        'deep:',
        '{{- with .Values.block }}',
        '  block:',
        '{{ toYaml . | indent 4 }}',
        '{{- end }}',
        'within: x:{{ .Values.three }}:y',
        '',
      ].join('\n'),
    );
  });

  it('keeps braces of others as text', () => {
    expect(new TemplateWriter().render({ text: 'node {{ $labels.node }}' })).toBe(
      'text: node {{ "{{" }} $labels.node {{ "}}" }}\n',
    );
  });
});
