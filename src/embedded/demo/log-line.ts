// The agent's log lines (JSON) as a person reads them.
import { type JsonObject, objectAt, parseObject, stringAt } from '../node/json-values.ts';

export interface LogLine {
  readonly level: string;
  readonly text: string;
}

/** Said by every line, or by the line's own place. */
const HIDDEN = new Set(['level', 'time', 'role', 'node', 'msg', 'err', 'podUid', 'reconcileId']);

/** What is not JSON (a crash, for one) is shown as it is. */
export const readLogLine = (line: string): LogLine => {
  let fields: JsonObject;
  try {
    fields = parseObject(line);
  } catch {
    return { level: 'raw', text: line };
  }
  const level = stringAt(fields, 'level');
  const details = Object.entries(fields)
    .filter(([key]) => !HIDDEN.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const error = stringAt(objectAt(fields, 'err'), 'message');
  const parts = [stringAt(fields, 'msg'), ...details, ...(error === '' ? [] : [`(${error})`])];
  return { level, text: `${level.padEnd(5)} ${parts.join(' ')}` };
};
