// One row of what was measured. Repeated runs of a scenario yield rows of the same identity, which are then merged.

export interface Measurement {
  readonly scenario: string;
  readonly pods: number;
  readonly step: string;
  readonly values: Readonly<Record<string, number>>;
}
