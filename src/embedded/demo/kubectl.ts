// The three things for which the demo's story needs kubectl itself, so that nobody has to have one.
import { parseArgs } from 'node:util';
import type { EmbeddedCluster } from '../cluster.ts';

const NAMESPACE = 'default';

const USAGE = 'of kubectl there is only what "help" lists; the cluster has a kubeconfig for a real one';

/** What kubectl would say. A refusal is an error with its words. */
export const runKubectl = async (cluster: EmbeddedCluster, words: readonly string[]): Promise<string> => {
  const { positionals, values } = readArguments(words);
  const [verb, ...rest] = positionals;
  if (verb === 'run' && rest.length === 1) return run(cluster, rest[0] ?? '', values.annotations);
  const [kind, name = '', ...assignments] = rest;
  if (kind !== 'pod' || name === '') throw new Error(USAGE);
  if (verb === 'delete' && assignments.length === 0) {
    await cluster.deletePod({ namespace: NAMESPACE, name });
    return `pod "${name}" deleted from ${NAMESPACE} namespace`;
  }
  if (verb !== 'annotate' || assignments.length !== 1) throw new Error(USAGE);
  annotate(cluster, name, assignments[0] ?? '', values.overwrite === true);
  return `pod/${name} annotated`;
};

const readArguments = (words: readonly string[]) => {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { image: { type: 'string' }, annotations: { type: 'string' }, overwrite: { type: 'boolean' } },
    });
  } catch {
    throw new Error(USAGE);
  }
};

const run = async (cluster: EmbeddedCluster, name: string, annotation: string | undefined): Promise<string> => {
  if (cluster.objects.find({ resource: 'pods', namespace: NAMESPACE, name }) !== undefined) {
    throw new Error(`pods "${name}" already exists`);
  }
  const annotations = annotation === undefined ? {} : Object.fromEntries([readAssignment(annotation)]);
  await cluster.createPod({ namespace: NAMESPACE, name, annotations });
  return `pod/${name} created`;
};

const annotate = (cluster: EmbeddedCluster, name: string, assignment: string, mayOverwrite: boolean): void => {
  const pod = { resource: 'pods', namespace: NAMESPACE, name };
  const annotations = { ...cluster.pod(pod).metadata.annotations };
  if (assignment.endsWith('-') && !assignment.includes('=')) {
    delete annotations[assignment.slice(0, -1)];
  } else {
    const [key, value] = readAssignment(assignment);
    if (!mayOverwrite && annotations[key] !== undefined) {
      throw new Error(`--overwrite is false but found the annotation ${key}`);
    }
    annotations[key] = value;
  }
  cluster.objects.modify(pod, (draft) => {
    draft.metadata.annotations = annotations;
  });
};

const readAssignment = (text: string): [key: string, value: string] => {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new Error(`"${text}" is not KEY=VALUE`);
  return [key, value];
};
