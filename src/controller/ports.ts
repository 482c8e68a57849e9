// What every use case of the controller needs of the world. Ports of one feature stand in its own folder.
import type { Outcome } from '../model/outcome.ts';

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What an event is about. */
export interface EventSubject {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion?: string;
}

export type RecordEvent = (subject: EventSubject, event: ObjectEvent) => void;

/** Makes one object what it should be. Level-based: it looks at what is, never at what changed. */
export type Reconcile = (key: string, log: Log, signal: AbortSignal) => Promise<Outcome>;
