// Label selectors as they stand in URLs: `app=web,tier in (a,b),!canary`.

import { badRequest } from './api-error.ts';

export type LabelMatcher = (labels: Record<string, string> | undefined) => boolean;

interface Requirement {
  key: string;
  matches: (value: string | undefined) => boolean;
}

const keyPattern = '[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?';
const valuePattern = '(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?';
const equality = new RegExp(`^(${keyPattern})\\s*(=|==|!=)\\s*(${valuePattern})$`);
const membership = new RegExp(`^(${keyPattern})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const existence = new RegExp(`^(!?)\\s*(${keyPattern})$`);
const oneValue = new RegExp(`^${valuePattern}$`);

export function parseLabelSelector(text: string): LabelMatcher {
  const requirements = splitOutsideParentheses(text).map(parseRequirement);
  return (labels = {}) =>
    requirements.every(({ key, matches }) => matches(Object.hasOwn(labels, key) ? labels[key] : undefined));
}

function parseRequirement(text: string): Requirement {
  const equal = equality.exec(text);
  if (equal !== null) {
    const [, key = '', operator, wanted] = equal;
    return { key, matches: operator === '!=' ? (value) => value !== wanted : (value) => value === wanted };
  }
  const member = membership.exec(text);
  if (member !== null) {
    const [, key = '', operator, list = ''] = member;
    const values = list.split(',').map((value) => value.trim());
    if (!values.every((value) => oneValue.test(value))) throw unparsable(text);
    // An object without the key is "not in" any set, as in Kubernetes.
    return {
      key,
      matches: (value) => (value !== undefined && values.includes(value)) === (operator === 'in'),
    };
  }
  const exists = existence.exec(text);
  if (exists !== null) {
    const [, negation, key = ''] = exists;
    return { key, matches: (value) => (value === undefined) === (negation === '!') };
  }
  throw unparsable(text);
}

const unparsable = (text: string): Error => badRequest(`unable to parse requirement: ${JSON.stringify(text)}`);

function splitOutsideParentheses(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part, _index, all) => part !== '' || all.length > 1);
}
