// Metrics of the admission webhooks, on the controller's registry.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { METRIC_PREFIX } from './controller-metrics.ts';

const OUTCOMES = ['allowed', 'warned', 'refused', 'unreadable', 'late', 'failed'] as const;

export interface AdmissionMetricSources {
  readonly webhooks: readonly string[];
  /** Undefined while there is no certificate. */
  readonly certificateExpiry: () => Date | undefined;
}

export const createAdmissionMetrics = (registry: Registry, sources: AdmissionMetricSources) => {
  const registers = [registry];
  const answers = new Histogram({
    name: `${METRIC_PREFIX}admission_duration_seconds`,
    help: 'Time from a question of the API server to our answer',
    labelNames: ['webhook', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  for (const webhook of sources.webhooks) for (const outcome of OUTCOMES) answers.zero({ webhook, outcome });
  const reviews = new Counter({
    name: `${METRIC_PREFIX}access_reviews_total`,
    help: 'SubjectAccessReviews that were sent; remembered answers are not among them',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['allowed', 'denied', 'error']) reviews.inc({ outcome }, 0);
  const refreshErrors = new Counter({
    name: `${METRIC_PREFIX}webhook_certificate_errors_total`,
    help: 'Times that the webhook certificate could not be read, renewed or made trusted',
    registers,
  });
  new Gauge({
    name: `${METRIC_PREFIX}webhook_certificate_expiry_timestamp_seconds`,
    help: 'When the certificate that is served expires; 0 while there is none',
    registers,
    collect() {
      this.set((sources.certificateExpiry()?.getTime() ?? 0) / 1000);
    },
  });
  return {
    answered: (webhook: string, outcome: (typeof OUTCOMES)[number], durationMs: number) =>
      answers.observe({ webhook, outcome }, durationMs / 1000),
    reviewed: (outcome: 'allowed' | 'denied' | 'error') => reviews.inc({ outcome }),
    certificateFailed: () => refreshErrors.inc(),
  };
};

export type AdmissionMetrics = ReturnType<typeof createAdmissionMetrics>;
