// The order of files: as vitest has it, but for the one that looks back at what all others did.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const isLast = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith('/rights-used.e2e.ts');

export class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter((file) => !isLast(file)), ...sorted.filter(isLast)];
  }
}
