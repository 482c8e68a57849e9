// Where our gates do something else than KubeVirt 1.7.0 on purpose. Each is checked to be there still: one that is not found
// any more has to be taken off the list.

export type Field = 'created' | 'live' | 'target' | 'status' | 'instance' | 'template';

type Where = { readonly shape: string; readonly moment: string };

export type IntendedDifference = {
  readonly field: Field;
  readonly reason: string;
  readonly applies: (where: Where) => boolean;
};

const SWAPPED = 'an ordinal pod whose interfaces have another order than its networks, and hot-plug into it';

export const intendedDifferences: readonly IntendedDifference[] = [
  {
    field: 'live',
    reason:
      'KubeVirt decides on the annotation of a young pod by a status that is still empty: it leaves out SR-IOV elements, which come back with a later plug, and names elements that had no name; we decide by the status that is about to be written, and leave the annotation alone',
    applies: ({ shape, moment }) =>
      moment === 'started' &&
      [
        'two SR-IOV networks and a bridge',
        'an ordinal pod',
        'hot-plug into an ordinal pod',
        'unplug from an ordinal pod, which is refused',
        SWAPPED,
      ].includes(shape),
  },
  {
    field: 'live',
    reason:
      'on an ordinal pod KubeVirt numbers the annotation by interfaces and the status by networks, so that a hot-plug swaps names under a running guest; we number both by networks, and nothing that is plugged is renamed',
    applies: ({ shape, moment }) => shape === SWAPPED && (moment === 'taken over' || moment === 'plugged'),
  },
  {
    field: 'instance',
    reason:
      'the order of the networks is what an ordinal pod’s names follow: KubeVirt sorts it by interfaces, we keep it',
    applies: ({ shape, moment }) => shape === SWAPPED && moment === 'edited',
  },
  {
    field: 'template',
    reason:
      'KubeVirt sorts the networks of a template by its interfaces and drops those that none uses; we leave a template as its author wrote it but for what is unplugged',
    applies: ({ shape, moment }) => {
      const isEditedSo = [
        'hot-plug in front of what is there',
        'hot-plug of two with MAC addresses, in reverse order',
      ].includes(shape);
      if (isEditedSo) return !['created', 'started', 'settled'].includes(moment);
      return [
        'interfaces in another order than networks',
        'a network that no interface uses',
        'hot-plug where interfaces and networks have different orders',
        SWAPPED,
      ].includes(shape);
    },
  },
];
