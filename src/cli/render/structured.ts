// `-o json` and `-o yaml`: for programs. Every answer says what it is, so that its shape can change without a surprise.
import { dump } from 'js-yaml';

const API_VERSION = 'cli.dynamic-networks.io/v1';

export const renderStructured = (format: 'json' | 'yaml', kind: string, content: object): string => {
  const whole = { apiVersion: API_VERSION, kind, ...content };
  const text = JSON.stringify(whole, null, 2);
  // By way of JSON, so that both formats leave out the same empty fields.
  return format === 'json' ? text : dump(JSON.parse(text), { lineWidth: -1, noRefs: true }).trimEnd();
};
