// Objects as text of a Helm template. A value that the chart leaves to its user is an expression in its place; the text around
// it is plain YAML.
import { dump } from 'js-yaml';
import type { KubeObject } from './kustomize-objects.ts';

/**
 * Stands for a Helm expression until the YAML is text. `scalar` stands behind its key on one line; `block` is YAML of several lines
 * below its key, which is left out with it when there is none; the line of an `optional` one is there on a condition.
 */
export type Expression =
  | { readonly kind: 'scalar' | 'block'; readonly text: string }
  | { readonly kind: 'optional'; readonly text: string; readonly condition: string };

const MARK = /(["']?)__expression_(\d+)__\1/;

export class TemplateWriter {
  readonly #expressions: Expression[] = [];

  /** A text that may stand anywhere in an object, and becomes the expression. */
  put(expression: Expression): string {
    this.#expressions.push(expression);
    return `__expression_${this.#expressions.length - 1}__`;
  }

  render(object: KubeObject): string {
    return escapeBraces(dump(object, { lineWidth: -1, noRefs: true }))
      .split('\n')
      .map((line) => this.#expand(line))
      .join('\n');
  }

  #expand(line: string): string {
    const match = MARK.exec(line);
    const expression = match && this.#expressions[Number(match[2])];
    if (!match || !expression) return line;
    const before = line.slice(0, match.index);
    const after = line.slice(match.index + match[0].length);
    const filled = `${before}${expression.text}${after}`;
    if (expression.kind === 'scalar') return this.#expand(filled);
    if (expression.kind === 'optional') return `{{- if ${expression.condition} }}\n${this.#expand(filled)}\n{{- end }}`;
    const indent = (/^ */.exec(line)?.[0].length ?? 0) + (line.trimStart().startsWith('- ') ? 2 : 0) + 2;
    return `{{- with ${expression.text} }}\n${before.trimEnd()}\n{{ toYaml . | indent ${indent} }}\n{{- end }}`;
  }
}

/** What looks like a template in a manifest, such as the labels in an alert, is text to Helm. */
const escapeBraces = (text: string): string => text.replaceAll(/\{\{|\}\}/g, (braces) => `{{ "${braces}" }}`);
