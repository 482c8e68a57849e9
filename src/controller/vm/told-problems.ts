// What was told of each object and is still so: a problem that lasts is one event, not one per look at it. Not kept over a
// restart: the next leader tells once more.
import type { ObjectHeader } from '../../vm/object-header.ts';
import type { VmProblem } from '../../vm/vm-problem.ts';
import type { EventSubject, RecordEvent } from '../ports.ts';

export class ToldProblems {
  readonly #recordEvent: RecordEvent;
  /** By the object's uid: texts of the problems that it has. Objects without problems are not in it. */
  readonly #told = new Map<string, ReadonlySet<string>>();

  constructor(recordEvent: RecordEvent) {
    this.#recordEvent = recordEvent;
  }

  /** Tells of those that are new; those that are not named any more would be told again when they come back. */
  tell(subject: EventSubject, problems: readonly VmProblem[]): void {
    const before = this.#told.get(subject.uid);
    for (const { reason, message } of problems) {
      if (!before?.has(message)) this.#recordEvent(subject, { type: 'Warning', reason, message });
    }
    if (problems.length === 0) this.#told.delete(subject.uid);
    else this.#told.set(subject.uid, new Set(problems.map(({ message }) => message)));
  }
}

const subjectOf = (kind: string, { namespace, name, uid, resourceVersion }: ObjectHeader): EventSubject => ({
  apiVersion: 'kubevirt.io/v1',
  kind,
  namespace,
  name,
  uid,
  resourceVersion,
});

export const aboutMachine = (machine: ObjectHeader): EventSubject => subjectOf('VirtualMachine', machine);
export const aboutInstance = (instance: ObjectHeader): EventSubject => subjectOf('VirtualMachineInstance', instance);
